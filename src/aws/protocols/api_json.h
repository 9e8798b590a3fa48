// Structures as JSON in the API's own member names, whatever the service's protocol: for logs, audit trails,
// simulated state, tests, and the typed fields of errors. Times are ISO 8601 text, blobs base64.
#pragma once

#include <boost/json/object.hpp>

#include "aws/shapes/shape.h"
#include "base/json.h"
#include "base/result.h"

namespace instantstart::aws {

struct ApiJsonOptions {
  /// What the model calls sensitive is written as "[secret]" unless this is set.
  bool reveal_sensitive = false;
};

json::object to_api_json(const ShapeInfo& shape, const void* structure, ApiJsonOptions options = {});

template <class T>
json::object to_api_json(const T& structure, ApiJsonOptions options = {}) {
  return to_api_json(shape_info(&structure), &structure, options);
}

/// Strict: unknown members and wrong kinds are problems of an `invalid_request` error. Null is absent.
Result<void> from_api_json(const ShapeInfo& shape, const json::value& value, void* structure);

}  // namespace instantstart::aws
