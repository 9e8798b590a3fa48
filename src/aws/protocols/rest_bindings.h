// What rest-json and rest-xml have in common: members in the path, the query string, headers and the status.
#pragma once

#include "aws/protocols/protocol.h"

namespace instantstart::aws {

/// Method, path, query and headers; and the body, when it is a payload of bytes or text.
std::expected<HttpRequestParts, Fault> bind_request(const OperationInfo& operation, const void* input);

/// Finds the operation by method, path and query. Of several that fit, the one with the most constant
/// segments is meant, then the most constant query parameters, then the most required ones (PutObject and
/// UploadPart share a path).
std::optional<Route> route_by_path(const ServiceInfo& service, const HttpRequestParts& request);

Walked unbind_request(const Route& route, const HttpRequestParts& request, void* input);

/// Status, headers, and a payload of bytes or text.
std::expected<HttpResponseParts, Fault> bind_response(const OperationInfo& operation, const void* output);
Walked unbind_headers(const ShapeInfo& shape, const HttpResponseParts& answer, void* output);

/// The payload member when the body is its bytes or text, nullptr when the body is a document.
const MemberInfo* raw_payload(const ShapeInfo& shape);
/// Reads such a body. It is always present, maybe empty: HTTP has no difference between no body and an empty
/// one.
void unbind_payload(const MemberInfo& payload, const std::string& body, void* object);

}  // namespace instantstart::aws
