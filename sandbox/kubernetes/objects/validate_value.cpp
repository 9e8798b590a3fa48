// The rules of a schema for a value, as kube-openapi's validator words them.
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "base/time.h"
#include "sandbox/kubernetes/objects/field_set.h"
#include "sandbox/kubernetes/objects/json_access.h"
#include "sandbox/kubernetes/objects/validate.h"

namespace instantstart::sandbox::kubernetes {
namespace {

std::string type_name(const Schema& schema) {
  switch (schema.kind) {
    case FieldKind::object:
    case FieldKind::map: return "object";
    case FieldKind::list: return "array";
    case FieldKind::integer: return "integer";
    case FieldKind::number: return "number";
    case FieldKind::boolean: return "boolean";
    default: return "string";
  }
}

std::string type_of(const json::value& value) {
  if (value.is_object()) return "object";
  if (value.is_array()) return "array";
  if (value.is_string()) return "string";
  if (value.is_bool()) return "boolean";
  if (value.is_null()) return "null";
  return is_integer(value) ? "integer" : "number";
}

bool fits(const Schema& schema, const json::value& value) {
  switch (schema.kind) {
    case FieldKind::object:
    case FieldKind::map: return value.is_object();
    case FieldKind::list: return value.is_array();
    case FieldKind::string: return value.is_string();
    case FieldKind::integer:
      return is_integer(value) ||
             (value.is_double() && std::nearbyint(value.get_double()) == value.get_double());
    case FieldKind::number: return value.is_number();
    case FieldKind::boolean: return value.is_bool();
    case FieldKind::int_or_string: return value.is_string() || is_integer(value);
    case FieldKind::quantity: return value.is_string() || value.is_number();
    case FieldKind::any: return true;
  }
  return true;
}

std::string number_text(double value) { return fmt::format("{:g}", value); }

class Validator {
 public:
  StatusCauses causes;

  void check(const Schema& schema, const json::value& value, const std::string& field) {
    if (value.is_null() && (schema.nullable || schema.kind == FieldKind::any)) return;
    if (!fits(schema, value)) {
      const auto type = type_of(value);
      const auto wanted = schema.kind == FieldKind::int_or_string ? "integer,string" : type_name(schema);
      causes.push_back(field_type_invalid(
          field, json::value(type),
          fmt::format("{} in body must be of type {}: \"{}\"", body(field), wanted, type)));
      return;
    }
    check_enum(schema, value, field);
    if (value.is_string()) check_text(schema, std::string(value.get_string()), value, field);
    if (value.is_number()) check_number(schema, value, field);
    if (value.is_array()) check_list(schema, value.get_array(), field);
    if (value.is_object()) check_object(schema, value.get_object(), field);
    check_combinations(schema, value, field);
  }

 private:
  static std::string body(const std::string& field) { return field.empty() ? "object" : field; }

  void check_enum(const Schema& schema, const json::value& value, const std::string& field) {
    if (schema.enum_values.empty() ||
        std::ranges::find(schema.enum_values, value) != schema.enum_values.end())
      return;
    std::vector<std::string> allowed;
    for (const auto& item : schema.enum_values) {
      allowed.push_back(item.is_string() ? std::string(item.get_string()) : to_text(item));
    }
    causes.push_back(field_not_supported(field, value, allowed));
  }

  void check_text(const Schema& schema, const std::string& text, const json::value& value,
                  const std::string& field) {
    const auto length = static_cast<std::int64_t>(code_points(text));
    if (schema.min_length && length < *schema.min_length) {
      causes.push_back(field_invalid(
          field, value,
          fmt::format("{} in body should be at least {} chars long", body(field), *schema.min_length)));
    }
    if (schema.max_length && length > *schema.max_length)
      causes.push_back(field_too_long(field, *schema.max_length));
    if (schema.pattern && !schema.pattern->matches(text)) {
      causes.push_back(field_invalid(
          field, value,
          fmt::format("{} in body should match '{}'", body(field), schema.pattern->expression())));
    }
    if (schema.format == "date-time" && !parse_rfc3339(text)) {
      causes.push_back(field_invalid(
          field, value,
          fmt::format("{} in body must be of type date-time: {}", body(field), to_text(value))));
    }
  }

