#include "capabilities/network/kubernetes_versions.h"

#include <algorithm>

#include "base/time.h"

namespace instantstart::capabilities {
namespace {

std::optional<std::string> when(const std::optional<aws::Timestamp>& time) {
  if (!time) return std::nullopt;
  return to_rfc3339(std::chrono::floor<milliseconds>(time->time));
}

}  // namespace

std::vector<KubernetesVersionView> to_versions(
    const std::vector<aws::eks::ClusterVersionInformation>& versions, bool extended) {
  std::vector<KubernetesVersionView> views;
  for (const auto& version : versions) {
    const std::string status = version.version_status.value_or("");
    const bool in_extended = status == "EXTENDED_SUPPORT";
    if (status == "UNSUPPORTED" || (in_extended && !extended)) continue;
    views.push_back({.version = version.cluster_version.value_or(""),
                     .support = in_extended ? "extended" : "standard",
                     .is_default = version.default_version.value_or(false),
                     .released_at = when(version.release_date),
                     .standard_support_ends_at = when(version.end_of_standard_support_date),
                     .extended_support_ends_at = when(version.end_of_extended_support_date)});
  }
  std::ranges::sort(views, std::greater<>(),
                    [](const KubernetesVersionView& view) { return domain::minor_of({{view.version}}); });
  return views;
}

}  // namespace instantstart::capabilities
