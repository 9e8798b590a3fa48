#include "sandbox/kubernetes/cluster/volumes.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/cluster/workload.h"
#include "sandbox/kubernetes/objects/quantity.h"
#include "sandbox/kubernetes/objects/selectors.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::string_view k_component = "persistentvolume-controller";
constexpr std::string_view k_selected_node = "volume.kubernetes.io/selected-node";

const json::object& spec_of(const json::object& object) { return member_object(object, "spec"); }

Quantity size_of(const json::object& quantities) {
  const auto text = member_text(quantities, "storage");
  return Quantity::parse(text).value_or(Quantity());
}

bool offers_modes(const json::object& volume, const json::object& claim) {
  const json::array& offered = member_array(spec_of(volume), "accessModes");
  return std::ranges::all_of(
      member_array(spec_of(claim), "accessModes"),
      [&offered](const json::value& mode) { return std::ranges::find(offered, mode) != offered.end(); });
}

std::string_view mode_of(const json::object& object) {
  const auto mode = member_text(spec_of(object), "volumeMode");
  return mode.empty() ? std::string_view("Filesystem") : mode;
}

bool is_claimed_by(const json::object& volume, const ObjectKey& claim_key, const json::object& claim) {
  const json::object& reference = member_object(spec_of(volume), "claimRef");
  const auto uid = member_text(reference, "uid");
  return member_text(reference, "namespace") == claim_key.namespace_name &&
         member_text(reference, "name") == claim_key.name && (uid.empty() || uid == uid_of(claim));
}

bool fits(const json::object& volume, const json::object& claim) {
  if (is_deleting(volume) || !offers_modes(volume, claim) || mode_of(volume) != mode_of(claim)) return false;
  if (member_text(spec_of(volume), "storageClassName") != member_text(spec_of(claim), "storageClassName"))
    return false;
  const auto* selector = spec_of(claim).if_contains("selector");
  if (selector && selector->is_object()) {
    const auto parsed = LabelSelector::from_object(*selector);
    if (!parsed || !parsed->matches_object(volume)) return false;
  }
  return size_of(member_object(spec_of(volume), "capacity")) >=
         size_of(member_object(member_object(spec_of(claim), "resources"), "requests"));
}

std::string_view driver_of(std::string_view provisioner) {
  return provisioner == "kubernetes.io/aws-ebs" ? std::string_view("ebs.csi.aws.com") : provisioner;
}

}  // namespace

void Volumes::notice(const Change& change) {
  const auto& resource = change.key.resource;
  if (change.key.group.empty() && (resource == "persistentvolumeclaims" || resource == "persistentvolumes")) {
    mark(change.key);
    if (resource == "persistentvolumes" && !change.before) {
      for (const auto* claim : store().list(change.key.cluster, "", "persistentvolumeclaims", "")) {
        if (phase_of(claim->body) == "Pending") mark(claim->key());
      }
    }
  }
  if (change.key.group == "storage.k8s.io" && (resource == "storageclasses" || resource == "csidrivers")) {
    for (const auto* claim : store().list(change.key.cluster, "", "persistentvolumeclaims", "")) {
      if (phase_of(claim->body) == "Pending") mark(claim->key());
    }
  }
}

void Volumes::sync(const ObjectKey& key) {
  if (key.resource == "persistentvolumes") {
    sync_volume(key);
  } else {
    sync_claim(key);
  }
}

