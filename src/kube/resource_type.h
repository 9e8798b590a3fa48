// A kind of object as a server serves it, and the paths of its objects.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kube/object.h"

namespace instantstart::kube {

struct ResourceType {
  GroupVersionKind gvk;
  std::string plural;  ///< The name in paths: "pods".
  bool namespaced = true;
  std::string singular = {};
  std::vector<std::string> short_names = {};
  std::vector<std::string> verbs = {};         ///< "get", "list", "watch", "create", …
  std::vector<std::string> subresources = {};  ///< "status", "scale", "log", …

  bool serves(std::string_view verb) const;
  bool has_subresource(std::string_view name) const;
  bool operator==(const ResourceType&) const = default;
};

/// "/api/v1/namespaces/a/pods" or "/apis/ray.io/v1/rayjobs". Of a namespaced type, "" means all namespaces.
/// Error `invalid_request`: a namespace that can't be one, or one for a cluster-wide type.
Result<std::string> collection_path(const ResourceType& type, std::string_view space);

/// "/api/v1/namespaces/a/pods/p/status". Error `invalid_request`: a name that would change the path, a
/// missing or superfluous namespace.
Result<std::string> object_path(const ResourceType& type, const ObjectName& id,
                                std::string_view subresource = "");

/// One piece of a path, percent-encoded. Error `invalid_request` for what Kubernetes forbids in one:
/// "", ".", "..", and anything with "/" or "%" (apimachinery, path.IsValidPathSegmentName).
Result<std::string> path_piece(std::string_view what, std::string_view text);

}  // namespace instantstart::kube
