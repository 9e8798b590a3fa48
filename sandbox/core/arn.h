// Names of simulated resources.
#pragma once

#include <string>
#include <string_view>

namespace instantstart::sandbox {

/// "aws", "aws-cn", "aws-us-gov": by the region's name; "aws" for one that no partition has.
std::string_view partition_of(std::string_view region);

/// "arn:aws:eks:us-west-2:123456789012:cluster/a". The partition is the region's; for global services pass
/// the caller's region as `region_of_partition` to make_global_arn.
std::string make_arn(std::string_view service, std::string_view region, std::string_view account,
                     std::string_view resource);

/// "arn:aws:iam::123456789012:role/a"
std::string make_global_arn(std::string_view service, std::string_view region_of_partition,
                            std::string_view account, std::string_view resource);

}  // namespace instantstart::sandbox
