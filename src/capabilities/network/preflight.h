// What is looked at before anything is made: who calls, what they may do, what the account may still have,
// and what is there already. Everything that is wrong is reported at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aws/client.h"
#include "base/error.h"
#include "capabilities/network/control_plane_choices.h"
#include "domain/arn_text.h"

namespace instantstart::capabilities {

struct Identity {
  domain::Place place;
  std::string arn;  ///< As STS says: of an assumed role, that of the session.
};
Task<Identity> look_at_identity(aws::Client& client, net::Deadline deadline);

/// IAM actions that the caller's policies don't allow, as far as they can be simulated.
struct Permissions {
  std::vector<std::string> denied;
  bool checked = true;  ///< False: the caller may not simulate its own policies.
};
Task<Permissions> look_at_permissions(aws::Client& client, Identity identity,
                                      std::vector<std::string> actions, net::Deadline deadline);

/// Something that is counted against a quota of the account.
struct Budget {
  std::string what;                   ///< "VPCs"
  std::optional<std::int64_t> quota;  ///< Unknown when the caller may not read it.
  std::int64_t used = 0;
  std::int64_t needed = 0;
};

struct Preflight {
  PlaceFacts facts;
  std::vector<Budget> budgets;
  std::vector<std::string>
      denied;  ///< IAM actions that the caller's policies don't allow: "eks:CreateCluster".
  std::vector<FieldProblem> problems;  ///< Of an existing VPC.
  std::vector<std::string> warnings;
};

/// The facts of a new control plane's place. What the caller may not look at becomes a warning where the
/// creation may succeed without; other errors end it.
Task<Preflight> look_around(aws::Client& client, Identity identity, ControlPlaneCreate request,
                            net::Deadline deadline);

/// Problems of budgets and permissions, in words, with pointers "" and rules quota_exceeded and
/// access_denied.
std::vector<FieldProblem> preflight_problems(const Preflight& preflight);

/// One error for all problems; nullopt without any. Code `invalid_request` when the request itself is wrong,
/// else `access_denied`, else `quota_exceeded`.
std::optional<Error> to_error(std::vector<FieldProblem> problems);

/// The IAM role or user whose policies can be simulated: of a session its role, whose path only IAM knows.
/// nullopt for the account's root and for federated users.
struct Principal {
  std::string arn;        ///< Complete for users; for roles without path.
  std::string role_name;  ///< Of a session; else empty.
};
std::optional<Principal> simulated_principal(const Identity& identity);

}  // namespace instantstart::capabilities
