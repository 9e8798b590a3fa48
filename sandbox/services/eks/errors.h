// The refusals that EKS's operations share, in AWS's words as far as they are known.
#pragma once

#include <string>
#include <string_view>

#include "sandbox/core/service.h"

namespace instantstart::sandbox::eks {

/// What a refusal is about: members of the modelled errors.
struct Subject {
  std::string_view cluster = {};
  std::string_view addon = {};
};

std::unexpected<AwsFault> not_found(std::string message, const Subject& subject = {});
std::unexpected<AwsFault> invalid_parameter(std::string message, const Subject& subject = {});
std::unexpected<AwsFault> invalid_request(std::string message, const Subject& subject = {});
std::unexpected<AwsFault> in_use(std::string message, const Subject& subject = {});
/// For what AWS can do and the simulation can't: InvalidParameterException that says so.
std::unexpected<AwsFault> not_simulated(std::string_view what, const Subject& subject = {});

}  // namespace instantstart::sandbox::eks
