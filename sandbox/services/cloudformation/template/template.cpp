#include "sandbox/services/cloudformation/template/template.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "base/pattern.h"
#include "base/text.h"
#include "sandbox/services/cloudformation/errors.h"
#include "sandbox/services/cloudformation/template/contains.h"
#include "sandbox/services/cloudformation/template/parameters.h"

namespace instantstart::sandbox::cloudformation {
namespace {

constexpr std::string_view k_version = "2010-09-09";
constexpr std::array<std::string_view, 7> k_sections{"AWSTemplateFormatVersion",
                                                     "Description",
                                                     "Metadata",
                                                     "Parameters",
                                                     "Mappings",
                                                     "Conditions",
                                                     "Resources"};
constexpr std::array<std::string_view, 8> k_resource_members{
    "Type",           "Properties",          "DependsOn", "Condition",
    "DeletionPolicy", "UpdateReplacePolicy", "Metadata",  "UpdatePolicy"};

std::unexpected<AwsFault> malformed(std::string_view message) {
  return invalid(fmt::format("Template format error: {}", message));
}

/// What stands in an object under that name and is a string.
std::optional<std::string> text_of(const json::object& object, std::string_view name) {
  const json::value* found = object.if_contains(name);
  if (!found || !found->is_string()) return std::nullopt;
  return std::string(found->get_string());
}

/// Rules of parameters may be numbers or their text.
std::optional<double> number_of(const json::object& object, std::string_view name) {
  const json::value* found = object.if_contains(name);
  if (!found) return std::nullopt;
  const auto text = scalar_text(*found);
  return text ? parse_number(*text) : std::nullopt;
}

bool is_alphanumeric(std::string_view name) {
  static const Pattern k_name("^[a-zA-Z0-9]+$");
  return k_name.matches(name);
}

Reply<const json::object*> section(const json::object& root, std::string_view name) {
  static const json::object none;
  const json::value* found = root.if_contains(name);
  if (!found) return &none;
  if (!found->is_object()) return malformed(fmt::format("{} must be an object.", name));
  return &found->get_object();
}

Reply<ParameterDeclaration> read_parameter(std::string_view name, const json::value& value) {
  if (!value.is_object())
    return malformed(fmt::format("Every Parameters member must be an object. [{}]", name));
  const json::object& object = value.get_object();
  const auto type = text_of(object, "Type");
  if (!type) return malformed("Every Parameters object must contain a Type member.");
  if (!is_parameter_type(*type)) {
    return malformed(
        fmt::format("Unrecognized parameter type: {}. The sandbox knows String, Number, "
                    "CommaDelimitedList, List<Number> and the AWS-specific types of EC2.",
                    *type));
  }
  ParameterDeclaration parameter{.type = *type,
                                 .allowed_pattern = text_of(object, "AllowedPattern"),
                                 .min_length = number_of(object, "MinLength"),
                                 .max_length = number_of(object, "MaxLength"),
                                 .min_value = number_of(object, "MinValue"),
                                 .max_value = number_of(object, "MaxValue"),
                                 .constraint_description = text_of(object, "ConstraintDescription"),
                                 .description = text_of(object, "Description")};
  if (const json::value* given = object.if_contains("Default")) {
    parameter.default_value = scalar_text(*given);
    if (!parameter.default_value) {
      return malformed(fmt::format("Every Default member must be a string. [{}]", name));
    }
  }
  if (const json::value* allowed = object.if_contains("AllowedValues")) {
    if (!allowed->is_array()) return malformed("Every AllowedValues member must be a list.");
    for (const auto& item : allowed->get_array()) {
      parameter.allowed_values.push_back(scalar_text(item).value_or(""));
    }
  }
  if (const json::value* secret = object.if_contains("NoEcho")) {
    parameter.no_echo = scalar_text(*secret) == "true";
  }
  return parameter;
}

Reply<std::vector<std::string>> read_depends_on(const json::value* value) {
  std::vector<std::string> names;
  if (!value) return names;
  if (value->is_string()) return std::vector<std::string>{std::string(value->get_string())};
  if (!value->is_array()) return malformed("Every DependsOn value must be a string or a list of strings.");
  for (const auto& item : value->get_array()) {
    if (!item.is_string()) return malformed("Every DependsOn value must be a string.");
    names.emplace_back(item.get_string());
  }
  return names;
}

Reply<std::string> read_policy(const json::object& object, std::string_view name, bool on_deletion) {
  const json::value* found = object.if_contains(name);
  if (!found) return std::string("Delete");
  if (found->is_string()) {
    const std::string text(found->get_string());
    if (text == "Delete" || text == "Retain" || (on_deletion && text == "RetainExceptOnCreate")) return text;
  }
  return malformed(fmt::format("Unrecognized {} {}", name, to_text(*found)));
}

Reply<ResourceDeclaration> read_resource(std::string_view name, const json::value& value) {
  if (!is_alphanumeric(name)) {
    return malformed(fmt::format("Resource name {} is non alphanumeric.", name));
  }
  if (!value.is_object()) return malformed("Every Resources member must be an object.");
  const json::object& object = value.get_object();
  const auto type = text_of(object, "Type");
  if (!type) {
    return malformed(fmt::format("[/Resources/{}] Every Resources object must contain a Type member.", name));
  }
  for (const auto& [member, ignored] : object) {
    if (contains(k_resource_members, std::string_view(member))) continue;
    return invalid(fmt::format("Invalid template resource property '{}'", std::string_view(member)));
  }
  auto depends_on = read_depends_on(object.if_contains("DependsOn"));
  if (!depends_on) return std::unexpected(std::move(depends_on.error()));
  auto deletion = read_policy(object, "DeletionPolicy", true);
  if (!deletion) return std::unexpected(std::move(deletion.error()));
  auto replacement = read_policy(object, "UpdateReplacePolicy", false);
  if (!replacement) return std::unexpected(std::move(replacement.error()));
  const auto properties = section(object, "Properties");
  if (!properties) return std::unexpected(properties.error());
  const json::value* metadata = object.if_contains("Metadata");
  return ResourceDeclaration{.type = *type,
                             .properties = **properties,
                             .depends_on = std::move(*depends_on),
                             .condition = text_of(object, "Condition"),
                             .deletion_policy = std::move(*deletion),
                             .update_replace_policy = std::move(*replacement),
                             .metadata = metadata ? *metadata : json::value()};
}

Reply<OutputDeclaration> read_output(std::string_view name, const json::value& value) {
  if (!is_alphanumeric(name)) return malformed(fmt::format("Output name {} is non alphanumeric.", name));
  if (!value.is_object()) return malformed("Every Outputs member must be an object.");
  const json::object& object = value.get_object();
  const json::value* content = object.if_contains("Value");
  if (!content) return malformed(fmt::format("Output {} must contain a Value.", name));
  OutputDeclaration output{.value = *content,
                           .description = text_of(object, "Description"),
                           .condition = text_of(object, "Condition")};
  if (const json::value* exported = object.if_contains("Export")) {
    const json::value* as = exported->is_object() ? exported->get_object().if_contains("Name") : nullptr;
    if (!as) return malformed(fmt::format("Export of output {} must contain a Name.", name));
    output.export_name = *as;
  }
  return output;
}

/// Reads every member of a section with `read` (name, value) -> Reply<Item>.
template <class Item, class Read>
Reply<std::map<std::string, Item>> read_all(const json::object& root, std::string_view name, Read read) {
  const auto members = section(root, name);
  if (!members) return std::unexpected(members.error());
  std::map<std::string, Item> items;
  for (const auto& [key, value] : **members) {
    auto item = read(std::string_view(key), value);
    if (!item) return std::unexpected(std::move(item.error()));
    items.emplace(std::string(key), std::move(*item));
  }
  return items;
}

Reply<json::value> read_json(std::string_view body) {
  if (body.size() > k_longest_template) {
    return invalid(
        fmt::format("1 validation error detected: Value at 'templateBody' failed to satisfy "
                    "constraint: Member must have length less than or equal to {}",
                    k_longest_template));
  }
  const auto start = body.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos || body[start] != '{') {
    return malformed("The sandbox reads JSON templates only, and this begins as something else (YAML?).");
  }
  auto parsed = parse_json(body);
  if (!parsed) return malformed(fmt::format("JSON not well-formed. {}", parsed.error().message));
  return std::move(*parsed);
}

std::optional<AwsFault> refuse_sections(const json::object& root) {
  std::vector<std::string> unknown;
  for (const auto& [name, ignored] : root) {
    const std::string_view text(name);
    if (text == "Transform" || text == "Rules" || text == "Hooks") {
      return malformed(fmt::format("The sandbox does not simulate {} of templates.", text)).error();
    }
    if (text != "Outputs" && !contains(k_sections, text)) unknown.emplace_back(text);
  }
  if (!unknown.empty()) {
    return invalid(fmt::format("Invalid template property or properties [{}]", join(unknown, ", "))).error();
  }
  const json::value* version = root.if_contains("AWSTemplateFormatVersion");
  if (!version || scalar_text(*version) == k_version) return std::nullopt;
  return malformed(fmt::format("{} is not a supported value for AWSTemplateFormatVersion.",
                               scalar_text(*version).value_or(to_text(*version))))
      .error();
}

}  // namespace