  void check_number(const Schema& schema, const json::value& value, const std::string& field) {
    const auto number = value.to_number<double>();
    const auto wrong = [&](std::string_view rule, double limit) {
      causes.push_back(field_invalid(
          field, value, fmt::format("{} in body should be {} {}", body(field), rule, number_text(limit))));
    };
    if (schema.minimum && schema.exclusive_minimum && number <= *schema.minimum) {
      wrong("greater than", *schema.minimum);
    } else if (schema.minimum && number < *schema.minimum) {
      wrong("greater than or equal to", *schema.minimum);
    }
    if (schema.maximum && schema.exclusive_maximum && number >= *schema.maximum) {
      wrong("less than", *schema.maximum);
    } else if (schema.maximum && number > *schema.maximum) {
      wrong("less than or equal to", *schema.maximum);
    }
    if (schema.multiple_of && *schema.multiple_of > 0) {
      const auto quotient = number / *schema.multiple_of;
      if (std::abs(quotient - std::nearbyint(quotient)) > 1e-9) wrong("a multiple of", *schema.multiple_of);
    }
    if (schema.format == "int32" && (number < INT32_MIN || number > INT32_MAX)) {
      causes.push_back(field_invalid(
          field, value,
          fmt::format("{} in body must be of type int32: \"{}\"", body(field), type_of(value))));
    }
  }

  void check_list(const Schema& schema, const json::array& list, const std::string& field) {
    const auto size = static_cast<std::int64_t>(list.size());
    if (schema.min_items && size < *schema.min_items) {
      causes.push_back(field_invalid(
          field, json::value(size),
          fmt::format("{} in body should have at least {} items", body(field), *schema.min_items)));
    }
    if (schema.max_items && size > *schema.max_items) {
      causes.push_back({"FieldValueTooMany",
                        fmt::format("Too many: {}: must have at most {} items", size, *schema.max_items),
                        field});
    }
    std::set<std::string> seen;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto place = field + "[" + std::to_string(i) + "]";
      if (schema.element) check(*schema.element, list[i], place);
      if (schema.list_type == ListType::atomic && !schema.unique_items) continue;
      auto identity =
          schema.list_type == ListType::map ? list_element(schema, list[i]) : to_canonical_text(list[i]);
      if (identity.starts_with("k:")) identity.erase(0, 2);
      if (!identity.empty() && !seen.insert(identity).second) {
        const auto parsed = parse_json(identity);
        causes.push_back(field_duplicate(place, parsed ? *parsed : json::value(identity)));
      }
    }
  }

  void check_object(const Schema& schema, const json::object& object, const std::string& field) {
    const auto below = [&](std::string_view key) {
      if (schema.kind == FieldKind::map) return field + "[" + std::string(key) + "]";
      return field.empty() ? std::string(key) : field + "." + std::string(key);
    };
    for (const auto& name : schema.required) {
      if (!object.contains(name)) causes.push_back(field_required(below(name)));
    }
    const auto size = static_cast<std::int64_t>(object.size());
    if (schema.min_properties && size < *schema.min_properties) {
      causes.push_back(field_invalid(
          field, json::value(size),
          fmt::format("{} in body should have at least {} properties", body(field), *schema.min_properties)));
    }
    if (schema.max_properties && size > *schema.max_properties) {
      causes.push_back({"FieldValueTooMany",
                        fmt::format("Too many: {}: must have at most {} items", size, *schema.max_properties),
                        field});
    }
    for (const auto& [key, value] : object) {
      if (const auto* property = schema.property(key)) check(*property, value, below(key));
    }
  }

  static bool holds(const Schema& schema, const json::value& value, const std::string& field) {
    Validator inner;
    inner.check(schema, value, field);
    return inner.causes.empty();
  }

  void check_combinations(const Schema& schema, const json::value& value, const std::string& field) {
    const auto wrong = [&](std::string_view rule) {
      causes.push_back(field_invalid(field, value, fmt::format("{} in body {}", body(field), rule)));
    };
    const auto count = [&](const std::vector<const Schema*>& rules) {
      return std::ranges::count_if(rules, [&](const Schema* rule) { return holds(*rule, value, field); });
    };
    for (const auto* rule : schema.all_of) check(*rule, value, field);
    if (!schema.any_of.empty() && count(schema.any_of) == 0)
      wrong("must validate at least one schema (anyOf)");
    if (!schema.one_of.empty()) {
      const auto valid = count(schema.one_of);
      if (valid == 0) wrong("must validate one and only one schema (oneOf). Found none valid");
      if (valid > 1)
        wrong(
            fmt::format("must validate one and only one schema (oneOf). Found {} valid alternatives", valid));
    }
    if (schema.not_of && holds(*schema.not_of, value, field)) wrong("must not validate the schema (not)");
  }
};

}  // namespace

StatusCauses validate_value(const Schema& schema, const json::value& value, std::string_view field) {
  Validator validator;
  validator.check(schema, value, std::string(field));
  return std::move(validator.causes);
}

}  // namespace instantstart::sandbox::kubernetes
