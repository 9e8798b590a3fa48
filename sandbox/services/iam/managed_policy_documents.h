// The table of managed policies, in three files since the documents are long.
#pragma once

#include <span>

#include "sandbox/services/iam/managed_policies.h"

namespace instantstart::sandbox::iam {

std::span<const ManagedPolicy> general_policies();
std::span<const ManagedPolicy> eks_policies();
std::span<const ManagedPolicy> sagemaker_policies();

}  // namespace instantstart::sandbox::iam
