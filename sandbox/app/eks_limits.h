// Quotas of EKS as its limits.
#pragma once

#include <string_view>

#include "sandbox/services/eks/limits.h"
#include "sandbox/services/service_quotas/quotas.h"

namespace instantstart::sandbox {

eks::Limits eks_limits(const Quotas& quotas, std::string_view region);

}  // namespace instantstart::sandbox
