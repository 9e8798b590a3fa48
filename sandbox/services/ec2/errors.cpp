#include "sandbox/services/ec2/errors.h"

#include <fmt/format.h>

namespace instantstart::sandbox::ec2 {

std::unexpected<AwsFault> invalid_value(std::string_view value, std::string_view parameter,
                                        std::string_view reason) {
  return fault("InvalidParameterValue",
               fmt::format("Value ({}) for parameter {} is invalid. {}", value, parameter, reason));
}

std::unexpected<AwsFault> invalid_parameter(std::string message) {
  return fault("InvalidParameterValue", std::move(message));
}

std::unexpected<AwsFault> missing_parameter(std::string_view parameter) {
  return fault("MissingParameter", fmt::format("The request must contain the parameter {}", parameter));
}

std::unexpected<AwsFault> not_simulated(std::string_view what) {
  return fault("UnsupportedOperation", fmt::format("The sandbox does not simulate {}.", what));
}

}  // namespace instantstart::sandbox::ec2
