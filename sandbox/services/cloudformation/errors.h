// How CloudFormation refuses.
#pragma once

#include <string>
#include <utility>

#include "sandbox/core/service.h"

namespace instantstart::sandbox::cloudformation {

/// The code of nearly every refusal: of templates, parameters and states.
inline std::unexpected<AwsFault> invalid(std::string message) {
  return fault("ValidationError", std::move(message));
}

}  // namespace instantstart::sandbox::cloudformation
