// As pkg/printers/internalversion/printers.go of Kubernetes prints rows.
#include "sandbox/kubernetes/objects/table_cells.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "sandbox/kubernetes/objects/cell_parts.h"
#include "sandbox/kubernetes/objects/json_access.h"
#include "sandbox/kubernetes/objects/selectors.h"
#include "sandbox/kubernetes/objects/table.h"

namespace instantstart::sandbox::kubernetes {
namespace {

std::string selector_text(const json::object& spec) {
  const auto* value = at(spec, "selector");
  if (!value || !value->is_object()) return "<none>";
  const auto selector = LabelSelector::from_object(*value);
  return selector ? or_none(selector->to_text()) : "<error>";
}

std::string labels_text(const json::object& labels) {
  std::map<std::string, std::string> sorted;
  for (const auto& [key, value] : labels) sorted[std::string(key)] = text_at(labels, key);
  std::vector<std::string> parts;
  for (const auto& [key, value] : sorted) parts.push_back(key + "=" + value);
  return or_none(join(parts, ","));
}

/// Names and images of a template's containers.
std::pair<std::string, std::string> containers_of(const json::object& spec) {
  std::vector<std::string> names;
  std::vector<std::string> images;
  for (const auto& item : items(spec_of(child(spec, "template")), "containers")) {
    if (!item.is_object()) continue;
    names.push_back(text_at(item.get_object(), "name"));
    images.push_back(text_at(item.get_object(), "image"));
  }
  return {join(names, ","), join(images, ",")};
}

// Nodes.

std::string node_roles(const json::object& object) {
  constexpr std::string_view prefix = "node-role.kubernetes.io/";
  std::set<std::string> roles;
  for (const auto& [key, value] : child(child(object, "metadata"), "labels")) {
    const std::string_view name = key;
    if (name.starts_with(prefix) && name.size() > prefix.size()) roles.emplace(name.substr(prefix.size()));
    if (name == "kubernetes.io/role" && value.is_string() && !value.get_string().empty())
      roles.emplace(value.get_string());
  }
  return or_none(join(std::vector<std::string>(roles.begin(), roles.end()), ","));
}

std::string node_address(const json::object& object, std::string_view type) {
  for (const auto& item : items(status_of(object), "addresses")) {
    if (item.is_object() && text_at(item.get_object(), "type") == type)
      return text_at(item.get_object(), "address");
  }
  return "<none>";
}

json::array node_cells(const CellSource& source) {
  const auto ready = condition(source.object, "Ready");
  std::string state = ready.empty() ? "Unknown" : ready == "True" ? "Ready" : "NotReady";
  if (flag_at(spec_of(source.object), "unschedulable")) state += ",SchedulingDisabled";
  const auto& info = child(status_of(source.object), "nodeInfo");
  const auto unknown = [](std::string text) {
    return json::value(text.empty() ? std::string("<unknown>") : text);
  };
  return {name_cell(source),
          json::value(state),
          json::value(node_roles(source.object)),
          age_cell(source),
          json::value(text_at(info, "kubeletVersion")),
          json::value(node_address(source.object, "InternalIP")),
          json::value(node_address(source.object, "ExternalIP")),
          unknown(text_at(info, "osImage")),
          unknown(text_at(info, "kernelVersion")),
          unknown(text_at(info, "containerRuntimeVersion"))};
}

// Workloads.

json::array deployment_cells(const CellSource& source) {
  const auto& spec = spec_of(source.object);
  const auto& status = status_of(source.object);
  const auto [names, images] = containers_of(spec);
  return {
      name_cell(source),
      json::value(fmt::format("{}/{}", integer_at(status, "readyReplicas"), integer_at(spec, "replicas"))),
      json::value(integer_at(status, "updatedReplicas")),
      json::value(integer_at(status, "availableReplicas")),
      age_cell(source),
      json::value(names),
      json::value(images),
      json::value(selector_text(spec))};
}

json::array daemon_set_cells(const CellSource& source) {
  const auto& spec = spec_of(source.object);
  const auto& status = status_of(source.object);
  const auto [names, images] = containers_of(spec);
  const auto count = [&](std::string_view key) { return json::value(integer_at(status, key)); };
  return {name_cell(source),
          count("desiredNumberScheduled"),
          count("currentNumberScheduled"),
          count("numberReady"),
          count("updatedNumberScheduled"),
          count("numberAvailable"),
          json::value(labels_text(child(spec_of(child(spec, "template")), "nodeSelector"))),
          age_cell(source),
          json::value(names),
          json::value(images),
          json::value(selector_text(spec))};
}

json::array replica_set_cells(const CellSource& source) {
  const auto& spec = spec_of(source.object);
  const auto& status = status_of(source.object);
  const auto [names, images] = containers_of(spec);
  return {name_cell(source),
          json::value(integer_at(spec, "replicas")),
          json::value(integer_at(status, "replicas")),
          json::value(integer_at(status, "readyReplicas")),
          age_cell(source),
          json::value(names),
          json::value(images),
          json::value(selector_text(spec))};
}

json::array stateful_set_cells(const CellSource& source) {
  const auto& spec = spec_of(source.object);
  const auto [names, images] = containers_of(spec);
  return {name_cell(source),
          json::value(fmt::format("{}/{}", integer_at(status_of(source.object), "readyReplicas"),
                                  integer_at(spec, "replicas"))),
          age_cell(source), json::value(names), json::value(images)};
}

json::array job_cells(const CellSource& source) {
  const auto& spec = spec_of(source.object);
  const auto& status = status_of(source.object);
  const auto [names, images] = containers_of(spec);
  std::string state = "Running";
  if (condition(source.object, "Complete") == "True") {
    state = "Complete";
  } else if (condition(source.object, "Failed") == "True") {
    state = "Failed";
  } else if (!metadata_text(source.object, "deletionTimestamp").empty()) {
    state = "Terminating";
  } else if (condition(source.object, "Suspended") == "True") {
    state = "Suspended";
  } else if (condition(source.object, "FailureTarget") == "True") {
    state = "FailureTarget";
  } else if (condition(source.object, "SuccessCriteriaMet") == "True") {
    state = "SuccessCriteriaMet";
  }
  const auto parallelism = integer_at(spec, "parallelism");
  auto completions =
      spec.contains("completions")
          ? fmt::format("{}/{}", integer_at(status, "succeeded"), integer_at(spec, "completions"))
      : parallelism > 1 ? fmt::format("{}/1 of {}", integer_at(status, "succeeded"), parallelism)
                        : fmt::format("{}/1", integer_at(status, "succeeded"));
  std::string duration;
  const auto started = parse_rfc3339(text_at(status, "startTime"));
  const auto ended = parse_rfc3339(text_at(status, "completionTime"));
  if (started) duration = human_duration((ended ? *ended : source.now) - *started);
  return {name_cell(source), json::value(state), json::value(completions), json::value(duration),
          age_cell(source),  json::value(names), json::value(images),      json::value(selector_text(spec))};
}

json::array cron_job_cells(const CellSource& source) {
  const auto& spec = spec_of(source.object);
  const auto last = text_at(status_of(source.object), "lastScheduleTime");
  const auto zone = text_at(spec, "timeZone");
  const auto [names, images] = containers_of(spec_of(child(spec, "jobTemplate")));
  return {name_cell(source),
          json::value(text_at(spec, "schedule")),
          json::value(or_none(zone)),
          json::value(flag_at(spec, "suspend") ? "True" : "False"),
          json::value(static_cast<std::int64_t>(items(status_of(source.object), "active").size())),
          json::value(last.empty() ? std::string("<none>") : age_of(last, source.now)),
          age_cell(source),
          json::value(names),
          json::value(images),
          json::value("<none>")};
}

// Core.

std::string external_addresses(const json::object& object) {
  const auto& spec = spec_of(object);
  std::vector<std::string> out;
  for (const auto& item : items(child(status_of(object), "loadBalancer"), "ingress")) {
    if (!item.is_object()) continue;
    const auto address = text_at(item.get_object(), "ip");
    out.push_back(address.empty() ? text_at(item.get_object(), "hostname") : address);
  }
  for (const auto& item : items(spec, "externalIPs")) {
    if (item.is_string()) out.emplace_back(item.get_string());
  }
  if (text_at(spec, "type") == "ExternalName") return text_at(spec, "externalName");
  if (!out.empty()) return join(out, ",");
  return text_at(spec, "type") == "LoadBalancer" ? "<pending>" : "<none>";
}

json::array service_cells(const CellSource& source) {
  const auto& spec = spec_of(source.object);
  std::vector<std::string> ports;
  for (const auto& item : items(spec, "ports")) {
    if (!item.is_object()) continue;
    const auto& port = item.get_object();
    const auto node = integer_at(port, "nodePort");
    const auto protocol = text_at(port, "protocol");
    ports.push_back(node > 0 ? fmt::format("{}:{}/{}", integer_at(port, "port"), node, protocol)
                             : fmt::format("{}/{}", integer_at(port, "port"), protocol));
  }
  return {name_cell(source),
          json::value(text_at(spec, "type")),
          json::value(or_none(text_at(spec, "clusterIP"))),
          json::value(external_addresses(source.object)),
          json::value(or_none(join(ports, ","))),
          age_cell(source),
          json::value(labels_text(child(spec, "selector")))};
}

std::int64_t count_of(const json::object& object, std::string_view key) {
  return static_cast<std::int64_t>(child(object, key).size());
}

json::array namespace_cells(const CellSource& source) {
  return {name_cell(source), json::value(text_at(status_of(source.object), "phase")), age_cell(source)};
}

json::array config_map_cells(const CellSource& source) {
  return {name_cell(source),
          json::value(count_of(source.object, "data") + count_of(source.object, "binaryData")),
          age_cell(source)};
}

json::array secret_cells(const CellSource& source) {
  return {name_cell(source), json::value(text_at(source.object, "type")),
          json::value(count_of(source.object, "data")), age_cell(source)};
}

json::array service_account_cells(const CellSource& source) {
  return {name_cell(source), json::value(static_cast<std::int64_t>(items(source.object, "secrets").size())),
          age_cell(source)};
}

std::string access_modes(const json::array& modes) {
  static const std::map<std::string, std::string, std::less<>> k_short = {{"ReadWriteOnce", "RWO"},
                                                                          {"ReadOnlyMany", "ROX"},
                                                                          {"ReadWriteMany", "RWX"},
                                                                          {"ReadWriteOncePod", "RWOP"}};
  std::vector<std::string> out;
  for (const auto& mode : modes) {
    const auto* text = mode.if_string();
    const auto found = text ? k_short.find(std::string_view(*text)) : k_short.end();
    if (found != k_short.end()) out.push_back(found->second);
  }
  return join(out, ",");
}

json::array volume_cells(const CellSource& source) {
  const auto& spec = spec_of(source.object);
  const auto& status = status_of(source.object);
  const auto& claim = child(spec, "claimRef");
  auto phase = text_at(status, "phase");
  if (!metadata_text(source.object, "deletionTimestamp").empty()) phase = "Terminating";
  return {
      name_cell(source),
      json::value(text_at(child(spec, "capacity"), "storage")),
      json::value(access_modes(items(spec, "accessModes"))),
      json::value(text_at(spec, "persistentVolumeReclaimPolicy")),
      json::value(phase),
      json::value(claim.empty() ? std::string() : text_at(claim, "namespace") + "/" + text_at(claim, "name")),
      json::value(text_at(spec, "storageClassName")),
      json::value(text_at(spec, "volumeAttributesClassName").empty()
                      ? std::string("<unset>")
                      : text_at(spec, "volumeAttributesClassName")),
      json::value(text_at(status, "reason")),
      age_cell(source),
      json::value(text_at(spec, "volumeMode"))};
}

json::array claim_cells(const CellSource& source) {
  const auto& spec = spec_of(source.object);
  const auto& status = status_of(source.object);
  auto phase = text_at(status, "phase");
  if (!metadata_text(source.object, "deletionTimestamp").empty()) phase = "Terminating";
  const auto volume = text_at(spec, "volumeName");
  return {name_cell(source),
          json::value(phase),
          json::value(volume),
          json::value(volume.empty() ? std::string() : text_at(child(status, "capacity"), "storage")),
          json::value(volume.empty() ? std::string() : access_modes(items(status, "accessModes"))),
          json::value(text_at(spec, "storageClassName")),
          json::value(text_at(spec, "volumeAttributesClassName").empty()
                          ? std::string("<unset>")
                          : text_at(spec, "volumeAttributesClassName")),
          age_cell(source),
          json::value(text_at(spec, "volumeMode"))};
}

json::array event_cells(const CellSource& source) {
  const auto& object = source.object;
  const bool core = object.contains("involvedObject");
  const auto& about = child(object, core ? "involvedObject" : "regarding");
  auto target = to_lower(text_at(about, "kind"));
  if (!text_at(about, "name").empty()) target += "/" + text_at(about, "name");
  const auto pick = [&](std::initializer_list<std::string_view> keys) {
    for (const auto key : keys) {
      if (auto text = text_at(object, key); !text.empty()) return text;
    }
    return std::string();
  };
  const auto first = pick({"firstTimestamp", "deprecatedFirstTimestamp", "eventTime"});
  const auto& series = child(object, "series");
  auto last = text_at(series, "lastObservedTime");
  if (last.empty()) last = pick({"lastTimestamp", "deprecatedLastTimestamp"});
  if (last.empty()) last = first;
  const auto& from = child(object, core ? "source" : "deprecatedSource");
  auto component = text_at(from, "component");
  if (component.empty()) component = pick({"reportingComponent", "reportingController"});
  if (const auto host = text_at(from, "host"); !host.empty()) component += ", " + host;
  auto count = integer_at(series, "count");
  if (count == 0)
    count = std::max(integer_at(object, "count"),
                     std::max<std::int64_t>(1, integer_at(object, "deprecatedCount")));
  return {json::value(age_of(last, source.now)),
          json::value(text_at(object, "type")),
          json::value(text_at(object, "reason")),
          json::value(target),
          json::value(text_at(about, "fieldPath")),
          json::value(component),
          json::value(std::string(trim(pick({"message", "note"})))),
          json::value(age_of(first, source.now)),
          json::value(count),
          name_cell(source)};
}

// Others.

json::array definition_cells(const CellSource& source) {
  // kubectl shows when a definition was made as a time.
  return {name_cell(source), json::value(metadata_text(source.object, "creationTimestamp"))};
}

json::array created_cells(const CellSource& source) { return definition_cells(source); }

json::array storage_class_cells(const CellSource& source) {
  auto name = metadata_text(source.object, "name");
  const auto& annotations = child(child(source.object, "metadata"), "annotations");
  if (text_at(annotations, "storageclass.kubernetes.io/is-default-class") == "true") name += " (default)";
  return {json::value(name),
          json::value(text_at(source.object, "provisioner")),
          json::value(text_at(source.object, "reclaimPolicy")),
          json::value(text_at(source.object, "volumeBindingMode")),
          json::value(flag_at(source.object, "allowVolumeExpansion")),
          age_cell(source)};
}

json::array binding_cells(const CellSource& source) {
  const auto& role = child(source.object, "roleRef");
  std::vector<std::string> users;
  std::vector<std::string> groups;
  std::vector<std::string> accounts;
  for (const auto& item : items(source.object, "subjects")) {
    if (!item.is_object()) continue;
    const auto& subject = item.get_object();
    const auto kind = text_at(subject, "kind");
    if (kind == "User") users.push_back(text_at(subject, "name"));
    if (kind == "Group") groups.push_back(text_at(subject, "name"));
    if (kind == "ServiceAccount")
      accounts.push_back(text_at(subject, "namespace") + "/" + text_at(subject, "name"));
  }
  return {name_cell(source),
          json::value(text_at(role, "kind") + "/" + text_at(role, "name")),
          age_cell(source),
          json::value(join(users, ", ")),
          json::value(join(groups, ", ")),
          json::value(join(accounts, ", "))};
}

json::array lease_cells(const CellSource& source) {
  return {name_cell(source), json::value(text_at(spec_of(source.object), "holderIdentity")),
          age_cell(source)};
}

json::array priority_class_cells(const CellSource& source) {
  const auto policy = text_at(source.object, "preemptionPolicy");
  return {name_cell(source), json::value(integer_at(source.object, "value")),
          json::value(flag_at(source.object, "globalDefault")), age_cell(source), json::value(policy)};
}

json::array plain_cells(const CellSource& source) { return {name_cell(source), age_cell(source)}; }

constexpr KindTable k_tables[] = {
    {"", "Pod", "Name,Ready,Status,Restarts,Age,IP*,Node*,Nominated Node*,Readiness Gates*", pod_cells},
    {"", "Node",
     "Name,Status,Roles,Age,Version,Internal-IP*,External-IP*,OS-Image*,Kernel-Version*,Container-Runtime*",
     node_cells},
    {"", "Namespace", "Name,Status,Age", namespace_cells},
    {"", "Service", "Name,Type,Cluster-IP,External-IP,Port(s),Age,Selector*", service_cells},
    {"", "ConfigMap", "Name,Data,Age", config_map_cells},
    {"", "Secret", "Name,Type,Data,Age", secret_cells},
    {"", "ServiceAccount", "Name,Secrets,Age", service_account_cells},
    {"", "PersistentVolume",
     "Name,Capacity,Access Modes,Reclaim "
     "Policy,Status,Claim,StorageClass,VolumeAttributesClass,Reason,Age,VolumeMode*",
     volume_cells},
    {"", "PersistentVolumeClaim",
     "Name,Status,Volume,Capacity,Access Modes,StorageClass,VolumeAttributesClass,Age,VolumeMode*",
     claim_cells},
    {"", "Event", "Last Seen,Type,Reason,Object,Subobject*,Source*,Message,First Seen*,Count*,Name*",
     event_cells},
    {"events.k8s.io", "Event",
     "Last Seen,Type,Reason,Object,Subobject*,Source*,Message,First Seen*,Count*,Name*", event_cells},
    {"apps", "Deployment", "Name,Ready,Up-to-date,Available,Age,Containers*,Images*,Selector*",
     deployment_cells},
    {"apps", "DaemonSet",
     "Name,Desired:integer,Current:integer,Ready:integer,Up-to-date:integer,Available:integer,Node "
     "Selector,Age,Containers*,Images*,Selector*",
     daemon_set_cells},
    {"apps", "ReplicaSet",
     "Name,Desired:integer,Current:integer,Ready:integer,Age,Containers*,Images*,Selector*",
     replica_set_cells},
    {"apps", "StatefulSet", "Name,Ready,Age,Containers*,Images*", stateful_set_cells},
    {"batch", "Job", "Name,Status,Completions,Duration,Age,Containers*,Images*,Selector*", job_cells},
    {"batch", "CronJob",
     "Name,Schedule,Timezone,Suspend,Active:integer,Last Schedule,Age,Containers*,Images*,Selector*",
     cron_job_cells},
    {"apiextensions.k8s.io", "CustomResourceDefinition", "Name,Created At:date", definition_cells},
    {"rbac.authorization.k8s.io", "Role", "Name,Created At:date", created_cells},
    {"rbac.authorization.k8s.io", "ClusterRole", "Name,Created At:date", created_cells},
    {"rbac.authorization.k8s.io", "RoleBinding", "Name,Role,Age,Users*,Groups*,ServiceAccounts*",
     binding_cells},
    {"rbac.authorization.k8s.io", "ClusterRoleBinding", "Name,Role,Age,Users*,Groups*,ServiceAccounts*",
     binding_cells},
    {"storage.k8s.io", "StorageClass",
     "Name,Provisioner,ReclaimPolicy,VolumeBindingMode,AllowVolumeExpansion:boolean,Age",
     storage_class_cells},
    {"coordination.k8s.io", "Lease", "Name,Holder,Age", lease_cells},
    {"scheduling.k8s.io", "PriorityClass", "Name,Value:integer,Global-Default:boolean,Age,PreemptionPolicy",
     priority_class_cells},
    {"networking.k8s.io", "NetworkPolicy", "Name,Age", plain_cells},
    {"storage.k8s.io", "CSINode", "Name,Age", plain_cells}};

}  // namespace

const KindTable* kind_table(std::string_view group, std::string_view kind) {
  const auto found = std::ranges::find_if(
      k_tables, [&](const KindTable& row) { return row.group == group && row.kind == kind; });
  return found == std::end(k_tables) ? nullptr : found;
}

std::string age_of(std::string_view time, WallTime now) {
  const auto parsed = parse_rfc3339(time);
  return parsed ? human_duration(now - *parsed) : "<unknown>";
}

std::string age_text(const json::object& object, WallTime now) {
  return age_of(metadata_text(object, "creationTimestamp"), now);
}

}  // namespace instantstart::sandbox::kubernetes
