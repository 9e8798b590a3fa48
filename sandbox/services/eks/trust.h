// Whether a role may be assumed by a service. Pure.
#pragma once

#include <string_view>

#include <boost/json/object.hpp>

#include "base/json.h"

namespace instantstart::sandbox::eks {

/// Whether a statement of the trust policy allows sts:AssumeRole to the service. Conditions and denials are
/// not looked at: EKS itself learns of them only when it assumes the role.
bool trusts_service(const json::object& trust_policy, std::string_view service);

}  // namespace instantstart::sandbox::eks
