// The two calls of STS that turn one identity into another. An interface, since the credentials that the
// client needs may themselves come from such a call.
#pragma once

#include <optional>
#include <string>

#include "aws/credentials.h"
#include "base/secret.h"
#include "net/task.h"
#include "net/time.h"

namespace instantstart::aws {

struct RoleRequest {
  std::string role_arn;
  std::string session_name;  ///< Shown in CloudTrail; 2 to 64 characters.
  std::optional<std::string> external_id = {};
  std::optional<std::int64_t> duration_seconds = {};  ///< STS's default is an hour.
};

/// Errors: those of a call to AWS.
class RoleAssumer {
 public:
  virtual ~RoleAssumer() = default;

  virtual Task<Credentials> assume_role(RoleRequest request, Credentials source, net::Deadline deadline) = 0;

  /// Not signed: the token, an OpenID Connect one, is the proof.
  virtual Task<Credentials> assume_role_with_web_identity(RoleRequest request, Secret token,
                                                          net::Deadline deadline) = 0;
};

}  // namespace instantstart::aws
