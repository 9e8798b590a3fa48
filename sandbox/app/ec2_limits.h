// What EC2 enforces is what Service Quotas says.
#pragma once

#include <string_view>

#include "sandbox/services/ec2/limits.h"
#include "sandbox/services/service_quotas/quotas.h"

namespace instantstart::sandbox {

ec2::Limits ec2_limits(const Quotas& quotas, std::string_view region);

}  // namespace instantstart::sandbox
