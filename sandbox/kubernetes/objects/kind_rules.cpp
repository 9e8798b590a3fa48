#include "sandbox/kubernetes/objects/kind_rules.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "sandbox/kubernetes/objects/json_access.h"
#include "sandbox/kubernetes/objects/quantity.h"
#include "sandbox/kubernetes/objects/selectors.h"
#include "sandbox/kubernetes/objects/validate.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::string_view k_immutable = "field is immutable";

/// A field that never changes: group, kind, path below the object.
struct Immutable {
  std::string_view group, kind, path;
};

constexpr Immutable k_immutable_fields[] = {
    {"apps", "Deployment", "spec.selector"},
    {"apps", "DaemonSet", "spec.selector"},
    {"apps", "ReplicaSet", "spec.selector"},
    {"batch", "Job", "spec.selector"},
    {"batch", "Job", "spec.completionMode"},
    {"batch", "Job", "spec.podFailurePolicy"},
    {"batch", "Job", "spec.backoffLimitPerIndex"},
    {"storage.k8s.io", "StorageClass", "parameters"},
    {"storage.k8s.io", "StorageClass", "provisioner"},
    {"storage.k8s.io", "StorageClass", "volumeBindingMode"},
    {"storage.k8s.io", "CSIDriver", "spec.attachRequired"},
    {"rbac.authorization.k8s.io", "RoleBinding", "roleRef"},
    {"rbac.authorization.k8s.io", "ClusterRoleBinding", "roleRef"},
    {"", "Secret", "type"},
    {"", "PersistentVolume", "spec.volumeMode"},
    {"scheduling.k8s.io", "PriorityClass", "value"},
    {"scheduling.k8s.io", "PriorityClass", "preemptionPolicy"},
    {"apiextensions.k8s.io", "CustomResourceDefinition", "spec.scope"},
    {"apiextensions.k8s.io", "CustomResourceDefinition", "spec.group"},
    {"apiextensions.k8s.io", "CustomResourceDefinition", "spec.names.kind"},
    {"apiextensions.k8s.io", "CustomResourceDefinition", "spec.names.plural"},
    {"node.k8s.io", "RuntimeClass", "handler"},
    {"discovery.k8s.io", "EndpointSlice", "addressType"}};

const json::value* value_at(const json::object& object, std::string_view path) {
  const json::object* place = &object;
  while (true) {
    const auto dot = path.find('.');
    if (dot == std::string_view::npos) return at(*place, path);
    place = object_at(*place, path.substr(0, dot));
    if (!place) return nullptr;
    path.remove_prefix(dot + 1);
  }
}

json::value value_or_null(const json::value* value) { return value ? *value : json::value(); }

bool equal(const json::value* left, const json::value* right) {
  const bool no_left = !left || is_zero(*left);
  const bool no_right = !right || is_zero(*right);
  if (no_left || no_right) return no_left == no_right;
  return *left == *right;
}

void check_not_negative(const json::object& object, std::string_view path, StatusCauses& causes) {
  const auto* value = value_at(object, path);
  if (value && value->is_int64() && value->get_int64() < 0) {
    causes.push_back(field_invalid(std::string(path), *value, "must be greater than or equal to 0"));
  }
}

void check_selector(const ObjectSchema& schema, const json::object& object, StatusCauses& causes) {
  const auto* value = value_at(object, "spec.selector");
  auto selector = LabelSelector::nothing();
  if (!value || value->is_null()) {
    causes.push_back(field_required("spec.selector"));
  } else if (auto parsed = LabelSelector::from_object(*value); !parsed) {
    causes.push_back(field_invalid("spec.selector", *value, parsed.error().message));
  } else if (parsed->selects_everything()) {
    causes.push_back(
        field_invalid("spec.selector", *value, "empty selector is invalid for " + to_lower(schema.kind)));
    return;
  } else {
    selector = std::move(*parsed);
  }
  static const json::object none;
  const auto* labels = value_at(object, "spec.template.metadata.labels");
  const auto* found = labels ? labels->if_object() : nullptr;
  if (selector.matches(found ? *found : none)) return;
  causes.push_back(field_invalid("spec.template.metadata.labels", found ? json::value(*found) : json::value(),
                                 "`selector` does not match template `labels`"));
}