Reply<Template> parse_template(std::string_view body) {
  const auto parsed = read_json(body);
  if (!parsed) return std::unexpected(parsed.error());
  const json::object& root = parsed->get_object();
  if (auto refusal = refuse_sections(root)) return std::unexpected(std::move(*refusal));
  auto parameters = read_all<ParameterDeclaration>(root, "Parameters", read_parameter);
  if (!parameters) return std::unexpected(std::move(parameters.error()));
  const auto mappings = section(root, "Mappings");
  if (!mappings) return std::unexpected(mappings.error());
  const auto conditions = section(root, "Conditions");
  if (!conditions) return std::unexpected(conditions.error());
  auto resources = read_all<ResourceDeclaration>(root, "Resources", read_resource);
  if (!resources) return std::unexpected(std::move(resources.error()));
  if (resources->empty()) return malformed("At least one Resources member must be defined.");
  auto outputs = read_all<OutputDeclaration>(root, "Outputs", read_output);
  if (!outputs) return std::unexpected(std::move(outputs.error()));
  return Template{.description = text_of(root, "Description"),
                  .parameters = std::move(*parameters),
                  .mappings = **mappings,
                  .conditions = **conditions,
                  .resources = std::move(*resources),
                  .outputs = std::move(*outputs)};
}

}  // namespace instantstart::sandbox::cloudformation
