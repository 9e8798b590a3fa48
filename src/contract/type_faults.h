// Complaints about type tables: texts that are missing, names that clash, defaults and examples that break
// their own rules. Used by the check of the action table; everything here is a programming error.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/value.hpp>

#include "base/describe.h"
#include "base/result.h"

namespace instantstart::contract {

/// Types that a definition can stand for. The builtin free-form object is called "object", but is none of a
/// table.
inline bool is_named(const Type& type) { return !type.name.empty() && type.kind != Kind::any; }

/// Collects the faults of types and of all that they are made of; each type is looked at once.
class TypeChecker {
 public:
  /// `instance` is a value of the type (defaults and examples are tried on it), or nullptr if there is none.
  void check(const Type& type, void* instance);

  std::vector<std::string> release() { return std::move(faults_); }

 private:
  void check_named(const Type& type);
  void check_object(const Type& type, void* instance);
  void check_field(const Type& owner, const Field& field, void* instance);
  void check_enumeration(const Type& type);
  void check_variant(const Type& type, void* instance);
  void check_examples(const Type& type, void* instance);
  void try_member(const Type& owner, const Field& field, std::string_view what,
                  const boost::json::value& value, void* instance);
  void check_text(std::string_view where, std::string_view text);

  std::vector<const Type*> seen_;
  std::vector<const Type*> named_;
  std::vector<std::string> faults_;
};

/// The names of the secret members that a value of the type may hold, "Source.password"; none for most.
std::vector<std::string> secret_members(const Type& type);

/// An example as the table writes it, as a value of the type: strings as they are, all else parsed as JSON.
Result<boost::json::value> example_value(const Type& type, std::string_view text);

}  // namespace instantstart::contract
