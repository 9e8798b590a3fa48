#include "capabilities/storage/volume_objects.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/text.h"
#include "capabilities/storage/data_volume.h"
#include "kube/json_access.h"

namespace instantstart::capabilities {
namespace {

/// Kubernetes wants a size; the driver doesn't look at it.
constexpr std::string_view k_any_size = "1200Gi";
constexpr std::size_t k_longest_text = 1'100;

json::object metadata_of(const ObjectRef& ref, const Mount& mount, std::string_view operation_id) {
  json::object metadata{{"name", ref.name}};
  if (!ref.namespace_.empty()) metadata["namespace"] = ref.namespace_;
  metadata["labels"] = json::object{{"app.kubernetes.io/managed-by", "instantstart"},
                                    {k_component_label, k_storage_component}};
  metadata["annotations"] =
      json::object{{k_operation_annotation, operation_id}, {k_path_annotation, mount.path}};
  return metadata;
}

json::array access_modes(const Mount& mount) {
  json::array modes;
  modes.emplace_back(mount.read_only ? "ReadOnlyMany" : "ReadWriteMany");
  return modes;
}

/// One option an element, as mount-s3 takes them. With the region the driver needs no instance metadata;
/// without allow-other only root's pods would get in.
json::array mount_options(const Mount& mount) {
  json::array options;
  const auto add = [&](std::string option) { options.emplace_back(json::string(option)); };
  add(fmt::format("region {}", mount.bucket_region));
  add("allow-other");
  if (!mount.prefix.empty()) add(fmt::format("prefix {}", mount.prefix));
  if (mount.read_only) {
    add("read-only");
  } else {
    add("allow-delete");
    add("allow-overwrite");
  }
  if (mount.uid) add(fmt::format("uid={}", *mount.uid));
  if (mount.gid) add(fmt::format("gid={}", *mount.gid));
  return options;
}

json::object persistent_volume(const Mount& mount, std::string_view operation_id) {
  const ObjectRef ref = volume_ref(mount.space, mount.name);
  json::object csi{{"driver", k_s3_driver},
                   {"volumeHandle", ref.name},
                   {"volumeAttributes", {{"bucketName", mount.bucket}, {"authenticationSource", "driver"}}}};
  json::object spec{{"capacity", {{"storage", k_any_size}}},
                    {"accessModes", access_modes(mount)},
                    {"persistentVolumeReclaimPolicy", "Retain"},
                    {"storageClassName", ""},
                    {"volumeMode", "Filesystem"},
                    {"claimRef",
                     {{"apiVersion", "v1"},
                      {"kind", "PersistentVolumeClaim"},
                      {"namespace", mount.space},
                      {"name", mount.name}}},
                    {"mountOptions", mount_options(mount)},
                    {"csi", std::move(csi)}};
  return {{"apiVersion", ref.api_version},
          {"kind", ref.kind},
          {"metadata", metadata_of(ref, mount, operation_id)},
          {"spec", std::move(spec)}};
}

json::object persistent_volume_claim(const Mount& mount, std::string_view operation_id) {
  const ObjectRef ref = claim_ref(mount.space, mount.name);
  json::object spec{{"accessModes", access_modes(mount)},
                    {"storageClassName", ""},
                    {"volumeMode", "Filesystem"},
                    {"volumeName", volume_name(mount.space, mount.name)},
                    {"resources", {{"requests", {{"storage", k_any_size}}}}}};
  return {{"apiVersion", ref.api_version},
          {"kind", ref.kind},
          {"metadata", metadata_of(ref, mount, operation_id)},
          {"spec", std::move(spec)}};
}

std::string bounded(std::string_view text) { return shortened(without_controls(text), k_longest_text); }

/// "region us-west-2", "--region us-west-2" and "region=us-west-2" are the same to the driver.
void read_option(std::string_view option, VolumeSummary& summary) {
  option = trim(option);
  while (option.starts_with('-')) option.remove_prefix(1);
  const auto end = option.find_first_of(" =");
  const std::string_view key = option.substr(0, end);
  const std::string_view value = end == std::string_view::npos ? "" : trim(option.substr(end + 1));
  if (key == "region") summary.region = bounded(value);
  if (key == "prefix") summary.prefix = bounded(value);
  if (key == "read-only") summary.read_only = true;
}

StorageState state_of(const VolumeSummary& summary) {
  if (summary.going) return StorageState::going;
  if (summary.phase == "Bound") return StorageState::ready;
  if (summary.phase == "Released" || summary.phase == "Failed") return StorageState::broken;
  return StorageState::pending;
}

std::string or_all(const std::string& prefix) { return prefix.empty() ? "all of it" : prefix; }

}  // namespace

ObjectRef volume_ref(std::string_view space, std::string_view name) {
  return {"v1", "PersistentVolume", "", volume_name(space, name)};
}

ObjectRef claim_ref(std::string_view space, std::string_view name) {
  return {"v1", "PersistentVolumeClaim", std::string(space), std::string(name)};
}

std::vector<json::object> volume_objects(const Mount& mount, std::string_view operation_id) {
  std::vector<json::object> objects;
  objects.push_back(persistent_volume(mount, operation_id));
  objects.push_back(persistent_volume_claim(mount, operation_id));
  return objects;
}

std::optional<VolumeSummary> summary_of(const json::object& volume) {
  if (kube::text_at(volume, {"spec", "csi", "driver"}) != k_s3_driver) return std::nullopt;
  VolumeSummary summary{
      .volume = bounded(kube::text_at(volume, {"metadata", "name"})),
      .handle = bounded(kube::text_at(volume, {"spec", "csi", "volumeHandle"})),
      .space = bounded(kube::text_at(volume, {"spec", "claimRef", "namespace"})),
      .claim = bounded(kube::text_at(volume, {"spec", "claimRef", "name"})),
      .bucket = bounded(kube::text_at(volume, {"spec", "csi", "volumeAttributes", "bucketName"})),
      .phase = bounded(kube::text_at(volume, {"status", "phase"})),
      .going = !kube::text_at(volume, {"metadata", "deletionTimestamp"}).empty(),
      .ours = maker_of(volume).has_value()};
  if (summary.ours)
    summary.path = bounded(kube::text_at(volume, {"metadata", "annotations", k_path_annotation}));
  for (const auto& option : kube::array_at(volume, {"spec", "mountOptions"})) {
    read_option(kube::as_text(option), summary);
  }
  return summary;
}

StorageView view_of(const VolumeSummary& summary) {
  StorageView view{.name = summary.claim,
                   .space = summary.space,
                   .state = state_of(summary),
                   .bucket = summary.bucket,
                   .read_only = summary.read_only,
                   .volume = summary.volume,
                   .owner = summary.ours ? "instantstart" : "other"};
  if (!summary.region.empty()) view.region = summary.region;
  if (!summary.prefix.empty()) view.prefix = summary.prefix;
  if (!summary.path.empty()) view.path = summary.path;
  view.shared = summary.ours && !summary.going && summary.path == k_data_path;
  return view;
}

const VolumeSummary* shared_in(std::span<const VolumeSummary> volumes, std::string_view space) {
  const auto found = std::ranges::find_if(volumes, [&](const VolumeSummary& volume) {
    return volume.ours && !volume.going && volume.space == space && volume.path == k_data_path;
  });
  return found == volumes.end() ? nullptr : &*found;
}

std::vector<std::string> differences_in_words(const Mount& wanted, const VolumeSummary& there) {
  std::vector<std::string> words;
  const auto compare = [&](std::string_view what, const std::string& is, const std::string& shall) {
    if (is != shall) words.push_back(fmt::format("{}: {} instead of {}", what, is, shall));
  };
  compare("bucket", there.bucket, wanted.bucket);
  compare("prefix", or_all(there.prefix), or_all(wanted.prefix));
  compare("region", there.region, wanted.bucket_region);
  compare("path", there.path, wanted.path);
  compare("read_only", there.read_only ? "true" : "false", wanted.read_only ? "true" : "false");
  return words;
}

}  // namespace instantstart::capabilities
