// The refusals that HyperPod's operations share. In AWS's words as far as they are known.
#pragma once

#include <string>
#include <string_view>

#include "sandbox/core/service.h"

namespace instantstart::sandbox::sagemaker {

std::unexpected<AwsFault> validation(std::string message);
std::unexpected<AwsFault> conflict(std::string message);
/// For what AWS can do and the simulation can't: ValidationException that says so.
std::unexpected<AwsFault> not_simulated(std::string_view what);

}  // namespace instantstart::sandbox::sagemaker
