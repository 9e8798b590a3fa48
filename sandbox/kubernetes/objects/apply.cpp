#include "sandbox/kubernetes/objects/apply.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "sandbox/kubernetes/objects/field_set.h"
#include "sandbox/kubernetes/objects/json_access.h"
#include "sandbox/kubernetes/objects/managed_fields.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::size_t k_max_manager = 128;

/// What nobody owns: apimachinery's stripMeta.
const FieldSet& server_fields() {
  static const FieldSet set = [] {
    FieldSet fields;
    fields.members = {"f:apiVersion", "f:kind", "f:metadata"};
    fields.children["f:metadata"].members = {"f:name",       "f:namespace",     "f:creationTimestamp",
                                             "f:selfLink",   "f:uid",           "f:clusterName",
                                             "f:generation", "f:managedFields", "f:resourceVersion"};
    return fields;
  }();
  return set;
}

/// What a write through this (sub)resource never changes: the strategies' reset fields.
FieldSet reset_fields(const ObjectSchema& schema, const FieldWriter& writer) {
  FieldSet fields;
  if (writer.subresource.empty()) {
    if (schema.has_status) fields.members.insert("f:status");
  } else if (writer.subresource == "status") {
    fields.members.insert("f:spec");
    if (schema.custom) {
      fields.members.insert("f:metadata");
    } else {
      fields.children["f:metadata"].members = {"f:labels", "f:ownerReferences", "f:deletionTimestamp"};
    }
  }
  return fields;
}

/// Struct fields of a new built-in object are there before anyone sets them (they are no pointers in Go), so
/// nobody owns them as such.
void drop_inherent_structs(FieldSet& set, const ObjectSchema& schema) {
  if (schema.custom) return;
  static constexpr std::string_view k_inherent[] = {"f:metadata",   "f:spec",       "f:status",
                                                    "f:template",   "f:strategy",   "f:updateStrategy",
                                                    "f:containers", "f:jobTemplate"};
  for (auto& [element, child] : set.children) {
    if (std::ranges::find(k_inherent, element) != std::end(k_inherent)) set.members.erase(element);
    if (element.starts_with("f:")) drop_inherent_structs(child, schema);
  }
}

struct OwnedConflict {
  const FieldOwner* owner;
  FieldPath path;
};

std::string owner_text(const FieldOwner& owner) {
  auto text = to_text(json::value(owner.manager));
  if (!owner.subresource.empty()) text += fmt::format(" with subresource \"{}\"", owner.subresource);
  if (!owner.applied) text += " using " + owner.api_version;
  return text;
}

Status conflict_status(const std::vector<OwnedConflict>& conflicts) {
  Status status;
  status.code = 409;
  status.reason = "Conflict";
  std::map<std::string, std::vector<std::string>> by_owner;
  for (const auto& conflict : conflicts) {
    const auto owner = owner_text(*conflict.owner);
    const auto field = path_text(conflict.path);
    status.causes.push_back({"FieldManagerConflict", "conflict with " + owner, field});
    by_owner[owner].push_back(field);
  }
  if (conflicts.size() == 1) {
    status.message =
        fmt::format("Apply failed with 1 conflict: {}: {}", status.causes[0].message, status.causes[0].field);
    return status;
  }
  std::vector<std::string> messages;
  for (const auto& [owner, fields] : by_owner) {
    messages.push_back(fmt::format("conflicts with {}:", owner));
    for (const auto& field : fields) messages.back() += "\n- " + field;
  }
  status.message = fmt::format("Apply failed with {} conflicts: {}", conflicts.size(), join(messages, "\n"));
  return status;
}

/// Takes changed and removed fields from everyone but `self`. Conflicts are what others lose by a change.
std::vector<OwnedConflict> conflicts_with_others(const FieldOwners& owners, const FieldOwner& self,
                                                 const FieldChanges& changes) {
  std::vector<OwnedConflict> conflicts;
  const auto changed = changes.modified.united(changes.added);
  for (const auto& owner : owners) {
    if (owner.same_manager(self)) continue;
    for (auto& path : owner.fields.common(changed).paths()) conflicts.push_back({&owner, std::move(path)});
  }
  return conflicts;
}

void take_from_others(FieldOwners& owners, const FieldOwner* self, const FieldChanges& changes) {
  const auto lost = changes.modified.united(changes.added).united(changes.removed);
  for (auto& owner : owners) {
    if (self && owner.same_manager(*self)) {
      owner.fields = owner.fields.without(changes.removed);
    } else {
      owner.fields = owner.fields.without(lost);
    }
  }
  std::erase_if(owners, [](const FieldOwner& owner) { return owner.fields.empty(); });
}

FieldChanges compare_objects(const ObjectSchema& schema, const json::object& before,
                             const json::object& after, const FieldSet& ignored) {
  auto changes = compare_fields(*schema.root, json::value(before), json::value(after));
  changes.added = changes.added.without_below(ignored);
  changes.modified = changes.modified.without_below(ignored);
  changes.removed = changes.removed.without_below(ignored);
  return changes;
}

