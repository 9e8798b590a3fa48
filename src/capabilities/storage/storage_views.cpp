#include "capabilities/storage/storage_views.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/digest.h"
#include "base/error_codes.h"
#include "base/text.h"
#include "base/time.h"
#include "capabilities/dependencies/component_state.h"

namespace instantstart::capabilities {
namespace {

/// Keys have at most 1,024 bytes (S3's user guide).
constexpr std::size_t k_longest_key = 1'024;

Result<std::string> name_in(std::string_view prefix, const std::optional<std::string>& encoded) {
  const auto key = percent_decode(encoded.value_or(""));
  if (!key || !key->starts_with(prefix)) {
    return fail(codes::upstream_error, "S3 listed a key that does not belong to the folder.");
  }
  std::string_view name(*key);
  name.remove_prefix(prefix.size());
  return shortened(without_controls(name), k_longest_key);
}

}  // namespace

std::vector<std::string> problems_of(const VolumeSummary& volume, const DriverSeen& driver,
                                     const DriverIdentity& identity, const AccessSeen& access) {
  std::vector<std::string> problems;
  for (const auto& [component, seen] : driver.components) {
    const auto view = view_of(*component, seen, nullptr);
    if (view.state == DependencyState::ready) continue;
    if (view.reasons.empty()) {
      problems.push_back(fmt::format("{} is not ready.", component->title));
    }
    for (const auto& reason : view.reasons)
      problems.push_back(fmt::format("{}: {}", component->title, reason));
  }
  if (!volume.ours) return problems;
  if (!identity.role_name) {
    problems.push_back(identity.why + " Whether it may use the bucket is not known here.");
  } else if (!access.as_wanted) {
    problems.emplace_back("The driver's role does not allow what the mount needs: mount it again.");
  }
  return problems;
}

std::string folder_prefix(std::string_view mount_prefix, std::string_view folder) {
  while (folder.ends_with('/')) folder.remove_suffix(1);
  std::string prefix(mount_prefix);
  if (!folder.empty()) prefix += fmt::format("{}/", folder);
  return prefix;
}

Result<std::vector<StorageEntry>> entries_of(const aws::s3::ListObjectsV2Output& page,
                                             std::string_view prefix) {
  std::vector<StorageEntry> entries;
  for (const auto& common : aws::items(page.common_prefixes)) {
    auto name = name_in(prefix, common.prefix);
    if (!name) return fail(name.error());
    if (name->ends_with('/')) name->pop_back();
    entries.push_back({.name = std::move(*name), .folder = true});
  }
  for (const auto& object : aws::items(page.contents)) {
    auto name = name_in(prefix, object.key);
    if (!name) return fail(name.error());
    // Consoles make an empty object of the folder's own name.
    if (name->empty()) continue;
    StorageEntry entry{.name = std::move(*name), .bytes = object.size};
    if (object.last_modified) {
      entry.modified_at =
          to_rfc3339(std::chrono::time_point_cast<WallTime::duration>(object.last_modified->time));
    }
    entries.push_back(std::move(entry));
  }
  std::ranges::sort(entries, {}, &StorageEntry::name);
  return entries;
}

}  // namespace instantstart::capabilities
