#include "sandbox/kubernetes/cluster/cluster_access.h"

#include <fmt/format.h>

#include "base/text.h"

namespace instantstart::sandbox::kubernetes {

std::string timer_key(const ObjectKey& key) {
  return fmt::format("{}|{}|{}|{}|{}", key.cluster, key.group, key.resource, key.namespace_name, key.name);
}

ObjectKey key_of_timer(std::string_view text) {
  const auto parts = split(text, '|');
  if (parts.size() < 5) return {};
  return {std::string(parts[0]), std::string(parts[1]), std::string(parts[2]), std::string(parts[3]),
          std::string(parts[4])};
}

milliseconds ClusterAccess::since(std::string_view rfc3339) const {
  const auto then = parse_rfc3339(rfc3339);
  if (!then) return milliseconds::zero();
  return (world_.now() - *then) * world_.scale();
}

}  // namespace instantstart::sandbox::kubernetes