void check_template(const json::object& object, std::string_view path,
                    const std::vector<std::string>& policies, StatusCauses& causes) {
  const auto* spec = value_at(object, std::string(path) + ".spec");
  static const json::object none;
  const auto* found = spec ? spec->if_object() : nullptr;
  check_pod_spec(found ? *found : none, std::string(path) + ".spec", policies, causes);
}

void check_workload(const ObjectSchema& schema, const json::object& object, StatusCauses& causes) {
  for (const auto path : {"spec.replicas", "spec.minReadySeconds", "spec.revisionHistoryLimit"})
    check_not_negative(object, path, causes);
  check_selector(schema, object, causes);
  check_template(object, "spec.template", {"Always"}, causes);
  if (schema.kind != "Deployment") return;
  const auto* type = value_at(object, "spec.strategy.type");
  const auto* rolling = value_at(object, "spec.strategy.rollingUpdate");
  if (type && *type == json::value("Recreate") && rolling && !rolling->is_null()) {
    causes.push_back(field_forbidden("spec.strategy.rollingUpdate",
                                     "may not be specified when strategy `type` is 'Recreate'"));
  }
}

void check_job(const json::object& object, StatusCauses& causes) {
  for (const auto path : {"spec.parallelism", "spec.completions", "spec.activeDeadlineSeconds",
                          "spec.backoffLimit", "spec.ttlSecondsAfterFinished"}) {
    check_not_negative(object, path, causes);
  }
  check_template(object, "spec.template", {"OnFailure", "Never"}, causes);
  const auto* mode = value_at(object, "spec.completionMode");
  if (mode && *mode == json::value("Indexed") && !value_at(object, "spec.completions")) {
    causes.push_back(field_required("spec.completions", "when completion mode is Indexed"));
  }
}

