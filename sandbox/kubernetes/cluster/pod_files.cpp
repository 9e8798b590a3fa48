#include "sandbox/kubernetes/cluster/pod_files.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/cluster/workload.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::size_t k_most_listed = 1000;

/// "a/b" of "//a/./b/"; nullopt when it leads above its root.
std::optional<std::string> even_path(std::string_view path) {
  std::vector<std::string> parts;
  for (const auto part : split(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.emplace_back(part);
    } else if (parts.empty()) {
      return std::nullopt;
    } else {
      parts.pop_back();
    }
  }
  return join(parts, "/");
}

/// What is left of `path` below `folder`; both without a slash at either end.
std::optional<std::string_view> below(std::string_view path, std::string_view folder) {
  if (folder.empty()) return path;
  if (!path.starts_with(folder)) return std::nullopt;
  path.remove_prefix(folder.size());
  if (path.empty()) return path;
  if (path.front() != '/') return std::nullopt;
  return path.substr(1);
}

std::string joined(std::string_view folder, std::string_view name) {
  if (folder.empty() || name.empty()) return fmt::format("{}{}", folder, name);
  return fmt::format("{}/{}", folder, name);
}

/// "prefix x/", "prefix=x/" and "--prefix x/" are one option.
std::pair<std::string_view, std::string_view> option_of(std::string_view text) {
  while (text.starts_with('-')) text.remove_prefix(1);
  const auto end = text.find_first_of(" =");
  if (end == text.npos) return {text, {}};
  return {text.substr(0, end), trim(text.substr(end + 1))};
}

bool is_only_readable(const json::object& spec) {
  const json::array& modes = member_array(spec, "accessModes");
  return !modes.empty() && std::ranges::all_of(modes, [](const json::value& mode) {
    return mode.is_string() && mode.get_string() == "ReadOnlyMany";
  });
}

}  // namespace

std::optional<BucketVolume> bucket_volume_of(const json::object& persistent_volume) {
  const json::object& spec = member_object(persistent_volume, "spec");
  const json::object& csi = member_object(spec, "csi");
  if (member_text(csi, "driver") != k_bucket_driver) return std::nullopt;
  const json::object& attributes = member_object(csi, "volumeAttributes");
  BucketVolume volume{.bucket = std::string(member_text(attributes, "bucketName")),
                      .prefix = {},
                      .read_only = is_true_at(csi, "readOnly") || is_only_readable(spec),
                      .as_pod = member_text(attributes, "authenticationSource") == "pod"};
  for (const auto& option : member_array(spec, "mountOptions")) {
    if (!option.is_string()) continue;
    const auto [name, value] = option_of(option.get_string());
    if (name == "prefix") volume.prefix = value;
    if (name == "read-only") volume.read_only = true;
    if (name == "allow-overwrite") volume.may_overwrite = true;
  }
  return volume;
}

const json::object* persistent_volume_of(const ClusterAccess& access, const std::string& cluster,
                                         const std::string& namespace_name, const json::object& volume) {
  const std::string claim_name(member_text(member_object(volume, "persistentVolumeClaim"), "claimName"));
  if (claim_name.empty()) return nullptr;
  const json::object* claim =
      access.find({cluster, "", "persistentvolumeclaims", namespace_name, claim_name});
  if (!claim || phase_of(*claim) != "Bound") return nullptr;
  const std::string name(member_text(member_object(*claim, "spec"), "volumeName"));
  return access.find({cluster, "", "persistentvolumes", "", name});
}

PodFiles::PodFiles(const ClusterAccess& access, BucketStore* buckets, Owner owner, const json::object& pod,
                   const json::object& container, Writing writing)
    : access_(access),
      buckets_(buckets),
      owner_(std::move(owner)),
      pod_(pod),
      container_(container),
      writing_(writing) {}

/// The deepest mount point wins. Mounts with subPathExpr are left out: nothing is known of what they become.
std::optional<PodFiles::Place> PodFiles::place_of(std::string_view path) const {
  const auto wanted = path.starts_with('/') ? even_path(path) : std::nullopt;
  if (!wanted) return std::nullopt;
  std::optional<Place> best;
  std::string_view volume_name;
  for (const auto& value : member_array(container_, "volumeMounts")) {
    if (!value.is_object()) continue;
    const json::object& mount = value.get_object();
    const auto folder = even_path(member_text(mount, "mountPath"));
    const auto rest = folder ? below(*wanted, *folder) : std::nullopt;
    if (!rest || (best && best->mount.size() > folder->size())) continue;
    if (!member_text(mount, "subPathExpr").empty()) continue;
    const auto sub_path = even_path(member_text(mount, "subPath")).value_or("");
    volume_name = member_text(mount, "name");
    best = Place{.mount = *folder,
                 .inside = joined(sub_path, *rest),
                 .sub_path = sub_path,
                 .read_only = is_true_at(mount, "readOnly")};
  }
  if (!best) return std::nullopt;
  for (const auto& value : member_array(member_object(pod_, "spec"), "volumes")) {
    if (value.is_object() && member_text(value.get_object(), "name") == volume_name) {
      best->volume = &value.get_object();
      return best;
    }
  }
  return std::nullopt;
}

