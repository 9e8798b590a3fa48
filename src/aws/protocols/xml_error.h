// Errors of query, ec2 and rest-xml.
#pragma once

#include "aws/protocols/http_parts.h"
#include "aws/protocols/service_error.h"
#include "aws/protocols/xml_body.h"

namespace instantstart::aws {

/// All forms that AWS has: ErrorResponse/Error, Response/Errors/Error, and S3's Error. What is not XML, or
/// names no code, is an error with the HTTP status as its code.
ServiceError error_from_xml(const ServiceInfo& service, const HttpResponseParts& answer);

/// Adds Code, Message and the typed fields of a modelled error.
void append_error(pugi::xml_node element, const ServiceError& error);

}  // namespace instantstart::aws
