// The key that something is encrypted with.
#pragma once

#include "base/describe.h"

namespace instantstart::domain {

/// The ARN of a KMS key.
struct KmsKeyArn : Text<KmsKeyArn> {};

Type describe(KmsKeyArn*);

}  // namespace instantstart::domain