void Volumes::sync_claim(const ObjectKey& key) {
  const json::object* found = access().find(key);
  if (!found) {
    // Its volume is released.
    for (const auto* volume : store().list(key.cluster, "", "persistentvolumes", "")) {
      const json::object& reference = member_object(spec_of(volume->body), "claimRef");
      if (member_text(reference, "namespace") == key.namespace_name &&
          member_text(reference, "name") == key.name) {
        mark(volume->key());
      }
    }
    return;
  }
  const json::object claim = *found;
  if (is_deleting(claim)) return;
  if (phase_of(claim) == "Bound") {
    const std::string name(member_text(spec_of(claim), "volumeName"));
    if (!access().find({key.cluster, "", "persistentvolumes", "", name})) set_phase(key, "Lost");
    return;
  }
  if (const json::object* volume = find_volume(key, claim)) {
    const json::object copy = *volume;
    bind(key, claim, copy);
    return;
  }
  const std::string storage_name(member_text(spec_of(claim), "storageClassName"));
  if (!member_text(spec_of(claim), "volumeName").empty()) return;
  const json::object* storage =
      storage_name.empty()
          ? nullptr
          : access().find({key.cluster, "storage.k8s.io", "storageclasses", "", storage_name});
  if (!storage) {
    events().record(
        key.cluster, claim,
        storage_name.empty()
            ? EventNote{.type = "Normal",
                        .reason = "FailedBinding",
                        .message = "no persistent volumes available for this claim and no storage "
                                   "class is set",
                        .component = k_component}
            : EventNote{.type = "Warning",
                        .reason = "ProvisioningFailed",
                        .message = fmt::format("storageclass.storage.k8s.io \"{}\" not found", storage_name),
                        .component = k_component});
    return;
  }
  const bool by_pod = member_text(*storage, "volumeBindingMode") == "WaitForFirstConsumer";
  if (by_pod && annotation_of(claim, k_selected_node).empty()) {
    events().record(key.cluster, claim,
                    {.type = "Normal",
                     .reason = "WaitForFirstConsumer",
                     .message = "waiting for first consumer to be created before binding",
                     .component = k_component});
    return;
  }
  provision(key, claim);
}

const json::object* Volumes::find_volume(const ObjectKey& claim_key, const json::object& claim) const {
  const std::string wanted(member_text(spec_of(claim), "volumeName"));
  if (!wanted.empty()) {
    const json::object* volume = access().find({claim_key.cluster, "", "persistentvolumes", "", wanted});
    if (!volume || is_deleting(*volume)) return nullptr;
    const bool is_free = member_object(spec_of(*volume), "claimRef").empty();
    if (is_claimed_by(*volume, claim_key, claim)) return volume;
    return is_free && fits(*volume, claim) ? volume : nullptr;
  }
  const json::object* best = nullptr;
  for (const auto* stored : store().list(claim_key.cluster, "", "persistentvolumes", "")) {
    const json::object& volume = stored->body;
    if (is_claimed_by(volume, claim_key, claim) && fits(volume, claim)) return &volume;
    if (!member_object(spec_of(volume), "claimRef").empty() || !fits(volume, claim)) continue;
    const auto size = size_of(member_object(spec_of(volume), "capacity"));
    if (!best || size < size_of(member_object(spec_of(*best), "capacity"))) best = &volume;
  }
  return best;
}

void Volumes::provision(const ObjectKey& key, const json::object& claim) {
  const json::object& storage =
      *access().find({key.cluster, "storage.k8s.io", "storageclasses", "",
                      std::string(member_text(spec_of(claim), "storageClassName"))});
  const std::string provisioner(member_text(storage, "provisioner"));
  const std::string driver(driver_of(provisioner));
  if (!access().find({key.cluster, "storage.k8s.io", "csidrivers", "", driver})) {
    events().record(
        key.cluster, claim,
        {.type = "Normal",
         .reason = "ExternalProvisioning",
         .message = fmt::format(
             "Waiting for a volume to be created either by the external provisioner '{}' or manually "
             "by the system administrator. If volume creation is delayed, please verify that the "
             "provisioner is running and correctly registered.",
             driver),
         .component = k_component});
    return;
  }
  const std::string name = fmt::format("pvc-{}", uid_of(claim));
  const auto policy = member_text(storage, "reclaimPolicy");
  json::object volume{
      {"apiVersion", "v1"},
      {"kind", "PersistentVolume"},
      {"metadata", json::object{{"name", name},
                                {"annotations", json::object{{"pv.kubernetes.io/provisioned-by", driver}}}}},
      {"spec",
       json::object{{"capacity", member_object(member_object(spec_of(claim), "resources"), "requests")},
                    {"accessModes", member_array(spec_of(claim), "accessModes")},
                    {"persistentVolumeReclaimPolicy", policy.empty() ? std::string_view("Delete") : policy},
                    {"storageClassName", member_text(spec_of(claim), "storageClassName")},
                    {"volumeMode", mode_of(claim)},
                    {"claimRef", json::object{{"apiVersion", "v1"},
                                              {"kind", "PersistentVolumeClaim"},
                                              {"namespace", key.namespace_name},
                                              {"name", key.name},
                                              {"uid", uid_of(claim)}}},
                    {"csi", json::object{{"driver", driver},
                                         {"volumeHandle",
                                          fmt::format("vol-{}", template_hash(json::value(name)))}}}}}};
  const auto made = objects(key).create(std::move(volume));
  events().record(
      key.cluster, claim,
      {.type = made ? "Normal" : "Warning",
       .reason = made ? "ProvisioningSucceeded" : "ProvisioningFailed",
       .message = made ? fmt::format("Successfully provisioned volume {}", name) : made.error().message,
       .component = driver});
}

