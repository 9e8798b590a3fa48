#include "sandbox/services/sagemaker/errors.h"

#include <utility>

#include <fmt/format.h>

namespace instantstart::sandbox::sagemaker {

std::unexpected<AwsFault> validation(std::string message) {
  return fault("ValidationException", std::move(message));
}

std::unexpected<AwsFault> conflict(std::string message) {
  return fault("ConflictException", std::move(message));
}

std::unexpected<AwsFault> not_simulated(std::string_view what) {
  return validation(fmt::format("The sandbox does not simulate {}.", what));
}

}  // namespace instantstart::sandbox::sagemaker
