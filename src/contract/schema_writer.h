// Writes JSON Schema for described types. Used by json_schema.cpp and open_api.cpp, which decide where named
// types stand.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "base/describe.h"
#include "contract/arguments.h"
#include "contract/schema.h"

namespace instantstart::contract {

class SchemaWriter {
 public:
  /// Types for which `stands_apart` holds are written once, into `definitions`, and referred to as
  /// "<reference_prefix><name>"; never in flat schemas.
  SchemaWriter(SchemaOptions options, std::string reference_prefix,
               std::function<bool(const Type&)> stands_apart);

  /// A reference to the type where it stands apart, else its schema.
  json::object reference(const Type& type);
  /// The type's schema, in place.
  json::object schema(const Type& type);
  /// The schema of a member: that of its type with the words of its place.
  json::object member(const Member& member);
  /// An object that has these members and no others.
  json::object object_of(const std::vector<Member>& members);

  const json::object& definitions() const { return definitions_; }

 private:
  json::object written(const Type& type);
  json::object enumeration(const Type& type);
  json::object variant(const Type& type);
  json::object flat_variant(const Type& type);
  json::object alternative(const Type& variant, std::string_view tag, const Type& type);
  void add_doc(json::object& schema, const Type& type, std::string_view doc) const;
  void add_examples(json::object& schema, const Type& type,
                    const std::vector<std::string_view>& examples) const;
  /// Adds the words of a rule to those that are there; of two bounds the closer one stays.
  void add_rule(json::object& schema, Kind kind, const Rule& rule) const;

  SchemaOptions options_;
  std::string prefix_;
  std::function<bool(const Type&)> stands_apart_;
  json::object definitions_;
  std::vector<const Type*> defined_;
  std::vector<const Type*> open_;  // types whose schema is being written, outermost first
};

}  // namespace instantstart::contract
