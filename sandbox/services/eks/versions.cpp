#include "sandbox/services/eks/versions.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "base/text.h"
#include "sandbox/services/eks/errors.h"
#include "sandbox/services/eks/paging.h"

namespace instantstart::sandbox::eks {
namespace {

/// "Amazon EKS Kubernetes release calendar" in the EKS user guide, as it stands at the end of November 2026.
constexpr std::array<KubernetesVersion, 6> k_versions{{
    {"1.35", "1.35.0", "eks.3", "2026-01-28", "2027-03-27", "2028-03-27", "STANDARD_SUPPORT"},
    {"1.34", "1.34.2", "eks.13", "2025-10-02", "2026-12-02", "2027-12-02", "STANDARD_SUPPORT"},
    {"1.33", "1.33.6", "eks.27", "2025-05-29", "2026-07-29", "2027-07-29", "EXTENDED_SUPPORT"},
    {"1.32", "1.32.10", "eks.34", "2025-01-23", "2026-03-23", "2027-03-23", "EXTENDED_SUPPORT"},
    {"1.31", "1.31.14", "eks.50", "2024-09-26", "2025-11-26", "2026-11-26", "UNSUPPORTED"},
    {"1.30", "1.30.14", "eks.58", "2024-05-23", "2025-07-23", "2026-07-23", "UNSUPPORTED"},
}};

aws::Timestamp day(std::string_view date) {
  const auto parsed = parse_rfc3339(fmt::format("{}T00:00:00Z", date));
  return timestamp(parsed.value_or(WallTime()));
}

/// The deprecated spelling: "standard-support".
std::string old_status(std::string_view status) {
  std::string text = to_lower(status);
  std::ranges::replace(text, '_', '-');
  return text;
}

aws::eks::ClusterVersionInformation shown(const KubernetesVersion& row) {
  return {.cluster_version = std::string(row.version),
          .cluster_type = "eks",
          .default_platform_version = std::string(row.platform),
          .default_version = &row == &default_version(),
          .release_date = day(row.released),
          .end_of_standard_support_date = day(row.standard_until),
          .end_of_extended_support_date = day(row.extended_until),
          .status = old_status(row.status),
          .version_status = std::string(row.status),
          .kubernetes_patch_version = std::string(row.patch)};
}

bool is_wanted(const KubernetesVersion& row, const aws::eks::DescribeClusterVersionsRequest& in) {
  if (in.cluster_type && *in.cluster_type != "eks") return false;
  if (in.default_only.value_or(false) && &row != &default_version()) return false;
  if (in.version_status && *in.version_status != row.status) return false;
  if (in.status && to_lower(*in.status) != old_status(row.status)) return false;
  const auto& named = aws::items(in.cluster_versions);
  if (!named.empty()) return std::ranges::find(named, row.version) != named.end();
  return in.include_all.value_or(false) || in.version_status || in.status || row.is_offered();
}

}  // namespace

std::span<const KubernetesVersion> kubernetes_versions() { return k_versions; }

const KubernetesVersion* find_version(std::string_view version) {
  const auto found = std::ranges::find(k_versions, version, &KubernetesVersion::version);
  return found == k_versions.end() ? nullptr : &*found;
}

const KubernetesVersion& default_version() { return k_versions.front(); }

int minor_of(std::string_view version) {
  const auto dot = version.find('.');
  if (dot == std::string_view::npos) return 0;
  int minor = 0;
  std::from_chars(version.data() + dot + 1, version.data() + version.size(), minor);
  return minor;
}

Reply<aws::eks::DescribeClusterVersionsResponse> describe_cluster_versions(
    State&, const Call&, const aws::eks::DescribeClusterVersionsRequest& in) {
  for (const auto& named : aws::items(in.cluster_versions)) {
    if (!find_version(named)) return invalid_parameter(fmt::format("Invalid cluster version: {}", named));
  }
  // Newest first, as EKS lists them, so the key counts down.
  constexpr int k_most = 1000;
  std::vector<std::pair<std::string, aws::eks::ClusterVersionInformation>> sorted;
  for (const auto& row : k_versions) {
    if (is_wanted(row, in)) sorted.emplace_back(std::to_string(k_most - minor_of(row.version)), shown(row));
  }
  auto page = page_of(std::move(sorted), in);
  if (!page) return std::unexpected(std::move(page.error()));
  return aws::eks::DescribeClusterVersionsResponse{.next_token = std::move(page->next_token),
                                                   .cluster_versions = std::move(page->items)};
}

}  // namespace instantstart::sandbox::eks
