// Parameters: what a template declares, what a request gives, and whether the one fits the other.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "aws/shapes/cloudformation.h"
#include "sandbox/services/cloudformation/template/template.h"

namespace instantstart::sandbox::cloudformation {

/// By name, as text; a list is its items with commas between.
using ParameterTexts = std::map<std::string, std::string>;

bool is_parameter_type(std::string_view type);
bool is_list_type(std::string_view type);

/// What a string, number or boolean says; nullopt for anything else.
std::optional<std::string> scalar_text(const json::value& value);
/// Decimal; nullopt when it is something else.
std::optional<double> parse_number(std::string_view text);

/// The value of every declared parameter: given, the previous one where asked, else the default.
/// ValidationError when one is missing, unknown or breaks its rules.
Reply<ParameterTexts> resolve_parameters(const Template& source,
                                         const std::vector<aws::cloudformation::Parameter>& given,
                                         const ParameterTexts* previous = nullptr);

/// What `Ref` of the parameter is: a string, or an array of strings.
json::value parameter_value(const ParameterDeclaration& declaration, std::string_view text);

}  // namespace instantstart::sandbox::cloudformation
