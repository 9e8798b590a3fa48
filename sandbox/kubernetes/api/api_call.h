// One request to the API of one cluster, with all that was found out about it.
#pragma once

#include <string>

#include "net/http.h"
#include "sandbox/kubernetes/api/identity.h"
#include "sandbox/kubernetes/api/policy_rule.h"
#include "sandbox/kubernetes/api/request_info.h"
#include "sandbox/kubernetes/api/served_types.h"
#include "sandbox/kubernetes/objects/status.h"

namespace instantstart::sandbox::kubernetes {

struct ApiCall {
  std::string cluster;
  RequestInfo info;
  Parameters parameters;
  Identity who;
  net::Request request;
  ServedTypePtr type = nullptr;  ///< Of the resource; null where the path names none.
};

/// What a request wants to do.
Attributes attributes_of(const RequestInfo& info);

/// JSON with that status.
net::Response json_response(int status, const json::value& body);
net::Response fault_response(const Status& fault);
/// Adds `Warning: 299 - "…"` headers.
void add_warnings(net::Response& response, const std::vector<std::string>& warnings);

/// The body as one JSON object: 400 or 415. An absent body is an empty object.
Outcome<json::object> body_object(const ApiCall& call);
/// 415 for protobuf, CBOR and anything else but JSON.
Outcome<> check_content_type(const ApiCall& call);

}  // namespace instantstart::sandbox::kubernetes
