#include "sandbox/kubernetes/api/definitions.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/api/object_writer.h"

namespace instantstart::sandbox::kubernetes {
namespace {

/// The name that another definition of the group has taken already; empty when all are free.
std::string taken_name(const ObjectStore& store, std::string_view cluster, const json::object& definition) {
  const json::object& spec = member_object(definition, "spec");
  const json::object& names = member_object(spec, "names");
  for (const auto* other : store.list(cluster, "apiextensions.k8s.io", "customresourcedefinitions", "")) {
    const json::object& other_spec = member_object(other->body, "spec");
    const bool rival = name_of(other->body) != name_of(definition) &&
                       member_text(other_spec, "group") == member_text(spec, "group");
    if (!rival) continue;
    const json::object& accepted = member_object(member_object(other->body, "status"), "acceptedNames");
    for (const auto member : {"plural", "singular", "kind", "listKind"}) {
      const auto name = member_text(names, member);
      if (!name.empty() && name == member_text(accepted, member)) return std::string(name);
    }
  }
  return {};
}

json::object condition(const json::object& definition, std::string_view type, bool holds,
                       std::string_view reason, std::string_view message, WallTime now) {
  const std::string_view status = holds ? "True" : "False";
  std::string since = api_time(now);
  if (const json::object* earlier = find_condition(definition, type);
      earlier && member_text(*earlier, "status") == status) {
    since = member_text(*earlier, "lastTransitionTime");
  }
  return {{"type", type},
          {"status", status},
          {"lastTransitionTime", std::move(since)},
          {"reason", reason},
          {"message", message}};
}

json::array stored_versions(const json::object& definition) {
  json::array versions = member_array(member_object(definition, "status"), "storedVersions");
  for (const auto& value : member_array(member_object(definition, "spec"), "versions")) {
    const auto* version = value.if_object();
    const auto* storage = version ? version->if_contains("storage") : nullptr;
    if (!storage || *storage != json::value(true)) continue;
    json::value name(member_text(*version, "name"));
    if (std::ranges::find(versions, name) == versions.end()) versions.push_back(std::move(name));
  }
  return versions;
}

json::object accepted_names(const json::object& definition) {
  json::object names = member_object(member_object(definition, "spec"), "names");
  const std::string kind(member_text(names, "kind"));
  if (member_text(names, "listKind").empty()) names["listKind"] = kind + "List";
  if (member_text(names, "singular").empty()) {
    std::string singular = kind;
    std::ranges::transform(singular, singular.begin(), [](unsigned char c) {
      return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    });
    names["singular"] = std::move(singular);
  }
  return names;
}

}  // namespace

json::object with_definition_status(const ObjectStore& store, std::string_view cluster,
                                    json::object definition, WallTime now) {
  const std::string taken = taken_name(store, cluster, definition);
  const bool accepted = taken.empty();
  json::array conditions;
  conditions.emplace_back(
      condition(definition, "NamesAccepted", accepted, accepted ? "NoConflicts" : "NameConflict",
                accepted ? "no conflicts found" : fmt::format("\"{}\" is already in use", taken), now));
  conditions.emplace_back(
      condition(definition, "Established", accepted, accepted ? "InitialNamesAccepted" : "NotAccepted",
                accepted ? "the initial names have been accepted" : "not all names are accepted", now));
  if (is_deleting(definition)) {
    conditions.emplace_back(condition(definition, "Terminating", true, "InstanceDeletionInProgress",
                                      "CustomResource deletion is in progress", now));
  } else if (!has_finalizer(definition, k_definition_finalizer)) {
    auto finalizers = finalizers_of(definition);
    finalizers.emplace_back(k_definition_finalizer);
    set_finalizers(definition, finalizers);
  }
  json::object names = accepted ? accepted_names(definition) : json::object{{"plural", ""}, {"kind", ""}};
  definition["status"] = json::object{{"conditions", std::move(conditions)},
                                      {"acceptedNames", std::move(names)},
                                      {"storedVersions", stored_versions(definition)}};
  return definition;
}

}  // namespace instantstart::sandbox::kubernetes
