// A CloudFormation template as data: what its JSON says, checked for form but not for meaning.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "base/json.h"
#include "sandbox/core/service.h"

namespace instantstart::sandbox::cloudformation {

/// "CloudFormation quotas": a template in a request.
inline constexpr std::size_t k_longest_template = 51'200;

struct ParameterDeclaration {
  std::string type;
  std::optional<std::string> default_value;
  std::vector<std::string> allowed_values;
  std::optional<std::string> allowed_pattern;
  std::optional<double> min_length;
  std::optional<double> max_length;
  std::optional<double> min_value;
  std::optional<double> max_value;
  std::optional<std::string> constraint_description;
  std::optional<std::string> description;
  bool no_echo = false;
};

struct ResourceDeclaration {
  std::string type;
  json::object properties;
  std::vector<std::string> depends_on;  ///< What DependsOn names; more follows from references.
  std::optional<std::string> condition;
  std::string deletion_policy;        ///< "Delete", "Retain" or "RetainExceptOnCreate"
  std::string update_replace_policy;  ///< "Delete" or "Retain"
  json::value metadata;               ///< null when there is none
};

struct OutputDeclaration {
  json::value value;
  std::optional<json::value> export_name;
  std::optional<std::string> description;
  std::optional<std::string> condition;
};

struct Template {
  std::optional<std::string> description;
  std::map<std::string, ParameterDeclaration> parameters;
  json::object mappings;
  json::object conditions;
  std::map<std::string, ResourceDeclaration> resources;
  std::map<std::string, OutputDeclaration> outputs;
};

/// ValidationError in CloudFormation's words. Only JSON; YAML, transforms, rules and hooks are refused.
Reply<Template> parse_template(std::string_view body);

}  // namespace instantstart::sandbox::cloudformation
