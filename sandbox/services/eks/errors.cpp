#include "sandbox/services/eks/errors.h"

#include <utility>

#include <fmt/format.h>

namespace instantstart::sandbox::eks {
namespace {

std::unexpected<AwsFault> refuse(std::string code, std::string message, const Subject& subject) {
  json::object fields;
  if (!subject.cluster.empty()) fields["clusterName"] = subject.cluster;
  if (!subject.addon.empty()) fields["addonName"] = subject.addon;
  return fault(std::move(code), std::move(message), 0, std::move(fields));
}

}  // namespace

std::unexpected<AwsFault> not_found(std::string message, const Subject& subject) {
  return refuse("ResourceNotFoundException", std::move(message), subject);
}

std::unexpected<AwsFault> invalid_parameter(std::string message, const Subject& subject) {
  return refuse("InvalidParameterException", std::move(message), subject);
}

std::unexpected<AwsFault> invalid_request(std::string message, const Subject& subject) {
  return refuse("InvalidRequestException", std::move(message), subject);
}

std::unexpected<AwsFault> in_use(std::string message, const Subject& subject) {
  return refuse("ResourceInUseException", std::move(message), subject);
}

std::unexpected<AwsFault> not_simulated(std::string_view what, const Subject& subject) {
  return invalid_parameter(fmt::format("The sandbox does not simulate {}.", what), subject);
}

}  // namespace instantstart::sandbox::eks