std::optional<BucketVolume> PodFiles::bucket_of(const Place& place) const {
  const json::object* volume =
      persistent_volume_of(access_, owner_.cluster, owner_.namespace_name, *place.volume);
  auto bucket = volume ? bucket_volume_of(*volume) : std::nullopt;
  if (bucket &&
      (place.read_only || is_true_at(member_object(*place.volume, "persistentVolumeClaim"), "readOnly"))) {
    bucket->read_only = true;
  }
  return bucket;
}

std::map<std::string, std::string> PodFiles::texts_of(const json::object& volume) const {
  const bool secret = volume.contains("secret");
  const json::object& source = member_object(volume, secret ? "secret" : "configMap");
  const std::string name(member_text(source, secret ? "secretName" : "name"));
  const json::object* object =
      access_.find({owner_.cluster, "", secret ? "secrets" : "configmaps", owner_.namespace_name, name});
  std::map<std::string, std::string> texts;
  if (name.empty() || !object) return texts;
  for (const auto member : {"data", "binaryData"}) {
    const bool encoded = secret || std::string_view(member) == "binaryData";
    for (const auto& [key, value] : member_object(*object, member)) {
      if (!value.is_string()) continue;
      const std::string text(value.get_string());
      texts[std::string(key)] = encoded ? from_base64(text).value_or("") : text;
    }
  }
  const json::array& items = member_array(source, "items");
  if (items.empty()) return texts;
  std::map<std::string, std::string> chosen;
  for (const auto& item : items) {
    if (!item.is_object()) continue;
    const auto found = texts.find(std::string(member_text(item.get_object(), "key")));
    if (found != texts.end()) chosen[std::string(member_text(item.get_object(), "path"))] = found->second;
  }
  return chosen;
}

std::optional<std::string> PodFiles::read(std::string_view path) {
  const auto place = place_of(path);
  if (!place || place->inside.empty()) return std::nullopt;
  if (const auto bucket = bucket_of(*place)) {
    return buckets_ ? buckets_->read(bucket->bucket, bucket->prefix + place->inside) : std::nullopt;
  }
  const auto texts = texts_of(*place->volume);
  const auto found = texts.find(place->inside);
  return found == texts.end() ? std::nullopt : std::optional(found->second);
}

bool PodFiles::write(std::string_view path, std::string bytes) {
  const auto place = place_of(path);
  if (!place || place->inside.empty() || !buckets_) return false;
  const auto bucket = bucket_of(*place);
  if (!bucket || bucket->read_only || !buckets_->has_bucket(bucket->bucket)) return false;
  const std::string key = bucket->prefix + place->inside;
  if (!bucket->may_overwrite) {
    const auto there = buckets_->list(bucket->bucket, key, 1);
    if (!there.empty() && there.front() == key) return false;
  }
  return writing_ == Writing::tried || buckets_->write(bucket->bucket, key, std::move(bytes));
}

std::vector<std::string> PodFiles::list(std::string_view folder) {
  const auto place = place_of(folder);
  if (!place) return {};
  std::vector<std::string> inside;
  if (const auto bucket = bucket_of(*place)) {
    const std::string root = bucket->prefix + (place->inside.empty() ? "" : place->inside + "/");
    if (buckets_) inside = buckets_->list(bucket->bucket, root, k_most_listed);
    // Objects whose names end in a slash stand for folders.
    std::erase_if(inside, [](const std::string& key) { return key.ends_with('/'); });
    for (auto& key : inside) key.erase(0, bucket->prefix.size());
  } else {
    for (const auto& [name, text] : texts_of(*place->volume)) {
      const auto rest = below(name, place->inside);
      if (rest && !rest->empty()) inside.push_back(name);
    }
  }
  const std::string start = place->mount.empty() ? "/" : "/" + place->mount + "/";
  for (auto& name : inside) {
    if (!place->sub_path.empty()) name.erase(0, place->sub_path.size() + 1);
    name.insert(0, start);
  }
  return inside;
}

bool PodFiles::knows(std::string_view path) const {
  const auto place = place_of(path);
  return !place || place->volume->contains("configMap") || place->volume->contains("secret") ||
         bucket_of(*place);
}

}  // namespace instantstart::sandbox::kubernetes
