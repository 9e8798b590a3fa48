// The rest-xml protocol (S3).
#include <algorithm>

#include <pugixml.hpp>

#include "aws/protocols/rest_bindings.h"
#include "aws/protocols/scalars.h"
#include "aws/protocols/xml_body.h"
#include "aws/protocols/xml_error.h"

namespace instantstart::aws {
namespace {

bool has_body_members(const ShapeInfo& shape, const void* structure) {
  return std::ranges::any_of(shape.members, [&](const auto& member) {
    return member.location == Location::body && member.peek(structure);
  });
}

std::expected<std::string, Fault> text_of_document(XmlDocument& document, pugi::xml_node root,
                                                   const ShapeInfo& shape, const void* structure,
                                                   bool declared) {
  auto written = append_members(root, shape, structure);
  if (!written) return std::unexpected(std::move(written.error()));
  return document.text(declared);
}

/// The body of a request: its payload structure, or its members without another place; empty when there is
/// neither.
std::expected<std::string, Fault> request_document(const OperationInfo& operation, const void* input) {
  const ShapeInfo& shape = *operation.input;
  const void* body = shape.payload                    ? shape.payload->peek(input)
                     : has_body_members(shape, input) ? input
                                                      : nullptr;
  if (!body) return std::string();
  XmlDocument document;
  const pugi::xml_node root = document.make_root(
      operation.request_root, operation.request_namespace ? *operation.request_namespace : XmlNamespace{});
  return text_of_document(document, root, shape.payload ? *shape.payload->shape : shape, body, false);
}

std::expected<HttpRequestParts, Fault> write_request(const OperationInfo& operation, const void* input) {
  auto request = bind_request(operation, input);
  if (!request || raw_payload(*operation.input)) return request;
  auto body = request_document(operation, input);
  if (!body) return std::unexpected(std::move(body.error()));
  request->body = std::move(*body);
  return request;
}

/// Reads a body that is a document into the payload member or into the structure itself.
Walked read_document(const ShapeInfo& shape, const std::string& body, bool unwrapped, void* structure) {
  if (body.empty()) return {};
  const auto document = XmlDocument::parse(body);
  if (!document) return std::unexpected(document.error());
  if (unwrapped) {  // <LocationConstraint>us-west-2</LocationConstraint>; empty for us-east-1
    const std::string text = text_of(document->root());
    const MemberInfo& member = shape.members.front();
    return text.empty() ? Walked() : scalar_from_text(*member.shape, text, member.emplace(structure));
  }
  if (!shape.payload) return members_from_xml(shape, document->root(), structure);
  auto read = members_from_xml(*shape.payload->shape, document->root(), shape.payload->emplace(structure));
  return read ? read : in_member(shape.payload->name, std::move(read.error()));
}

Walked read_response(const OperationInfo& operation, const HttpResponseParts& answer, void* output) {
  const ShapeInfo& shape = *operation.output;
  if (auto read = unbind_headers(shape, answer, output); !read) return read;
  if (const MemberInfo* payload = raw_payload(shape)) {
    unbind_payload(*payload, answer.body, output);
    return {};
  }
  return operation.has_output ? read_document(shape, answer.body, operation.unwrapped_output, output)
                              : Walked();
}

ServiceError read_error(const OperationInfo& operation, const HttpResponseParts& answer) {
  return error_from_xml(*operation.service, answer);
}

Walked read_request(const Route& route, const HttpRequestParts& request, void* input) {
  auto read = unbind_request(route, request, input);
  if (!read || raw_payload(*route.operation->input)) return read;
  return read_document(*route.operation->input, request.body, false, input);
}

std::string unwrapped_document(const OperationInfo& operation, const void* output) {
  XmlDocument document;
  const MemberInfo& member = operation.output->members.front();
  pugi::xml_node root = document.make_root(operation.response_root, {operation.service->xml_namespace, {}});
  if (const void* value = member.peek(output)) {
    root.text().set(scalar_to_text(*member.shape, member.wire, TimestampFormat::iso8601, value).c_str());
  }
  return document.text(true);
}

bool may_have_body(const ShapeInfo& shape) {
  return std::ranges::any_of(shape.members,
                             [](const auto& member) { return member.location == Location::body; });
}

std::expected<std::string, Fault> response_document(const OperationInfo& operation, const void* output) {
  if (operation.unwrapped_output) return unwrapped_document(operation, output);
  const ShapeInfo& shape = *operation.output;
  const void* body = shape.payload ? shape.payload->peek(output) : may_have_body(shape) ? output : nullptr;
  if (!body) return std::string();
  XmlDocument document;
  pugi::xml_node root = document.make_root(operation.response_root, {operation.service->xml_namespace, {}});
  const XmlNamespace* modelled = shape.payload ? shape.payload->wire.xml_namespace : nullptr;
  if (modelled && !modelled->prefix.empty()) declare_namespace(root, *modelled);
  return text_of_document(document, root, shape.payload ? *shape.payload->shape : shape, body, true);
}

std::expected<HttpResponseParts, Fault> write_response(const OperationInfo& operation, const void* output,
                                                       const std::string& request_id) {
  auto answer = bind_response(operation, output);
  if (!answer) return answer;
  answer->headers.emplace_back("x-amz-request-id", request_id);
  if (raw_payload(*operation.output)) return answer;
  auto body = response_document(operation, output);
  if (!body) return std::unexpected(std::move(body.error()));
  answer->body = std::move(*body);
  if (!answer->body.empty()) answer->headers.emplace_back("Content-Type", "application/xml");
  return answer;
}

HttpResponseParts write_error(const ServiceInfo&, const ServiceError& error) {
  XmlDocument document;
  pugi::xml_node root = document.make_root("Error", {});
  append_error(root, error);
  append_text(root, "RequestId", error.request_id);
  return {.status = error.status,
          .headers = {{"x-amz-request-id", error.request_id}, {"Content-Type", "application/xml"}},
          .body = document.text(true)};
}

}  // namespace

const ProtocolCodec k_rest_xml_codec{.write_request = &write_request,
                                     .read_response = &read_response,
                                     .read_error = &read_error,
                                     .route = &route_by_path,
                                     .read_request = &read_request,
                                     .write_response = &write_response,
                                     .write_error = &write_error,
                                     .unknown_operation = "NotImplemented",
                                     .malformed_request = "MalformedXML"};

}  // namespace instantstart::aws
