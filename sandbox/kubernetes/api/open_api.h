// /openapi/v3 and /openapi/v2.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "sandbox/kubernetes/api/object_store.h"
#include "sandbox/kubernetes/api/served_types.h"

namespace instantstart::sandbox::kubernetes {

/// A document as text, and what changes when it does.
struct OpenApiDocument {
  std::string text;
  std::string hash;
};

/// Keeps what was made: built-in documents are large. Loop thread only.
class OpenApi {
 public:
  OpenApi(const ObjectStore& store, ServedTypes& types) : store_(store), types_(types) {}

  /// `prefix` is the cluster's path, "/clusters/…": links begin with it.
  json::object index(std::string_view cluster, std::string_view prefix);
  /// `path` is "api/v1" or "apis/apps/v1". Null when it isn't served.
  Result<const OpenApiDocument*> document(std::string_view cluster, std::string_view path);
  /// Swagger 2.0: the types of all of v3, without paths.
  Result<std::string> version_2(std::string_view cluster);

 private:
  std::string hash_of(std::string_view cluster, std::string_view group, std::string_view version);
  Result<json::object> make(std::string_view cluster, std::string_view group, std::string_view version);

  const ObjectStore& store_;
  ServedTypes& types_;
  std::map<std::string, OpenApiDocument, std::less<>> kept_;  ///< By hash.
};

}  // namespace instantstart::sandbox::kubernetes
