#include <algorithm>

#include "base/decode.h"
#include "base/error_codes.h"
#include "base/text.h"
#include "faces/rest/rest.h"

namespace instantstart::faces {
namespace {

const Field* find_field(const Type& type, std::string_view name) {
  const auto found = std::ranges::find(type.fields, name, &Field::name);
  return found == type.fields.end() ? nullptr : &*found;
}

FieldProblem twice(std::string_view name, std::string_view where) {
  return {join_pointer("", name), "given_twice", fmt::format("is given {}", where), "", {}};
}

Result<json::object> query_arguments(const contract::Action& action, const net::Request& request) {
  const auto pairs = net::parse_query(request.query());
  if (!pairs) return fail(codes::bad_request, "The query has a bad percent escape.");
  json::object arguments;
  std::vector<FieldProblem> problems;
  for (const auto& [name, value] : *pairs) {
    const Field* field = find_field(*action.request, name);
    if (field && field->type().kind == Kind::array) {
      auto& items = arguments[name];
      if (!items.is_array()) items.emplace_array();
      items.get_array().emplace_back(value);
    } else if (arguments.contains(name)) {
      problems.push_back(twice(name, "more than once in the query"));
    } else {
      arguments[name] = value;
    }
  }
  if (!problems.empty()) return fail(invalid_request(std::move(problems)));
  return arguments;
}

Result<json::object> body_arguments(const net::Request& request) {
  if (!request.query().empty()) {
    return fail(codes::bad_request, "This method takes its arguments in the body, not in the query.");
  }
  if (trim(request.body).empty()) return json::object();
  auto value = parse_json(request.body);
  if (!value) return std::unexpected(value.error());
  if (!value->is_object()) {
    return fail(invalid_request({{"", "type", "must be an object", shortened(request.body, 200), {}}}));
  }
  return std::move(value->get_object());
}

/// A path carries text only. What its field wants is known from the table.
json::value path_value(const contract::Action& action, const std::string& name, const std::string& text) {
  const Field* field = find_field(*action.request, name);
  const Kind kind = field ? field->type().kind : Kind::string;
  if (kind != Kind::integer && kind != Kind::number && kind != Kind::boolean)
    return json::value(json::string(text));
  auto scalar = parse_json(text);
  return scalar && (scalar->is_number() || scalar->is_bool()) ? std::move(*scalar)
                                                              : json::value(json::string(text));
}

}  // namespace

Result<json::object> request_arguments(const RouteMatch& match, const net::Request& request) {
  const contract::Action& action = *match.action;
  auto arguments = action.has_body() ? body_arguments(request) : query_arguments(action, request);
  if (!arguments) return arguments;
  std::vector<FieldProblem> problems;
  for (const auto& [name, text] : match.members) {
    if (arguments->contains(name)) problems.push_back(twice(name, "by the path already"));
    (*arguments)[name] = path_value(action, name, text);
  }
  if (!problems.empty()) return fail(invalid_request(std::move(problems)));
  // The header that HTTP clients and gateways know for the same thing.
  const std::string_view key = request.headers.get("Idempotency-Key");
  if (!key.empty() && action.spec.effect != contract::Effect::read && !arguments->contains("client_token")) {
    (*arguments)["client_token"] = key;
  }
  return arguments;
}

}  // namespace instantstart::faces
