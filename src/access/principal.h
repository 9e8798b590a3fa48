// Who may call: persons and agents with a role, proven by a token or by a browser session.
#pragma once

#include <string>

#include "contract/action.h"

namespace instantstart::access {

struct Principal {
  std::string id;  ///< "local", "token:ci"; lower case, no spaces
  contract::PrincipalKind kind = contract::PrincipalKind::person;
  contract::Role role = contract::Role::viewer;
};

/// Does `role` include what `least` may do?
bool role_includes(contract::Role role, contract::Role least);

}  // namespace instantstart::access
