// Who calls an action, by which face, and until when the answer is wanted.
#pragma once

#include <string>

#include "base/describe.h"
#include "net/time.h"

namespace instantstart::contract {

enum class Role { viewer, operator_, admin };  ///< Each may do what the one before may.

enum class Face { rest, cli, mcp, internal };

enum class PrincipalKind { person, agent };

/// Who calls, as established by the access room; handlers trust it.
struct Caller {
  std::string principal;  ///< Stable id: "local", "token:ci"
  PrincipalKind kind = PrincipalKind::person;
  Role role = Role::viewer;
  Face face = Face::internal;
  std::string request_id;  ///< Correlates log lines, activity and AWS calls.
  net::Deadline deadline;
  bool dry_run = false;  ///< Asked of a local action: say what would be done, change nothing.
};

Type describe(Role*);
Type describe(Face*);
Type describe(PrincipalKind*);

}  // namespace instantstart::contract