void check_service(const json::object& object, StatusCauses& causes) {
  const auto* spec = object_at(object, "spec");
  if (!spec) return;
  const auto type = text_at(*spec, "type");
  const std::vector<std::string> types = {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"};
  if (std::ranges::find(types, type) == types.end())
    causes.push_back(field_not_supported("spec.type", json::value(type), types));
  const auto* ports = array_at(*spec, "ports");
  const bool headless = text_at(*spec, "clusterIP") == "None";
  if ((!ports || ports->empty()) && type != "ExternalName" && !headless)
    causes.push_back(field_required("spec.ports"));
  if (type == "ExternalName" && text_at(*spec, "externalName").empty())
    causes.push_back(field_required("spec.externalName"));
  std::set<std::string> names;
  for (std::size_t i = 0; ports && i < ports->size(); ++i) {
    const auto* port = (*ports)[i].if_object();
    if (!port) continue;
    const auto field = fmt::format("spec.ports[{}]", i);
    const auto name = text_at(*port, "name");
    if (name.empty() && ports->size() > 1) causes.push_back(field_required(field + ".name"));
    if (auto why = name.empty() ? std::string() : check_dns1123_label(name); !why.empty()) {
      causes.push_back(field_invalid(field + ".name", json::value(name), why));
    }
    if (!name.empty() && !names.insert(name).second)
      causes.push_back(field_duplicate(field + ".name", json::value(name)));
    const auto number = integer_at(*port, "port");
    if (number < 1 || number > 65535) {
      causes.push_back(
          field_invalid(field + ".port", json::value(number), "must be between 1 and 65535, inclusive"));
    }
  }
}

void check_claim_spec(const json::object& object, const std::string& field, StatusCauses& causes) {
  const auto* modes = array_at(object, "accessModes");
  if (!modes || modes->empty())
    causes.push_back(field_required(field + ".accessModes", "at least 1 access mode is required"));
  const auto* resources = object_at(object, "resources");
  const auto* requests = resources ? object_at(*resources, "requests") : nullptr;
  const auto* storage = requests ? at(*requests, "storage") : nullptr;
  if (!storage) {
    causes.push_back(field_required(field + ".resources[storage]"));
    return;
  }
  const auto amount =
      Quantity::parse(storage->is_string() ? std::string(storage->get_string()) : to_text(*storage));
  if (!amount || *amount <= Quantity()) {
    causes.push_back(field_invalid(field + ".resources[storage]", *storage, "must be greater than zero"));
  }
}

void check_volume(const json::object& object, StatusCauses& causes) {
  const auto* spec = object_at(object, "spec");
  if (!spec) return;
  const auto* modes = array_at(*spec, "accessModes");
  if (!modes || modes->empty()) causes.push_back(field_required("spec.accessModes"));
  const auto* capacity = object_at(*spec, "capacity");
  if (!capacity || capacity->empty()) causes.push_back(field_required("spec.capacity"));
  static const std::set<std::string, std::less<>> no_source = {
      "accessModes",      "capacity",
      "claimRef",         "mountOptions",
      "nodeAffinity",     "persistentVolumeReclaimPolicy",
      "storageClassName", "volumeAttributesClassName",
      "volumeMode"};
  const auto sources =
      std::ranges::count_if(*spec, [&](const auto& item) { return !no_source.contains(item.key()); });
  if (sources == 0) causes.push_back(field_required("spec", "must specify a volume type"));
  if (sources > 1) causes.push_back(field_forbidden("spec", "may not specify more than 1 volume type"));
}

void check_role_binding(const json::object& object, StatusCauses& causes) {
  const auto* role = object_at(object, "roleRef");
  const auto name = role ? text_at(*role, "name") : std::string();
  const auto kind = role ? text_at(*role, "kind") : std::string();
  if (kind != "Role" && kind != "ClusterRole") {
    causes.push_back(field_not_supported("roleRef.kind", json::value(kind), {"ClusterRole", "Role"}));
  }
  if (name.empty()) causes.push_back(field_required("roleRef.name"));
  const auto* subjects = array_at(object, "subjects");
  for (std::size_t i = 0; subjects && i < subjects->size(); ++i) {
    const auto* subject = (*subjects)[i].if_object();
    if (!subject) continue;
    const auto field = fmt::format("subjects[{}]", i);
    const auto subject_kind = text_at(*subject, "kind");
    if (text_at(*subject, "name").empty()) causes.push_back(field_required(field + ".name"));
    if (subject_kind == "ServiceAccount" && text_at(*subject, "namespace").empty()) {
      causes.push_back(field_required(field + ".namespace"));
    }
    if (subject_kind != "ServiceAccount" && subject_kind != "User" && subject_kind != "Group") {
      causes.push_back(field_not_supported(field + ".kind", json::value(subject_kind),
                                           {"Group", "ServiceAccount", "User"}));
    }
  }
}

void check_role(const json::object& object, bool cluster, StatusCauses& causes) {
  const auto* rules = array_at(object, "rules");
  for (std::size_t i = 0; rules && i < rules->size(); ++i) {
    const auto* rule = (*rules)[i].if_object();
    if (!rule) continue;
    const auto field = fmt::format("rules[{}]", i);
    const auto has = [&](std::string_view key) {
      const auto* list = array_at(*rule, key);
      return list && !list->empty();
    };
    if (!has("verbs"))
      causes.push_back(field_required(field + ".verbs", "verbs must contain at least one value"));
    if (has("nonResourceURLs")) {
      if (!cluster)
        causes.push_back(field_invalid(field + ".nonResourceURLs",
                                       value_or_null(at(*rule, "nonResourceURLs")),
                                       "namespaced rules cannot apply to non-resource URLs"));
      continue;
    }
    if (!has("apiGroups"))
      causes.push_back(
          field_required(field + ".apiGroups", "resource rules must supply at least one api group"));
    if (!has("resources"))
      causes.push_back(
          field_required(field + ".resources", "resource rules must supply at least one resource"));
  }
}

void check_definition(const json::object& object, StatusCauses& causes) {
  const auto* spec = object_at(object, "spec");
  const auto* names = spec ? object_at(*spec, "names") : nullptr;
  const auto group = spec ? text_at(*spec, "group") : std::string();
  const auto plural = names ? text_at(*names, "plural") : std::string();
  if (group.empty()) causes.push_back(field_required("spec.group"));
  if (plural.empty()) causes.push_back(field_required("spec.names.plural"));
  if (!names || text_at(*names, "kind").empty()) causes.push_back(field_required("spec.names.kind"));
  const auto name = metadata_text(object, "name");
  if (!group.empty() && !plural.empty() && name != plural + "." + group) {
    causes.push_back(
        field_invalid("metadata.name", json::value(name), "must be spec.names.plural+\".\"+spec.group"));
  }
  const auto scope = spec ? text_at(*spec, "scope") : std::string();
  if (scope != "Cluster" && scope != "Namespaced") {
    causes.push_back(field_not_supported("spec.scope", json::value(scope), {"Cluster", "Namespaced"}));
  }
  const auto* versions = spec ? array_at(*spec, "versions") : nullptr;
  std::set<std::string> seen;
  int stored = 0;
  for (std::size_t i = 0; versions && i < versions->size(); ++i) {
    const auto* version = (*versions)[i].if_object();
    if (!version) continue;
    if (flag_at(*version, "storage")) ++stored;
    if (!seen.insert(text_at(*version, "name")).second) {
      causes.push_back(field_invalid("spec.versions", json::value(text_at(*version, "name")),
                                     "must contain unique version names"));
    }
    if (!object_at(*version, "schema")) {
      causes.push_back(
          field_required(fmt::format("spec.versions[{}].schema.openAPIV3Schema", i), "schemas are required"));
    }
  }
  if (stored != 1) {
    causes.push_back(field_invalid("spec.versions", value_or_null(spec ? at(*spec, "versions") : nullptr),
                                   "must have exactly one version marked as storage version"));
  }
}

void check_data_keys(const json::object& object, std::initializer_list<std::string_view> fields,
                     StatusCauses& causes) {
  constexpr std::size_t k_max_data = 1024 * 1024;  // MaxSecretSize.
  std::size_t size = 0;
  for (const auto field : fields) {
    const auto* data = object_at(object, field);
    if (!data) continue;
    for (const auto& [key, value] : *data) {
      const bool good = !key.empty() && key.size() <= 253 && std::ranges::all_of(key, [](unsigned char c) {
        return std::isalnum(c) || c == '-' || c == '_' || c == '.';
      });
      if (!good) {
        causes.push_back(
            field_invalid(fmt::format("{}[{}]", field, std::string_view(key)), json::value(key),
                          "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. "
                          "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is "
                          "'[-._a-zA-Z0-9]+')"));
      }
      size += value.is_string() ? value.get_string().size() : 0;
    }
  }
  if (size > k_max_data) causes.push_back(field_too_long("", static_cast<std::int64_t>(k_max_data)));
}

void check_data_immutable(const json::object& before, const json::object& after, StatusCauses& causes) {
  if (!flag_at(before, "immutable")) return;
  if (!flag_at(after, "immutable"))
    causes.push_back(field_forbidden("immutable", "field is immutable when `immutable` is set"));
  for (const auto field : {"data", "binaryData"}) {
    if (!equal(at(before, field), at(after, field)))
      causes.push_back(field_forbidden(field, "field is immutable when `immutable` is set"));
  }
}

void check_claim_update(const json::object& before, const json::object& after, StatusCauses& causes) {
  const auto comparable = [](const json::object& object) {
    json::object spec;
    if (const auto* found = object_at(object, "spec")) spec = *found;
    if (auto* resources = object_at(spec, "resources")) resources->erase("requests");
    spec.erase("volumeAttributesClassName");
    return spec;
  };
  auto old = comparable(before);
  const auto fresh = comparable(after);
  // A claim is bound once.
  if (!old.contains("volumeName") && fresh.contains("volumeName")) old["volumeName"] = fresh.at("volumeName");
  if (old != fresh) {
    causes.push_back(field_forbidden("spec",
                                     "spec is immutable after creation except resources.requests and "
                                     "volumeAttributesClassName for bound claims"));
  }
  const auto* was = value_at(before, "spec.resources.requests.storage");
  const auto* is = value_at(after, "spec.resources.requests.storage");
  if (!was || !is || !was->is_string() || !is->is_string()) return;
  const auto before_amount = Quantity::parse(std::string_view(was->get_string()));
  const auto after_amount = Quantity::parse(std::string_view(is->get_string()));
  if (before_amount && after_amount && *after_amount < *before_amount) {
    causes.push_back(
        field_forbidden("spec.resources.requests.storage", "field can not be less than status.capacity"));
  }
}

void check_job_update(const json::object& before, const json::object& after, StatusCauses& causes) {
  const auto* was = value_at(before, "spec.completions");
  const auto* is = value_at(after, "spec.completions");
  if (!equal(was, is)) causes.push_back(field_invalid("spec.completions", value_or_null(is), k_immutable));
  const auto* suspended = value_at(before, "spec.suspend");
  const bool was_suspended =
      suspended && suspended->is_bool() && suspended->get_bool() && !value_at(before, "status.startTime");
  const auto* fresh = value_at(after, "spec.template");
  if (!was_suspended && !equal(value_at(before, "spec.template"), fresh)) {
    causes.push_back(field_invalid("spec.template", value_or_null(fresh), k_immutable));
  }
}

void check_service_update(const json::object& before, const json::object& after, StatusCauses& causes) {
  const auto* was = value_at(before, "spec.clusterIP");
  const auto* is = value_at(after, "spec.clusterIP");
  const auto* type = value_at(after, "spec.type");
  const auto* old_type = value_at(before, "spec.type");
  const json::value outside("ExternalName");
  if ((type && *type == outside) || (old_type && *old_type == outside) || !was || is_zero(*was)) return;
  if (!equal(was, is))
    causes.push_back(field_invalid("spec.clusterIPs[0]", value_or_null(is), "may not change once set"));
}

}  // namespace

