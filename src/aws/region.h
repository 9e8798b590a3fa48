// The region of an account context: asked for, else AWS_REGION, AWS_DEFAULT_REGION, the profile's `region`.
// The metadata service is asked only by whoever has nothing else (instance_metadata.h).
#pragma once

#include <optional>
#include <string>

#include "aws/environment.h"
#include "aws/shared_config.h"

namespace instantstart::aws {

/// nullopt when none is set. botocore knows AWS_DEFAULT_REGION only; AWS's other SDKs, AWS_REGION: that goes
/// first here.
std::optional<std::string> configured_region(const Environment& environment, const SharedConfig& config,
                                             const std::optional<std::string>& asked = std::nullopt);

}  // namespace instantstart::aws
