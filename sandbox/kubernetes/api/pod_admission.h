// What admission does to a new Pod: ServiceAccount, Priority, DefaultTolerationSeconds (kube-apiserver's
// default plugins), and the status that it begins with.
#pragma once

#include <string_view>

#include "sandbox/kubernetes/api/object_store.h"
#include "sandbox/kubernetes/objects/status.h"

namespace instantstart::sandbox::kubernetes {

Outcome<json::object> admit_pod(const ObjectStore& store, std::string_view cluster, json::object pod);

/// "Guaranteed", "Burstable", "BestEffort".
std::string_view quality_of_service(const json::object& pod);

}  // namespace instantstart::sandbox::kubernetes