StatusCauses check_kind(const ObjectSchema& schema, const json::object& object) {
  StatusCauses causes;
  const auto is = [&](std::string_view group, std::string_view kind) {
    return schema.group == group && schema.kind == kind;
  };
  static const json::object none;
  const auto* found = object_at(object, "spec");
  const auto& spec = found ? *found : none;
  if (is("", "Pod")) check_pod_spec(spec, "spec", {"Always", "OnFailure", "Never"}, causes);
  if (is("apps", "Deployment") || is("apps", "DaemonSet") || is("apps", "ReplicaSet") ||
      is("apps", "StatefulSet")) {
    check_workload(schema, object, causes);
  }
  if (is("batch", "Job")) check_job(object, causes);
  if (is("batch", "CronJob")) {
    if (text_at(spec, "schedule").empty()) causes.push_back(field_required("spec.schedule"));
    check_template(object, "spec.jobTemplate.spec.template", {"OnFailure", "Never"}, causes);
  }
  if (is("", "Service")) check_service(object, causes);
  if (is("", "PersistentVolumeClaim")) check_claim_spec(spec, "spec", causes);
  if (is("", "PersistentVolume")) check_volume(object, causes);
  if (is("", "Secret")) check_data_keys(object, {"data"}, causes);
  if (is("", "ConfigMap")) check_data_keys(object, {"data", "binaryData"}, causes);
  if (is("storage.k8s.io", "StorageClass") && text_at(object, "provisioner").empty()) {
    causes.push_back(field_required("provisioner"));
  }
  if (schema.group == "rbac.authorization.k8s.io" && schema.kind.ends_with("Binding"))
    check_role_binding(object, causes);
  if (is("rbac.authorization.k8s.io", "Role")) check_role(object, false, causes);
  if (is("rbac.authorization.k8s.io", "ClusterRole")) check_role(object, true, causes);
  if (is("apiextensions.k8s.io", "CustomResourceDefinition")) check_definition(object, causes);
  return causes;
}

