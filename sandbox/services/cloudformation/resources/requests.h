// From a resource's properties to the typed request of an AWS call. The two spell members alike but for the
// first letter's case, and templates may write numbers and booleans as text.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "aws/protocols/api_json.h"
#include "aws/shapes/shape.h"
#include "sandbox/services/cloudformation/errors.h"
#include "sandbox/services/cloudformation/resources/resource_type.h"

namespace instantstart::sandbox::cloudformation {

/// The properties in the words and kinds of the shape. "Encountered unsupported property X" for a member that
/// the shape doesn't have.
Reply<json::object> fitted(const aws::ShapeInfo& shape, const json::object& properties);

/// The sentence about properties of wrong kinds.
std::string properties_problem(const Error& error);

/// The properties but for `except`, as the request (or a part of it) of type T.
template <class T>
Reply<T> request_from(json::object properties, std::initializer_list<std::string_view> except = {"Tags"}) {
  for (const auto name : except) properties.erase(name);
  T request;
  const aws::ShapeInfo& shape = shape_info(&request);
  const auto fitting = fitted(shape, properties);
  if (!fitting) return std::unexpected(fitting.error());
  const auto read = aws::from_api_json(shape, *fitting, &request);
  if (!read) return invalid(properties_problem(read.error()));
  return request;
}

/// A string, number or boolean as text; nullopt when it is absent.
std::optional<std::string> text(const json::object& properties, std::string_view name);
std::optional<std::int64_t> integer(const json::object& properties, std::string_view name);
bool flag(const json::object& properties, std::string_view name, bool otherwise = false);
/// A policy document: an object, or text as it is.
std::optional<std::string> document(const json::object& properties, std::string_view name);
/// A list of strings; empty when it is absent.
std::vector<std::string> texts(const json::object& properties, std::string_view name);
/// A list's objects; empty when it is absent.
std::vector<json::object> objects(const json::object& properties, std::string_view name);
/// Whether the property is another one.
bool differs(const json::object& before, const json::object& after, std::string_view name);

/// Those of `from` that `other` lacks.
std::vector<std::string> without(const std::vector<std::string>& from, const std::vector<std::string>& other);

json::value text_value(const std::optional<std::string>& text);
json::value list_value(const std::vector<std::string>& items);

}  // namespace instantstart::sandbox::cloudformation
