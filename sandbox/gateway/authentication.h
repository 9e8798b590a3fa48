// Who sends a request: the owner of the key whose secret made its signature.
#pragma once

#include <expected>
#include <optional>
#include <string>

#include "aws/shapes/shape.h"
#include "base/time.h"
#include "net/http.h"
#include "sandbox/core/access_keys.h"
#include "sandbox/gateway/signature.h"

namespace instantstart::sandbox {

/// Nobody's members are empty.
struct Identity {
  std::string access_key_id;
  std::string principal_arn;
  std::string principal_id;
};

/// `operation` may be nullptr, when the request names none that is known. Without a claim only operations
/// that the model calls unsigned are let in. Any region will do, for IAM as well: a client that is given an
/// endpoint signs for its own region.
std::expected<Identity, AuthRefusal> authenticate(const net::Request& request,
                                                  const std::optional<SignatureClaim>& claim,
                                                  const aws::ServiceInfo& service,
                                                  const aws::OperationInfo* operation, const AccessKeys& keys,
                                                  WallTime now);

}  // namespace instantstart::sandbox
