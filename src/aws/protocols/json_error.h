// Errors of json and rest-json.
#pragma once

#include "aws/protocols/http_parts.h"
#include "aws/protocols/json_body.h"
#include "aws/protocols/service_error.h"

namespace instantstart::aws {

/// A body of at most k_max_document_bytes and k_max_value_depth levels.
std::expected<json::value, Fault> parse_body(const std::string& body);

/// Code, in botocore's order: x-amzn-query-error (services that spoke query once), for rest-json
/// x-amzn-errortype and "code", then
/// "__type", then the HTTP status.
ServiceError error_from_json(const ServiceInfo& service, const HttpResponseParts& answer,
                             BodyMembers members);

/// The message and the typed fields. `error.modelled` is set.
json::object json_from_error(const ServiceError& error, BodyMembers members);

/// The typed fields of a modelled error as a structure of its shape; fields that do not fit are left out.
ShapeValue error_structure(const ServiceError& error);

}  // namespace instantstart::aws
