#include "domain/arn_text.h"

#include <fmt/core.h>

namespace instantstart::domain {

std::string regional_arn(const Place& place, std::string_view service, std::string_view resource) {
  return fmt::format("arn:{}:{}:{}:{}:{}", place.partition, service, place.region, place.account, resource);
}

std::string global_arn(const Place& place, std::string_view service, std::string_view resource) {
  return fmt::format("arn:{}:{}::{}:{}", place.partition, service, place.account, resource);
}

std::string managed_policy_arn(std::string_view partition, std::string_view name) {
  return fmt::format("arn:{}:iam::aws:policy/{}", partition, name);
}

}  // namespace instantstart::domain
