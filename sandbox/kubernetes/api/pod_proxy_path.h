// Requests that a server passes on to a pod: /proxy below pods and services.
#pragma once

#include "sandbox/kubernetes/api/api_call.h"
#include "sandbox/kubernetes/api/node_access.h"
#include "sandbox/kubernetes/api/object_store.h"

namespace instantstart::sandbox::kubernetes {

/// From the path alone, before anything is known: may be true for a few that are not proxied.
bool names_proxy(std::string_view path);
bool is_proxied(const ApiCall& call);
/// From the name, "[https:]name[:port]". 404 when there is no such object.
Outcome<ProxyTarget> proxy_target(const ObjectStore& store, const ApiCall& call);
/// With the query: "/v1/models?a=b".
std::string proxied_path(const ApiCall& call);

}  // namespace instantstart::sandbox::kubernetes
