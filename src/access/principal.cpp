#include "access/principal.h"

namespace instantstart::access {

bool role_includes(contract::Role role, contract::Role least) { return role >= least; }

}  // namespace instantstart::access
