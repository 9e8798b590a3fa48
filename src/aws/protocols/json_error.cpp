#include "aws/protocols/json_error.h"

#include <fmt/format.h>

#include "aws/protocols/api_json.h"
#include "aws/protocols/codec.h"
#include "aws/protocols/protocol.h"
#include "aws/protocols/rest_bindings.h"

namespace instantstart::aws {
namespace {

std::string text_member(const json::object& body, std::initializer_list<std::string_view> names) {
  for (const auto name : names) {
    const json::value* value = body.if_contains(name);
    if (!value || value->is_null()) continue;
    return value->is_string() ? std::string(value->get_string()) : to_text(*value);
  }
  return {};
}

/// "com.amazonaws.x#NotFound:http://…" → "NotFound"
std::string bare_code(std::string_view code) {
  code = code.substr(0, code.find(':'));
  const auto hash = code.rfind('#');
  return std::string(hash == std::string_view::npos ? code : code.substr(hash + 1));
}

std::string code_of(const ServiceInfo& service, const HttpResponseParts& answer, const json::object& body) {
  if (service.protocol == Protocol::rest_json) {
    if (const std::string* type = find_header(answer.headers, "x-amzn-errortype")) return bare_code(*type);
    const std::string code = text_member(body, {"code", "Code"});
    if (!code.empty()) return bare_code(code);
  }
  if (const std::string* query =
          find_header(answer.headers, "x-amzn-query-error")) {  // "QueueDoesNotExist;Sender"
    const std::string code = query->substr(0, query->find(';'));
    if (!code.empty()) return code;
  }
  const std::string type = text_member(body, {"__type"});
  return type.empty() ? fmt::format("{}", answer.status) : bare_code(type);
}

/// The fields of a modelled error that could be read.
json::object typed_fields(const ServiceError& error, const HttpResponseParts& answer, const json::value& body,
                          BodyMembers members) {
  ShapeValue fields(*error.modelled->shape);
  const auto read = structure_from_json(fields.shape(), body, fields.get(), members);
  const auto headers = members == BodyMembers::without_location
                           ? unbind_headers(fields.shape(), answer, fields.get())
                           : Walked();
  return read && headers ? to_api_json(fields.shape(), fields.get()) : json::object();
}

const MemberInfo* message_member(const ShapeInfo& shape) {
  const MemberInfo* lower = shape.member("message");
  return lower ? lower : shape.member("Message");
}

}  // namespace

std::expected<json::value, Fault> parse_body(const std::string& body) {
  auto value = parse_json(body, {.max_bytes = k_max_document_bytes, .max_depth = k_max_value_depth});
  if (!value) return faulty(fmt::format("can't be read. {}", value.error().message));
  return std::move(*value);
}

ServiceError error_from_json(const ServiceInfo& service, const HttpResponseParts& answer,
                             BodyMembers members) {
  if (is_generic_error(answer)) return error_from_status(answer);
  ServiceError error{.request_id = request_id(answer), .status = answer.status};
  json::value body = json::object();
  if (!answer.body.empty()) {
    if (auto parsed = parse_body(answer.body); !parsed) {
      error.message = answer.body;
    } else if (parsed->is_object()) {
      body = std::move(*parsed);
    }
  }
  error.code = code_of(service, answer, body.get_object());
  if (error.message.empty()) error.message = text_member(body.get_object(), {"message", "Message"});
  error.modelled = service.error(error.code);
  if (error.modelled) error.fields = typed_fields(error, answer, body, members);
  return error;
}

ShapeValue error_structure(const ServiceError& error) {
  ShapeValue structure(*error.modelled->shape);
  if (!from_api_json(structure.shape(), error.fields, structure.get()))
    structure = ShapeValue(*error.modelled->shape);
  const MemberInfo* message = message_member(structure.shape());
  if (message && message->shape->kind == ShapeKind::string) {
    *static_cast<std::string*>(message->emplace(structure.get())) = error.message;
  }
  return structure;
}

json::object json_from_error(const ServiceError& error, BodyMembers members) {
  json::object body;
  if (error.modelled) {
    const ShapeValue structure = error_structure(error);
    body = json_from_structure(structure.shape(), structure.get(), members);
  }
  if (!body.contains("message") && !body.contains("Message")) body["message"] = error.message;
  return body;
}

}  // namespace instantstart::aws