void Volumes::bind(const ObjectKey& key, const json::object& claim, const json::object& volume) {
  json::object held = volume;
  const ObjectKey volume_key{key.cluster, "", "persistentvolumes", "", std::string(name_of(volume))};
  held["spec"].get_object()["claimRef"] = json::object{{"kind", "PersistentVolumeClaim"},
                                                       {"namespace", key.namespace_name},
                                                       {"name", key.name},
                                                       {"uid", uid_of(claim)},
                                                       {"apiVersion", "v1"},
                                                       {"resourceVersion", version_of(claim)}};
  set_annotation(held, "pv.kubernetes.io/bound-by-controller", "yes");
  held["status"] = json::object{{"phase", "Bound"}};
  json::object bound = claim;
  bound["spec"].get_object()["volumeName"] = name_of(volume);
  set_annotation(bound, "pv.kubernetes.io/bind-completed", "yes");
  set_annotation(bound, "pv.kubernetes.io/bound-by-controller", "yes");
  bound["status"] = json::object{{"phase", "Bound"},
                                 {"accessModes", member_array(spec_of(volume), "accessModes")},
                                 {"capacity", member_object(spec_of(volume), "capacity")}};
  // Both sides at once, and a claim's spec is closed to everybody else.
  store().put(volume_key, std::move(held));
  store().put(key, std::move(bound));
}

void Volumes::sync_volume(const ObjectKey& key) {
  const json::object* volume = access().find(key);
  if (!volume || is_deleting(*volume)) return;
  const json::object& reference = member_object(spec_of(*volume), "claimRef");
  if (reference.empty()) return set_phase(key, "Available");
  const std::string space(member_text(reference, "namespace"));
  const std::string name(member_text(reference, "name"));
  const ObjectKey claim_key{key.cluster, "", "persistentvolumeclaims", space, name};
  const json::object* claim = access().find(claim_key);
  const auto uid = member_text(reference, "uid");
  if (claim && (uid.empty() || uid == uid_of(*claim))) {
    if (phase_of(*claim) != "Bound") {
      if (phase_of(*volume) == "Pending") set_phase(key, "Available");
      mark(claim_key);
    }
    return;
  }
  if (uid.empty()) return set_phase(key, "Available");
  if (member_text(spec_of(*volume), "persistentVolumeReclaimPolicy") == "Delete" &&
      !annotation_of(*volume, "pv.kubernetes.io/provisioned-by").empty()) {
    std::ignore = objects(key).remove("", "persistentvolumes", "", key.name);
    return;
  }
  set_phase(key, "Released");
}

void Volumes::set_phase(const ObjectKey& key, std::string_view phase) {
  const json::object* object = access().find(key);
  if (!object || phase_of(*object) == phase) return;
  json::object next = *object;
  json::value& status = next["status"];
  if (!status.is_object()) status.emplace_object();
  status.get_object()["phase"] = phase;
  std::ignore = objects(key).update_status(std::move(next));
}

}  // namespace instantstart::sandbox::kubernetes
