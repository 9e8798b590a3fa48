// Intrinsic functions: Ref, Fn::GetAtt, Fn::Sub and the others, evaluated over what is known.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "sandbox/services/cloudformation/template/parameters.h"
#include "sandbox/services/cloudformation/template/template.h"

namespace instantstart::sandbox::cloudformation {

/// What stands for a value that only a resource still to be made will have; change sets show it.
inline constexpr std::string_view k_unknown = "{{changeSet:KNOWN_AFTER_APPLY}}";

/// Whether the value is, or has in it, what is not known yet.
bool has_unknown(const json::value& value);

/// What functions may refer to. The references must outlive it.
struct Scope {
  const Template& source;
  const ParameterTexts& parameters;
  std::map<std::string, std::string> pseudo;  ///< "AWS::Region" and so on, without AWS::NoValue.
  std::map<std::string, bool> conditions = {};
  /// `Ref` and `Fn::GetAtt` of a resource of the template, or why they can't be. Absent: no resources here.
  std::function<Reply<json::value>(const std::string& logical_id)> ref = {};
  std::function<Reply<json::value>(const std::string& logical_id, const std::string& attribute)> attribute =
      {};
  /// Names of a region's usable zones, in order.
  std::function<std::vector<std::string>(const std::string& region)> zones = {};
};

/// The value with every function carried out; nullopt is AWS::NoValue. Members that are AWS::NoValue go.
Reply<std::optional<json::value>> evaluate(const json::value& value, const Scope& scope);
/// The same for a place that must have a value; AWS::NoValue is null.
Reply<json::value> evaluated(const json::value& value, const Scope& scope);

/// All of the template's conditions. `scope.conditions` counts for nothing.
Reply<std::map<std::string, bool>> evaluate_conditions(Scope scope);

}  // namespace instantstart::sandbox::cloudformation
