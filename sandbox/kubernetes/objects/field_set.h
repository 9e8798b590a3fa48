// A set of field paths, as `metadata.managedFields[].fieldsV1` holds it (structured-merge-diff v6). A path is
// made of elements in their encoded form: "f:spec", `k:{"name":"a"}`, `v:"x"`, "i:0".
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "sandbox/kubernetes/objects/schema.h"
#include "sandbox/kubernetes/objects/status.h"

namespace instantstart::sandbox::kubernetes {

using FieldPath = std::vector<std::string>;

/// Equal paths are equal elements. A path may be a member without its parents or children being members.
class FieldSet {
 public:
  /// From FieldsV1. Error 400 for another form or for more than 64 levels.
  static Outcome<FieldSet> from_json(const json::value& fields);
  /// {"f:spec":{"f:replicas":{}}}; "." stands for a member that has children too.
  json::object to_json() const;

  bool empty() const;
  void insert(std::span<const std::string> path);
  bool has(std::span<const std::string> path) const;
  FieldSet united(const FieldSet& other) const;
  FieldSet without(const FieldSet& other) const;  ///< Member by member: children of a removed path stay.
  FieldSet common(const FieldSet& other) const;
  FieldSet without_below(const FieldSet& other) const;  ///< Also everything under the members of `other`.
  /// With every struct field on the way to a member.
  FieldSet with_named_fields(const Schema* schema) const;
  std::vector<FieldPath> paths() const;  ///< All members, parents first.

  bool operator==(const FieldSet&) const = default;

  std::set<std::string, std::less<>> members;
  std::map<std::string, FieldSet, std::less<>> children;
};

/// `.spec.template.spec.containers[name="a"].image`, as conflicts print it.
std::string path_text(const FieldPath& path);

/// The fields that a configuration claims.
FieldSet field_set_of(const Schema& schema, const json::value& value);

struct FieldChanges {
  FieldSet added, modified, removed;
};
FieldChanges compare_fields(const Schema& schema, const json::value& before, const json::value& after);

/// `applied` over `live`, as apply merges: maps by key, set and map lists by item, everything else replaced.
json::value merge_fields(const Schema& schema, const json::value& live, const json::value& applied);

/// Without the items and fields in `fields`; a map or list that gets empty goes too.
json::value remove_fields(const Schema& schema, const json::value& value, const FieldSet& fields);

/// The encoded element of one item of a set or map list; "" for an item without its keys.
std::string list_element(const Schema& list, const json::value& item);

}  // namespace instantstart::sandbox::kubernetes
