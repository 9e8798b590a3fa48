// Which instance types there are, and where.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/services/ec2/state.h"

namespace instantstart::sandbox::ec2 {

/// By name, "p5.48xlarge"; nullopt when the table has none.
std::optional<aws::ec2::InstanceTypeInfo> find_instance_type(std::string_view name);
/// The ids of the zones where the type can be had, in order; empty when it can't be had in the region.
std::vector<std::string> zone_ids_offering(std::string_view region, std::string_view type);

/// InvalidInstanceType; `types` with commas between.
AwsFault no_such_types(std::string_view types);

Reply<aws::ec2::DescribeInstanceTypesResult> describe_instance_types(
    State& state, const Call& call, const aws::ec2::DescribeInstanceTypesRequest& in);
Reply<aws::ec2::DescribeInstanceTypeOfferingsResult> describe_instance_type_offerings(
    State& state, const Call& call, const aws::ec2::DescribeInstanceTypeOfferingsRequest& in);

}  // namespace instantstart::sandbox::ec2
