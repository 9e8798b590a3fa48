// The refusals that only a server makes, in the words of k8s.io/apimachinery/pkg/api/errors; those about
// objects are in objects/status.h.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "sandbox/kubernetes/objects/status.h"

namespace instantstart::sandbox::kubernetes {

/// "pods", "deployments.apps": how sentences name a resource.
std::string qualified(std::string_view resource, std::string_view group);

/// The Status of a deletion that left no object to show.
json::object success_status(std::string_view name, std::string_view group, std::string_view resource,
                            std::string_view uid);

/// The path leads nowhere.
Status no_such_path();
/// The object changed since it was read.
Status modified_meanwhile(std::string_view group, std::string_view resource, std::string_view name);
Status forbidden(std::string_view group, std::string_view resource, std::string_view name,
                 std::string_view why);
Status unauthorized();
Status expired(std::string message);
Status method_not_allowed();
Status unsupported_media_type(std::string_view accepted);
Status not_acceptable();
Status too_large();
Status internal_fault(std::string_view message);
Status not_implemented(std::string message);
Status unavailable(std::string message);
Status throttled(std::string message);
/// A version that the cluster has not reached.
Status version_too_large(std::int64_t wanted, std::int64_t current);

}  // namespace instantstart::sandbox::kubernetes
