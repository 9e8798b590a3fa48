// The json protocol, versions 1.0 and 1.1: the operation in X-Amz-Target, everything else in a JSON body.
#include <fmt/format.h>

#include "aws/protocols/json_body.h"
#include "aws/protocols/json_error.h"
#include "aws/protocols/protocol.h"

namespace instantstart::aws {
namespace {

std::string content_type(const ServiceInfo& service) {
  return fmt::format("application/x-amz-json-{}", service.json_version);
}

std::expected<HttpRequestParts, Fault> write_request(const OperationInfo& operation, const void* input) {
  const ServiceInfo& service = *operation.service;
  HttpRequestParts request{.method = std::string(operation.method)};
  request.headers = {{"X-Amz-Target", fmt::format("{}.{}", service.target_prefix, operation.name)},
                     {"Content-Type", content_type(service)}};
  if (service.query_compatible) request.headers.emplace_back("x-amzn-query-mode", "true");
  request.body = to_text(json_from_structure(*operation.input, input));
  return request;
}

Walked read_body(const ShapeInfo& shape, const std::string& body, void* target) {
  if (body.empty()) return {};
  auto value = parse_body(body);
  return value ? structure_from_json(shape, *value, target)
               : Walked(std::unexpected(std::move(value.error())));
}

Walked read_response(const OperationInfo& operation, const HttpResponseParts& answer, void* output) {
  return operation.has_output ? read_body(*operation.output, answer.body, output) : Walked();
}

ServiceError read_error(const OperationInfo& operation, const HttpResponseParts& answer) {
  return error_from_json(*operation.service, answer, BodyMembers::all);
}

std::optional<Route> route(const ServiceInfo& service, const HttpRequestParts& request) {
  const std::string* target = find_header(request.headers, "X-Amz-Target");
  if (!target || request.method != "POST") return std::nullopt;
  const auto dot = target->rfind('.');
  if (dot == std::string::npos || std::string_view(*target).substr(0, dot) != service.target_prefix) {
    return std::nullopt;
  }
  const OperationInfo* operation = service.operation(std::string_view(*target).substr(dot + 1));
  return operation ? std::optional<Route>({.operation = operation, .labels = {}}) : std::nullopt;
}

Walked read_request(const Route& route, const HttpRequestParts& request, void* input) {
  return read_body(*route.operation->input, request.body, input);
}

std::expected<HttpResponseParts, Fault> write_response(const OperationInfo& operation, const void* output,
                                                       const std::string& request_id) {
  HttpResponseParts answer{.status = operation.response_code};
  answer.headers = {{"x-amzn-RequestId", request_id}, {"Content-Type", content_type(*operation.service)}};
  if (operation.has_output) answer.body = to_text(json_from_structure(*operation.output, output));
  return answer;
}

HttpResponseParts write_error(const ServiceInfo& service, const ServiceError& error) {
  json::object body = json_from_error(error, BodyMembers::all);
  body["__type"] = error.code;
  return {.status = error.status,
          .headers = {{"x-amzn-RequestId", error.request_id}, {"Content-Type", content_type(service)}},
          .body = to_text(body)};
}

}  // namespace

const ProtocolCodec k_json_codec{.write_request = &write_request,
                                 .read_response = &read_response,
                                 .read_error = &read_error,
                                 .route = &route,
                                 .read_request = &read_request,
                                 .write_response = &write_response,
                                 .write_error = &write_error,
                                 .unknown_operation = "UnknownOperationException",
                                 .malformed_request = "SerializationException"};

}  // namespace instantstart::aws
