// A call to a Service through the API server, which carries it to a pod: for calling a deployed model without
// a way into the cluster's network.
// https://kubernetes.io/docs/tasks/access-application-cluster/access-cluster-services/
#pragma once

#include <memory>
#include <string>

#include "kube/connection.h"
#include "kube/object.h"

namespace instantstart::kube {

struct ServiceCall {
  ObjectName service;
  bool https = false;
  std::string port;  ///< A number, or the port's name in the Service.
  std::string method = "POST";
  std::string path = "/";  ///< Of the Service, percent-encoded, without a query: "/v1/chat/completions".
  Query query = {};
  net::Headers headers = {};  ///< Content-Type and the like. Authorization is refused: it is the cluster's.
  std::string body = {};
};

struct ServiceAnswer {
  int status = 0;
  net::Headers headers;
  std::unique_ptr<net::ClientBodyStream> body;  ///< In pieces of at most 64 KB.
};

/// Whatever the Service answers is an answer. Errors: `invalid_request`; what the API server itself says (no
/// such Service, no endpoints, not allowed), as in status.h; `unknown_outcome` when the reply to anything but
/// a GET was lost, since nobody knows what a repeat would do.
Task<ServiceAnswer> call_service(Connection& connection, ServiceCall call, net::Deadline header_deadline);

}  // namespace instantstart::kube
