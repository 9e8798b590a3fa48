// Turns OpenAPI v3 schemas into Schema nodes. Internal to this room: use SchemaSet.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>

#include "base/json.h"
#include "sandbox/kubernetes/objects/schema.h"

namespace instantstart::sandbox::kubernetes {

/// Owns nodes; pointers to them stay good.
struct SchemaNodes {
  std::deque<Schema> nodes;
  std::map<std::string, const Schema*, std::less<>> named;   ///< Definitions of built-in types.
  std::map<std::string, const Schema*, std::less<>> leaves;  ///< Equal leaves are one node.
  std::shared_ptr<const SchemaNodes> below;                  ///< What these nodes point into.
};

class SchemaBuilder {
 public:
  /// Built-in types: references are looked up in `definitions`.
  SchemaBuilder(SchemaNodes& nodes, const json::object& definitions)
      : nodes_(nodes), definitions_(&definitions) {}
  /// A custom type; `object_meta` is the type of `metadata`.
  SchemaBuilder(SchemaNodes& nodes, const Schema* object_meta) : nodes_(nodes), object_meta_(object_meta) {}

  const Schema* definition(std::string_view name);
  /// The root of a custom kind, with apiVersion, kind and metadata. `field` is where causes start.
  const Schema* custom_root(const json::object& node, const std::string& field);

  const StatusCauses& problems() const { return problems_; }

 private:
  struct Place {
    std::string field;
    bool value_rule = false;  ///< Inside allOf, anyOf, oneOf, not: there types are not wanted.
  };

  const Schema* build(const json::object& node, const Place& place);
  void fill(Schema& schema, const json::object& node, const Place& place);
  void fill_kind(Schema& schema, const json::object& node, const Place& place);
  void fill_fields(Schema& schema, const json::object& node, const Place& place);
  void fill_merging(Schema& schema, const json::object& node);
  void fill_limits(Schema& schema, const json::object& node, const Place& place);
  void fill_value_rules(Schema& schema, const json::object& node, const Place& place);
  void add_resource_fields(Schema& schema);
  const Schema* text_schema();
  bool custom() const { return definitions_ == nullptr; }

  SchemaNodes& nodes_;
  const json::object* definitions_ = nullptr;
  const Schema* object_meta_ = nullptr;
  StatusCauses problems_;
  int depth_ = 0;
};

}  // namespace instantstart::sandbox::kubernetes
