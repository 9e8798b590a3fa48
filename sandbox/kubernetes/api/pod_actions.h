// Subresources by which something is done to a pod or got from it: logs, eviction, binding; and tokens of
// service accounts.
#pragma once

#include "sandbox/core/world.h"
#include "sandbox/kubernetes/api/api_call.h"
#include "sandbox/kubernetes/api/node_access.h"
#include "sandbox/kubernetes/api/object_store.h"
#include "sandbox/kubernetes/api/object_writer.h"

namespace instantstart::sandbox::kubernetes {

struct PodActionParts {
  World& world;
  ObjectStore& store;
  ObjectWriter& writer;
  PodLogs& logs;
  const ServiceAccountTokens& tokens;
};

/// The call's pod must exist: 404.
Outcome<net::Response> pod_log(PodActionParts parts, const ApiCall& call);
/// Deletes it if its PodDisruptionBudgets allow: 429.
Outcome<net::Response> evict_pod(PodActionParts parts, const ApiCall& call);
/// Puts it on a node: 409 if it is on one.
Outcome<net::Response> bind_pod(PodActionParts parts, const ApiCall& call);
/// TokenRequest
Outcome<net::Response> request_token(PodActionParts parts, const ApiCall& call);

/// meta/v1 DeleteOptions, from the body and the query.
Outcome<DeleteOptions> delete_options(const Parameters& parameters, const json::object& body);

}  // namespace instantstart::sandbox::kubernetes