/// The entry that `writer` has or gets.
FieldOwner owner_of(const ObjectSchema& schema, const FieldWriter& writer, bool applied) {
  FieldOwner owner;
  owner.manager = writer.manager;
  owner.applied = applied;
  owner.api_version = schema.api_version();
  owner.subresource = writer.subresource;
  owner.time = to_seconds(writer.now);
  return owner;
}

/// managedFields that count for an update: what the client sent, when that is usable, else what is stored.
FieldOwners owners_for_update(const json::object& before, const json::object& after,
                              const FieldWriter& writer) {
  auto stored = read_owners(before).value_or(FieldOwners());
  if (!writer.subresource.empty()) return stored;
  const auto* metadata = object_at(after, "metadata");
  const auto* sent = metadata ? array_at(*metadata, "managedFields") : nullptr;
  if (!sent) return stored;
  const bool reset =
      sent->empty() || (sent->size() == 1 && sent->front().is_object() && is_zero(sent->front()));
  if (reset) return {};
  auto owners = read_owners(after);
  return owners && !owners->empty() ? std::move(*owners) : stored;
}

json::object empty_object(const ObjectSchema& schema) {
  return {{"apiVersion", schema.api_version()}, {"kind", schema.kind}};
}

/// The items that the manager applied before and no longer does go, unless somebody owns them.
json::value prune_applied(const ObjectSchema& schema, const json::value& merged, const FieldSet& last,
                          const FieldOwners& owners) {
  const Schema& root = *schema.root;
  if (last.empty()) return merged;
  const auto last_named = last.with_named_fields(&root);
  auto pruned = remove_fields(root, merged, last_named);
  FieldSet managed;
  for (const auto& owner : owners) managed = managed.united(owner.fields);
  const auto merged_set = field_set_of(root, merged).with_named_fields(&root);
  const auto set_of_pruned = [&] {
    return (pruned.is_null() ? FieldSet() : field_set_of(root, pruned)).with_named_fields(&root);
  };
  // What went with a removed parent but belongs to somebody comes back, and so does what the manager never
  // applied.
  pruned = remove_fields(root, merged,
                         merged_set.without(set_of_pruned().united(managed.with_named_fields(&root))));
  return remove_fields(root, merged, merged_set.without(set_of_pruned()).common(last_named));
}

/// What keeps a configuration from being typed: fields that the schema lacks, items twice. "" when nothing
/// does.
std::string untypable(const Schema& schema, const json::value& value, FieldPath& path) {
  if (const auto* object = value.if_object()) {
    if (schema.kind != FieldKind::object && schema.kind != FieldKind::map) return {};
    for (const auto& [key, item] : *object) {
      path.push_back("f:" + std::string(key));
      const auto* below = schema.property(key);
      if (!below && !schema.preserve_unknown) return path_text(path) + ": field not declared in schema";
      if (below) {
        if (auto problem = untypable(*below, item, path); !problem.empty()) return problem;
      }
      path.pop_back();
    }
  }
  const auto* array = value.if_array();
  if (!array || schema.kind != FieldKind::list || !schema.element) return {};
  std::set<std::string> seen;
  for (std::size_t i = 0; i < array->size(); ++i) {
    auto element = "i:" + std::to_string(i);
    if (schema.list_type != ListType::atomic) {
      element = list_element(schema, (*array)[i]);
      if (element.empty()) {
        return fmt::format(
            "{}: element {}: associative list with keys has an element that omits all key fields",
            path_text(path), i);
      }
      if (!seen.insert(element).second) {
        return fmt::format("{}: duplicate entries for key {}", path_text(path),
                           path_text(FieldPath{element}));
      }
    }
    path.push_back(element);
    if (auto problem = untypable(*schema.element, (*array)[i], path); !problem.empty()) return problem;
    path.pop_back();
  }
  return {};
}

Outcome<> check_configuration(const ObjectSchema& schema, const json::object& configuration) {
  if (text_at(configuration, "apiVersion") != schema.api_version()) {
    return refuse(bad_request(
        fmt::format("Incorrect version specified in apply patch. Specified patch version: {}, expected: {}",
                    text_at(configuration, "apiVersion"), schema.api_version())));
  }
  if (text_at(configuration, "kind") != schema.kind) {
    return refuse(bad_request(fmt::format("the kind in the data ({}) does not match the expected kind ({})",
                                          text_at(configuration, "kind"), schema.kind)));
  }
  const auto* metadata = object_at(configuration, "metadata");
  if (metadata && metadata->contains("managedFields") && !metadata->at("managedFields").is_null()) {
    return refuse(bad_request("metadata.managedFields must be nil"));
  }
  FieldPath path;
  const auto problem = untypable(*schema.root, json::value(configuration), path);
  if (problem.empty()) return {};
  Status status;
  status.code = 500;
  status.message =
      fmt::format("failed to create typed patch object ({}/{}; {}, Kind={}): {}",
                  metadata_text(configuration, "namespace"), metadata_text(configuration, "name"),
                  schema.api_version(), schema.kind, problem);
  return refuse(std::move(status));
}