StatusCauses check_kind_update(const ObjectSchema& schema, const json::object& before,
                               const json::object& after) {
  StatusCauses causes;
  for (const auto& row : k_immutable_fields) {
    if (row.group != schema.group || row.kind != schema.kind) continue;
    const auto* is = value_at(after, row.path);
    if (equal(value_at(before, row.path), is)) continue;
    causes.push_back(field_invalid(std::string(row.path), value_or_null(is), k_immutable));
  }
  const auto is = [&](std::string_view group, std::string_view kind) {
    return schema.group == group && schema.kind == kind;
  };
  if (is("", "Pod")) check_pod_update(before, after, causes);
  if (is("", "PersistentVolumeClaim")) check_claim_update(before, after, causes);
  if (is("", "Secret") || is("", "ConfigMap")) check_data_immutable(before, after, causes);
  if (is("", "Service")) check_service_update(before, after, causes);
  if (is("batch", "Job")) check_job_update(before, after, causes);
  if (is("apps", "StatefulSet")) {
    static constexpr std::string_view k_may_change[] = {"replicas",
                                                        "ordinals",
                                                        "template",
                                                        "updateStrategy",
                                                        "revisionHistoryLimit",
                                                        "persistentVolumeClaimRetentionPolicy",
                                                        "minReadySeconds"};
    const auto fixed = [](const json::object& object) {
      json::object spec;
      if (const auto* found = object_at(object, "spec")) spec = *found;
      for (const auto key : k_may_change) spec.erase(key);
      return spec;
    };
    if (fixed(before) != fixed(after)) {
      causes.push_back(field_forbidden(
          "spec",
          "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', "
          "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' "
          "and 'minReadySeconds' are forbidden"));
    }
  }
  return causes;
}

}  // namespace instantstart::sandbox::kubernetes
