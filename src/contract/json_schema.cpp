#include <map>

#include "contract/schema.h"
#include "contract/schema_writer.h"
#include "contract/type_faults.h"

namespace instantstart::contract {
namespace {

/// How often each named type is named by what is around it. A type inside itself counts at least twice: from
/// outside and from within.
class UseCounter {
 public:
  void count(const Type& type) {
    // Unnamed types are walked each time, since what they hold is named again.
    if (is_named(type) && ++uses_[&type] > 1) return;
    for (const auto& field : type.fields) count(field.type());
    if (type.element) count(type.element());
    for (const auto& [tag, alternative] : type.alternatives) count(alternative());
  }

  bool is_shared(const Type& type) const {
    const auto found = uses_.find(&type);
    return found != uses_.end() && found->second > 1;
  }

 private:
  std::map<const Type*, int> uses_;
};

void add_definitions(json::object& schema, const SchemaWriter& writer) {
  if (!writer.definitions().empty()) schema["$defs"] = writer.definitions();
}

/// Takes a name out of a list of names, and the list with its last one.
void leave_out_of(json::object& schema, std::string_view list, std::string_view name) {
  auto* member = schema.if_contains(list);
  if (!member) return;
  json::array kept;
  for (const auto& each : member->as_array()) {
    if (each.as_string() != name) kept.push_back(each);
  }
  if (kept.empty()) {
    schema.erase(list);
  } else {
    *member = std::move(kept);
  }
}

}  // namespace

json::object json_schema(const Type& type, SchemaOptions options) {
  UseCounter uses;
  uses.count(type);
  SchemaWriter writer(options, "#/$defs/", [&uses](const Type& each) { return uses.is_shared(each); });
  json::object schema = writer.schema(type);
  add_definitions(schema, writer);
  return schema;
}

json::object request_schema(const Action& action, SchemaOptions options) {
  const auto members = members_of(action);
  UseCounter uses;
  for (const auto& member : members) uses.count(member.field->type());
  SchemaWriter writer(options, "#/$defs/", [&uses](const Type& each) { return uses.is_shared(each); });
  json::object schema = writer.object_of(members);
  if (takes_selected_cluster(action)) leave_out_of(schema, "required", "cluster");
  add_definitions(schema, writer);
  return schema;
}

}  // namespace instantstart::contract
