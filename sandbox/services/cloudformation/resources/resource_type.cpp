#include "sandbox/services/cloudformation/resources/resource_type.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "sandbox/services/cloudformation/template/contains.h"

namespace instantstart::sandbox::cloudformation {
namespace {

constexpr std::size_t k_random_part = 12;

}  // namespace

std::string ResourceContext::made_up_name(std::size_t longest) const {
  const std::size_t room = longest - k_random_part - 1;
  std::string prefix = fmt::format("{}-{}", stack_name, logical_id).substr(0, room);
  prefix += '-';
  return world.make_capital_id(prefix, prefix.size() + k_random_part);
}

const Property* ResourceType::property(std::string_view property_name) const {
  const auto found = std::ranges::find(properties, property_name, &Property::name);
  return found == properties.end() ? nullptr : &*found;
}

bool ResourceType::has_attribute(std::string_view attribute_name) const {
  return contains(attributes, attribute_name);
}

const ResourceType* find_resource_type(std::string_view name) {
  for (const auto& types : {vpc_types(), gateway_types(), routing_types(), security_group_types(),
                            endpoint_types(), iam_types(), eks_cluster_types(), eks_access_types()}) {
    const auto found = std::ranges::find(types, name, &ResourceType::name);
    if (found != types.end()) return &*found;
  }
  return nullptr;
}

bool is_absent(const AwsFault& fault) {
  return fault.code.ends_with("NotFound") || fault.code == "NoSuchEntity" ||
         fault.code == "ResourceNotFoundException" || fault.code == "Gateway.NotAttached";
}

bool is_passing(const AwsFault& fault) {
  static constexpr std::array<std::string_view, 5> k_passing{"DependencyViolation", "ResourceInUseException",
                                                             "InvalidIPAddress.InUse", "DeleteConflict",
                                                             "InvalidState"};
  return contains(k_passing, std::string_view(fault.code));
}

}  // namespace instantstart::sandbox::cloudformation
