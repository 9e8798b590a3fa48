#include "sandbox/app/eks_limits.h"

namespace instantstart::sandbox {

eks::Limits eks_limits(const Quotas& quotas, std::string_view region) {
  eks::Limits limits;
  if (const Quota* clusters = find_quota("eks", "L-1194D53C")) {
    limits.clusters = static_cast<std::size_t>(quotas.applied(region, *clusters));
  }
  return limits;
}

}  // namespace instantstart::sandbox
