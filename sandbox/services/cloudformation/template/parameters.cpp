#include "sandbox/services/cloudformation/template/parameters.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>
#include <boost/json/array.hpp>

#include "base/text.h"
#include "base/untrusted_pattern.h"
#include "sandbox/services/cloudformation/errors.h"
#include "sandbox/services/cloudformation/template/contains.h"

namespace instantstart::sandbox::cloudformation {
namespace {

/// "CloudFormation-supplied parameter types" for EC2. Whether the thing exists is for the resource to find
/// out.
constexpr std::array<std::string_view, 5> k_ids{
    "AWS::EC2::AvailabilityZone::Name", "AWS::EC2::SecurityGroup::Id", "AWS::EC2::SecurityGroup::GroupName",
    "AWS::EC2::Subnet::Id", "AWS::EC2::VPC::Id"};

std::vector<std::string> items_of(const ParameterDeclaration& declaration, std::string_view text) {
  if (!is_list_type(declaration.type)) return {std::string(text)};
  std::vector<std::string> items;
  for (const auto item : split(text, ',')) items.emplace_back(trim(item));
  return items;
}

bool is_number_type(std::string_view type) { return type == "Number" || type == "List<Number>"; }

/// The rule that one item breaks.
std::optional<std::string> broken_rule(const std::string& name, const ParameterDeclaration& rules,
                                       const std::string& item) {
  if (!rules.allowed_values.empty() && !contains(rules.allowed_values, item)) {
    return fmt::format("Parameter '{}' must be one of AllowedValues", name);
  }
  if (is_number_type(rules.type)) {
    const auto number = parse_number(item);
    if (!number) return fmt::format("Parameter '{}' must be a number.", name);
    if (rules.min_value && *number < *rules.min_value) {
      return fmt::format("Parameter '{}' must be a number not less than {}", name, *rules.min_value);
    }
    if (rules.max_value && *number > *rules.max_value) {
      return fmt::format("Parameter '{}' must be a number not greater than {}", name, *rules.max_value);
    }
  }
  const auto length = static_cast<double>(code_points(item));
  if (rules.min_length && length < *rules.min_length) {
    return fmt::format("Parameter '{}' must contain at least {} characters", name, *rules.min_length);
  }
  if (rules.max_length && length > *rules.max_length) {
    return fmt::format("Parameter '{}' must contain at most {} characters", name, *rules.max_length);
  }
  if (!rules.allowed_pattern) return std::nullopt;
  const auto pattern = UntrustedPattern::compile(*rules.allowed_pattern);
  if (!pattern) return fmt::format("AllowedPattern of '{}': {}", name, pattern.error().message);
  if (!pattern->matches_wholly(item))
    return fmt::format("Parameter '{}' must match pattern {}", name, *rules.allowed_pattern);
  return std::nullopt;
}

Reply<void> check(const std::string& name, const ParameterDeclaration& rules, const std::string& text) {
  for (const auto& item : items_of(rules, text)) {
    auto broken = broken_rule(name, rules, item);
    if (!broken) continue;
    if (!rules.constraint_description) return invalid(std::move(*broken));
    return invalid(
        fmt::format("Parameter {} failed to satisfy constraint: {}", name, *rules.constraint_description));
  }
  return {};
}

std::unexpected<AwsFault> unknown_parameters(const std::vector<std::string>& names) {
  return invalid(fmt::format("Parameters: [{}] do not exist in the template", join(names, ", ")));
}

}  // namespace

bool is_list_type(std::string_view type) { return type == "CommaDelimitedList" || type.starts_with("List<"); }

bool is_parameter_type(std::string_view type) {
  if (type == "String" || type == "Number" || type == "CommaDelimitedList" || type == "List<Number>") {
    return true;
  }
  if (type.starts_with("List<") && type.ends_with(">")) type = type.substr(5, type.size() - 6);
  return contains(k_ids, type);
}

std::optional<std::string> scalar_text(const json::value& value) {
  if (value.is_string()) return std::string(value.get_string());
  if (value.is_bool() || value.is_number()) return to_text(value);
  return std::nullopt;
}

std::optional<double> parse_number(std::string_view text) {
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Reply<ParameterTexts> resolve_parameters(const Template& source,
                                         const std::vector<aws::cloudformation::Parameter>& given,
                                         const ParameterTexts* previous) {
  std::map<std::string, const aws::cloudformation::Parameter*> by_name;
  std::vector<std::string> unknown;
  for (const auto& parameter : given) {
    const std::string name = parameter.parameter_key.value_or("");
    if (!source.parameters.contains(name)) {
      unknown.push_back(name);
    } else if (!by_name.emplace(name, &parameter).second) {
      return invalid(fmt::format("Duplicate parameter key: {}", name));
    }
  }
  if (!unknown.empty()) return unknown_parameters(unknown);
  ParameterTexts texts;
  std::vector<std::string> missing;
  for (const auto& [name, rules] : source.parameters) {
    const auto found = by_name.find(name);
    std::optional<std::string> text = rules.default_value;
    if (found != by_name.end()) {
      text = found->second->parameter_value;
      if (found->second->use_previous_value.value_or(false)) {
        if (!previous || !previous->contains(name)) {
          return invalid(
              fmt::format("Invalid input for parameter key {}. Cannot specify usePreviousValue as "
                          "true for a parameter key not in the previous template",
                          name));
        }
        text = previous->at(name);
      }
    }
    if (!text) {
      missing.push_back(name);
      continue;
    }
    if (auto fits = check(name, rules, *text); !fits) return std::unexpected(std::move(fits.error()));
    texts.emplace(name, std::move(*text));
  }
  if (missing.empty()) return texts;
  return invalid(fmt::format("Parameters: [{}] must have values", join(missing, ", ")));
}

json::value parameter_value(const ParameterDeclaration& declaration, std::string_view text) {
  if (!is_list_type(declaration.type)) return json::value(json::string(text));
  json::array list;
  for (const auto& item : items_of(declaration, text)) list.emplace_back(json::string(item));
  return list;
}

}  // namespace instantstart::sandbox::cloudformation
