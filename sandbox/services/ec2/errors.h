// The refusals that many EC2 operations share, in AWS's words.
#pragma once

#include <string>
#include <string_view>

#include "sandbox/core/service.h"

namespace instantstart::sandbox::ec2 {

/// "Value (10.0.0.0) for parameter cidrBlock is invalid. This is not a valid CIDR block."
std::unexpected<AwsFault> invalid_value(std::string_view value, std::string_view parameter,
                                        std::string_view reason);
/// A sentence of its own under InvalidParameterValue.
std::unexpected<AwsFault> invalid_parameter(std::string message);
/// "The request must contain the parameter allocationId"
std::unexpected<AwsFault> missing_parameter(std::string_view parameter);
/// For what AWS can do and the simulation can't: UnsupportedOperation that says so.
std::unexpected<AwsFault> not_simulated(std::string_view what);

}  // namespace instantstart::sandbox::ec2
