// The rest-json protocol (EKS): method and path name the operation; the rest of the input is a JSON body.
#include <fmt/format.h>

#include "aws/protocols/json_body.h"
#include "aws/protocols/json_error.h"
#include "aws/protocols/rest_bindings.h"

namespace instantstart::aws {
namespace {

bool has_body_members(const ShapeInfo& shape) {
  for (const auto& member : shape.members) {
    if (member.location == Location::body) return true;
  }
  return false;
}

/// The document of a structure: its payload member, or its members without another place. Empty when it has
/// neither.
std::string document(const ShapeInfo& shape, const void* structure) {
  if (!shape.payload) {
    if (!has_body_members(shape)) return {};
    return to_text(json_from_structure(shape, structure, BodyMembers::without_location));
  }
  const void* payload = shape.payload->peek(structure);
  return payload ? to_text(json_from_structure(*shape.payload->shape, payload)) : "{}";
}

Walked read_document(const ShapeInfo& shape, const std::string& body, void* structure) {
  if (body.empty()) return {};
  auto value = parse_body(body);
  if (!value) return std::unexpected(std::move(value.error()));
  if (!shape.payload) return structure_from_json(shape, *value, structure, BodyMembers::without_location);
  auto read = structure_from_json(*shape.payload->shape, *value, shape.payload->emplace(structure));
  return read ? read : in_member(shape.payload->name, std::move(read.error()));
}

std::expected<HttpRequestParts, Fault> write_request(const OperationInfo& operation, const void* input) {
  auto request = bind_request(operation, input);
  if (!request || raw_payload(*operation.input)) return request;
  request->body = document(*operation.input, input);
  if (!request->body.empty() && !find_header(request->headers, "Content-Type")) {
    request->headers.emplace_back("Content-Type", "application/json");
  }
  return request;
}

Walked read_response(const OperationInfo& operation, const HttpResponseParts& answer, void* output) {
  const ShapeInfo& shape = *operation.output;
  if (auto read = unbind_headers(shape, answer, output); !read) return read;
  if (const MemberInfo* payload = raw_payload(shape)) {
    unbind_payload(*payload, answer.body, output);
    return {};
  }
  return operation.has_output ? read_document(shape, answer.body, output) : Walked();
}

ServiceError read_error(const OperationInfo& operation, const HttpResponseParts& answer) {
  return error_from_json(*operation.service, answer, BodyMembers::without_location);
}

Walked read_request(const Route& route, const HttpRequestParts& request, void* input) {
  const ShapeInfo& shape = *route.operation->input;
  auto read = unbind_request(route, request, input);
  if (!read || raw_payload(shape)) return read;
  return has_body_members(shape) ? read_document(shape, request.body, input) : Walked();
}

std::expected<HttpResponseParts, Fault> write_response(const OperationInfo& operation, const void* output,
                                                       const std::string& request_id) {
  auto answer = bind_response(operation, output);
  if (!answer) return answer;
  answer->headers.emplace_back("x-amzn-RequestId", request_id);
  if (raw_payload(*operation.output)) return answer;
  answer->headers.emplace_back("Content-Type", "application/json");
  answer->body = operation.has_output ? document(*operation.output, output) : "";
  if (answer->body.empty()) answer->body = "{}";
  return answer;
}

HttpResponseParts write_error(const ServiceInfo&, const ServiceError& error) {
  return {.status = error.status,
          .headers = {{"x-amzn-RequestId", error.request_id},
                      {"x-amzn-ErrorType", error.code},
                      {"Content-Type", "application/json"}},
          .body = to_text(json_from_error(error, BodyMembers::without_location))};
}

}  // namespace

const ProtocolCodec k_rest_json_codec{.write_request = &write_request,
                                      .read_response = &read_response,
                                      .read_error = &read_error,
                                      .route = &route_by_path,
                                      .read_request = &read_request,
                                      .write_response = &write_response,
                                      .write_error = &write_error,
                                      .unknown_operation = "UnknownOperationException",
                                      .malformed_request = "SerializationException"};

}  // namespace instantstart::aws
