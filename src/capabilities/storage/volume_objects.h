// PersistentVolume and PersistentVolumeClaim of a mount, as values, and back. Pure.
//
// Static provisioning: the volume reserves its claim (claimRef), the claim names its volume, and both have
// the empty storage class, so that nothing else binds to either.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "capabilities/dependencies/owned_object.h"
#include "capabilities/storage/mount.h"

namespace instantstart::capabilities {

inline constexpr std::string_view k_storage_component = "storage";
/// Where submitted pods see it; on the volume and on the claim.
inline constexpr std::string_view k_path_annotation = "instantstart/mount-path";

ObjectRef volume_ref(std::string_view space, std::string_view name);
ObjectRef claim_ref(std::string_view space, std::string_view name);

/// The volume, then the claim, with our label and annotations; the operation is noted as their maker.
std::vector<json::object> volume_objects(const Mount& mount, std::string_view operation_id);

/// A volume of the driver, whoever made it.
struct VolumeSummary {
  std::string volume;
  std::string handle;
  std::string space;  ///< Of its claim.
  std::string claim;
  std::string bucket;
  std::string region;  ///< Empty when it isn't written down.
  std::string prefix;
  std::string path;  ///< Of ours.
  bool read_only = false;
  std::string phase;  ///< "Bound"
  bool going = false;
  bool ours = false;
};

/// nullopt: a volume of another driver.
std::optional<VolumeSummary> summary_of(const json::object& persistent_volume);
StorageView view_of(const VolumeSummary& summary);

/// The mount that every pod submitted to the namespace gets: ours, at /data. nullptr when there is none.
const VolumeSummary* shared_in(std::span<const VolumeSummary> volumes, std::string_view space);

/// How what is there differs from what is wanted: "bucket: a instead of b".
std::vector<std::string> differences_in_words(const Mount& wanted, const VolumeSummary& there);

}  // namespace instantstart::capabilities
