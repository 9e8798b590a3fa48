#include "sandbox/services/cloudformation/resources/requests.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <boost/json/array.hpp>

#include "sandbox/services/cloudformation/template/contains.h"
#include "sandbox/services/cloudformation/template/parameters.h"

namespace instantstart::sandbox::cloudformation {
namespace {

bool same_but_for_first_case(std::string_view one, std::string_view two) {
  if (one.empty() || one.size() != two.size() || one.substr(1) != two.substr(1)) return false;
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return lower(one.front()) == lower(two.front());
}

const aws::MemberInfo* member_like(const aws::ShapeInfo& shape, std::string_view name) {
  const auto found = std::ranges::find_if(shape.members, [name](const aws::MemberInfo& member) {
    return same_but_for_first_case(member.name, name);
  });
  return found == shape.members.end() ? nullptr : &*found;
}

/// A scalar in the kind that the shape wants, as far as its text allows; else as it is, to be refused.
json::value fitted_scalar(const aws::ShapeInfo& shape, const json::value& value) {
  const auto as_text = scalar_text(value);
  if (!as_text) return value;
  switch (shape.kind) {
    case aws::ShapeKind::string: return json::value(json::string(*as_text));
    case aws::ShapeKind::boolean:
      if (*as_text == "true" || *as_text == "false") return json::value(*as_text == "true");
      return value;
    case aws::ShapeKind::integer:
      if (const auto number = parse_number(*as_text)) return json::value(static_cast<std::int64_t>(*number));
      return value;
    default: return value;
  }
}

Reply<json::value> fitted_value(const aws::ShapeInfo& shape, const json::value& value) {
  if (shape.kind == aws::ShapeKind::structure && value.is_object()) {
    auto object = fitted(shape, value.get_object());
    if (!object) return std::unexpected(std::move(object.error()));
    return json::value(std::move(*object));
  }
  if (shape.kind == aws::ShapeKind::list && value.is_array()) {
    json::array items;
    for (const auto& item : value.get_array()) {
      auto fitting = fitted_value(*shape.element.shape, item);
      if (!fitting) return fitting;
      items.push_back(std::move(*fitting));
    }
    return json::value(std::move(items));
  }
  // Some properties are lists of one for AWS's text.
  if (shape.kind == aws::ShapeKind::list && value.is_string()) {
    return fitted_value(shape, json::value(json::array{value}));
  }
  return fitted_scalar(shape, value);
}

}  // namespace

Reply<json::object> fitted(const aws::ShapeInfo& shape, const json::object& properties) {
  json::object out;
  for (const auto& [name, value] : properties) {
    const aws::MemberInfo* member = member_like(shape, name);
    if (!member) return invalid(fmt::format("Encountered unsupported property {}", std::string_view(name)));
    auto fitting = fitted_value(*member->shape, value);
    if (!fitting) return std::unexpected(std::move(fitting.error()));
    out.emplace(member->name, std::move(*fitting));
  }
  return out;
}

std::string properties_problem(const Error& error) {
  return fmt::format("Properties validation failed for resource: {}", error.message);
}

std::optional<std::string> text(const json::object& properties, std::string_view name) {
  const json::value* found = properties.if_contains(name);
  return found ? scalar_text(*found) : std::nullopt;
}

std::optional<std::int64_t> integer(const json::object& properties, std::string_view name) {
  const auto as_text = text(properties, name);
  const auto number = as_text ? parse_number(*as_text) : std::nullopt;
  return number ? std::optional(static_cast<std::int64_t>(*number)) : std::nullopt;
}

bool flag(const json::object& properties, std::string_view name, bool otherwise) {
  const auto as_text = text(properties, name);
  return as_text ? *as_text == "true" : otherwise;
}

std::optional<std::string> document(const json::object& properties, std::string_view name) {
  const json::value* found = properties.if_contains(name);
  if (!found) return std::nullopt;
  return found->is_string() ? std::string(found->get_string()) : to_text(*found);
}

std::vector<std::string> texts(const json::object& properties, std::string_view name) {
  std::vector<std::string> items;
  const json::value* found = properties.if_contains(name);
  if (!found) return items;
  if (auto one = scalar_text(*found)) return {std::move(*one)};
  if (!found->is_array()) return items;
  for (const auto& item : found->get_array()) items.push_back(scalar_text(item).value_or(to_text(item)));
  return items;
}

std::vector<json::object> objects(const json::object& properties, std::string_view name) {
  std::vector<json::object> items;
  const json::value* found = properties.if_contains(name);
  if (!found || !found->is_array()) return items;
  for (const auto& item : found->get_array()) {
    if (item.is_object()) items.push_back(item.get_object());
  }
  return items;
}

bool differs(const json::object& before, const json::object& after, std::string_view name) {
  const json::value* one = before.if_contains(name);
  const json::value* two = after.if_contains(name);
  if (!one || !two) return one != two;
  return to_canonical_text(*one) != to_canonical_text(*two);
}

std::vector<std::string> without(const std::vector<std::string>& from,
                                 const std::vector<std::string>& other) {
  std::vector<std::string> left;
  std::ranges::copy_if(from, std::back_inserter(left),
                       [&other](const auto& item) { return !contains(other, item); });
  return left;
}

json::value text_value(const std::optional<std::string>& text) {
  return json::value(json::string(text.value_or("")));
}

json::value list_value(const std::vector<std::string>& items) {
  json::array list;
  for (const auto& item : items) list.emplace_back(json::string(item));
  return list;
}

}  // namespace instantstart::sandbox::cloudformation
