#include "sandbox/core/arn.h"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace instantstart::sandbox {
namespace {

/// botocore's data/partitions.json: the beginning of each regionRegex.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> k_partitions{
    {{"cn-", "aws-cn"},
     {"us-gov-", "aws-us-gov"},
     {"us-iso-", "aws-iso"},
     {"us-isob-", "aws-iso-b"},
     {"eu-isoe-", "aws-iso-e"},
     {"us-isof-", "aws-iso-f"},
     {"eusc-", "aws-eusc"}}};

}  // namespace

std::string_view partition_of(std::string_view region) {
  for (const auto& [prefix, partition] : k_partitions) {
    if (region.starts_with(prefix)) return partition;
  }
  return "aws";
}

std::string make_arn(std::string_view service, std::string_view region, std::string_view account,
                     std::string_view resource) {
  return fmt::format("arn:{}:{}:{}:{}:{}", partition_of(region), service, region, account, resource);
}

std::string make_global_arn(std::string_view service, std::string_view region_of_partition,
                            std::string_view account, std::string_view resource) {
  return fmt::format("arn:{}:{}::{}:{}", partition_of(region_of_partition), service, account, resource);
}

}  // namespace instantstart::sandbox
