// Request bodies in Kubernetes' protobuf encoding ("application/vnd.kubernetes.protobuf"), which typed
// clients of Go send for built-in kinds. They become JSON at the door; answers are JSON always.
#pragma once

#include <string_view>

#include "sandbox/kubernetes/objects/status.h"

namespace instantstart::sandbox::kubernetes {

bool is_protobuf(std::string_view content_type);

/// The object with its apiVersion and kind. 400 for bytes that are no such message, 415 for a kind that isn't
/// known.
Outcome<json::object> decode_protobuf(std::string_view body);

}  // namespace instantstart::sandbox::kubernetes
