// What a service answers instead of an output.
#pragma once

#include <string>

#include <boost/json/object.hpp>

#include "aws/shapes/shape.h"

namespace instantstart::aws {

struct ServiceError {
  /// As the service says it, without namespace or suffix: "ResourceNotFoundException",
  /// "InvalidVpcID.NotFound". The HTTP status as text, "503", where the answer does not name one.
  std::string code;
  std::string message;
  std::string request_id;  ///< Empty when the answer has none.
  int status = 0;          ///< HTTP. When a server sends an error, 0 takes the model's.
  /// The model's entry for the code; nullptr when it has none. Set by `decode_error`, looked up by
  /// `encode_error`.
  const ErrorInfo* modelled = nullptr;
  /// The members of a modelled error, in API names: {"clusterName": "a", "message": "…"}.
  boost::json::object fields;
};

}  // namespace instantstart::aws
