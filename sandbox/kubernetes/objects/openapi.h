// The OpenAPI v3 documents that clients download (/openapi/v3/apis/apps/v1): `kubectl explain` and clients
// that validate.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "sandbox/kubernetes/objects/resources.h"

namespace instantstart::sandbox::kubernetes {

/// The document of one group version: schemas of its built-in kinds with what they refer to, and the paths of
/// `resources` (which may be custom ones: their schemas come from `definitions`, CustomResourceDefinitions of
/// the same group). Unpacks 1.3 MB of text for built-in kinds; keep the answer. Error `internal` when the
/// build's resource is damaged.
Result<json::object> openapi_v3_document(std::string_view group, std::string_view version,
                                         std::span<const ResourceInfo> resources,
                                         std::span<const json::object* const> definitions = {});

}  // namespace instantstart::sandbox::kubernetes
