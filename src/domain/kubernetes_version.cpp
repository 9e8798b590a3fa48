#include "domain/kubernetes_version.h"

#include <charconv>

namespace instantstart::domain {
namespace {

constexpr std::size_t k_major_length = 2;  // "1."

}  // namespace

std::int64_t minor_of(const KubernetesVersion& version) {
  std::int64_t minor = 0;
  if (version.value.size() <= k_major_length) return minor;
  std::from_chars(version.value.data() + k_major_length, version.value.data() + version.value.size(), minor);
  return minor;
}

bool may_update(const KubernetesVersion& from, const KubernetesVersion& to) {
  return minor_of(to) == minor_of(from) + 1;
}

Type describe(KubernetesVersion*) {
  return text_type<KubernetesVersion>("KubernetesVersion", "A Kubernetes minor version, without patch.",
                                      {.min = 3, .max = 5, .pattern = Pattern("^1\\.[1-9][0-9]{0,2}$")},
                                      {"1.33"});
}

}  // namespace instantstart::domain