json::object without_bookkeeping(json::object object) {
  if (auto* metadata = object_at(object, "metadata")) {
    metadata->erase("resourceVersion");
    metadata->erase("generation");
    if (auto* entries = array_at(*metadata, "managedFields")) {
      for (auto& entry : *entries) {
        if (auto* fields = entry.if_object()) fields->erase("time");
      }
    }
  }
  return object;
}

}  // namespace

Outcome<> check_field_manager(const std::string& manager, bool apply) {
  if (manager.empty()) {
    if (!apply) return {};
    return refuse(invalid("meta.k8s.io", "PatchOptions", "",
                          {field_required("fieldManager", "is required for apply patch")}));
  }
  StatusCauses causes;
  if (code_points(manager) > k_max_manager) causes.push_back(field_too_long("fieldManager", k_max_manager));
  const bool printable = std::ranges::none_of(manager, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  if (!printable)
    causes.push_back(
        field_invalid("fieldManager", json::value(manager), "should only contain printable characters"));
  if (causes.empty()) return {};
  return refuse(invalid("meta.k8s.io", apply ? "PatchOptions" : "UpdateOptions", "", std::move(causes)));
}

json::object track_update(const ObjectSchema& schema, const json::object& before, json::object after,
                          const FieldWriter& writer) {
  auto owners = owners_for_update(before, after, writer);
  const bool created = before.empty();
  // An object that nobody tracks stays so (managedFields were reset, or a server without them wrote it).
  if (owners.empty() && !created) return without_owners(std::move(after));
  const auto old = created ? empty_object(schema) : without_owners(before);
  after = without_owners(std::move(after));
  const auto changes = compare_objects(schema, old, after, reset_fields(schema, writer));
  auto taken = changes.modified.united(changes.added).without(server_fields());
  if (created) drop_inherent_structs(taken, schema);
  const auto previous_owners = owners;
  take_from_others(owners, nullptr, changes);
  if (!taken.empty()) {
    auto self = owner_of(schema, writer, false);
    self.fields = std::move(taken);
    // What the writer lost to its own change comes back with the new time.
    for (const auto& previous : previous_owners) {
      if (previous.same_manager(self))
        self.fields = self.fields.united(previous.fields.without(changes.removed));
    }
    if (auto* mine = find_owner(owners, self)) {
      *mine = std::move(self);
    } else {
      owners.push_back(std::move(self));
    }
    cap_owners(owners);
  }
  write_owners(after, std::move(owners));
  return after;
}

Outcome<json::object> apply_configuration(const ObjectSchema& schema, const json::object& live,
                                          const json::object& configuration, const FieldWriter& writer,
                                          bool force) {
  if (auto checked = check_configuration(schema, configuration); !checked)
    return refuse(std::move(checked.error()));
  const auto stored = read_owners(live);
  if (!stored) return refuse(bad_request("failed to decode managed fields of the stored object"));
  auto owners = *stored;
  const bool created = live.empty();
  const auto ignored = reset_fields(schema, writer);
  const auto current = created ? empty_object(schema) : without_owners(live);
  if (owners.empty() && !created) {
    // Tracking starts now: what is there belongs to a manager of its own, so that it is not lost.
    auto first = owner_of(schema, {"before-first-apply", "", writer.now}, false);
    first.fields = field_set_of(*schema.root, json::value(current)).without(server_fields());
    if (!first.fields.empty()) owners.push_back(std::move(first));
  }

  auto self = owner_of(schema, writer, true);
  const auto* previous = find_owner(owners, self);
  const auto last = previous ? previous->fields : FieldSet();
  const auto last_time = previous ? previous->time : std::string();
  self.fields = field_set_of(*schema.root, json::value(configuration)).without_below(ignored);
  if (auto* mine = find_owner(owners, self)) {
    *mine = self;
  } else {
    owners.push_back(self);
  }
  // Of reset fields nothing is merged: this resource does not write them.
  const auto wanted = remove_fields(*schema.root, json::value(configuration), ignored);
  auto merged = merge_fields(*schema.root, json::value(current), wanted);
  merged = prune_applied(schema, merged, last, owners);
  auto result = merged.is_object() ? merged.get_object() : json::object();
  if (result.empty()) result = empty_object(schema);

  const auto changes = compare_objects(schema, current, result, ignored);
  if (!force) {
    const auto conflicts = conflicts_with_others(owners, self, changes);
    if (!conflicts.empty()) return refuse(conflict_status(conflicts));
  }
  take_from_others(owners, &self, changes);
  if (auto* mine = find_owner(owners, self)) {
    mine->fields = mine->fields.without(server_fields());
    const bool nothing_new = result == current && mine->fields == last && !last_time.empty();
    if (nothing_new) mine->time = last_time;
  }
  std::erase_if(owners, [](const FieldOwner& owner) { return owner.fields.empty(); });
  write_owners(result, std::move(owners));
  if (!created && same_content(result, live)) return live;
  return result;
}

bool same_content(const json::object& left, const json::object& right) {
  return without_bookkeeping(left) == without_bookkeeping(right);
}

}  // namespace instantstart::sandbox::kubernetes
