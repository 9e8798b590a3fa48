// What a request is about, read from its method, path and query: the attributes that discovery, rights, audit
// and handlers speak of (k8s.io/apiserver/pkg/endpoints/request).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/http.h"
#include "sandbox/kubernetes/api/refusals.h"

namespace instantstart::sandbox::kubernetes {

/// Query parameters that were decoded; the first of a name counts.
class Parameters {
 public:
  /// nullopt on a bad escape.
  static std::optional<Parameters> parse(std::string_view query);

  /// "" when it is absent.
  std::string_view get(std::string_view name) const;
  std::vector<std::string> all(std::string_view name) const;
  bool contains(std::string_view name) const;
  /// "true", "1" or "" are true, as in Go's strconv.
  bool is_set(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, std::string>> pairs_;
};

struct RequestInfo {
  bool is_resource = false;
  std::string verb;  ///< get list watch create update patch delete deletecollection; or the method, lower.
  std::string path;  ///< Below the cluster, decoded: what nonResourceURLs are compared with.
  std::string group;
  std::string version;
  std::string namespace_name;  ///< Empty: of the cluster, or all namespaces.
  std::string resource;        ///< "pods"
  std::string subresource;     ///< "log"; empty: the object itself.
  std::string name;            ///< Empty: the collection.
  std::string rest;            ///< After proxy: "/a/b".

  /// "pods/log"
  std::string resource_and_subresource() const;
  bool mutates() const;
  /// "create pods", "patch deployments/scale": as the audit and the fault plan name it.
  std::string operation() const;
};

/// `pieces` are those of the path below the cluster. What is below /api/v1 or /apis/GROUP/VERSION is a
/// resource.
RequestInfo read_request_info(std::string_view method, const std::vector<std::string>& pieces,
                              const Parameters& parameters);

}  // namespace instantstart::sandbox::kubernetes
