// The zones of a region. Names and ids are mixed up as in a real account: us-west-2a is not usw2-az1, since
// each account has its own mapping.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/services/ec2/state.h"

namespace instantstart::sandbox::ec2 {

struct Zone {
  std::string name;  ///< "us-west-2a"
  std::string id;    ///< "usw2-az2"
  /// "availability-zone" or "local-zone".
  std::string type;
  /// "opt-in-not-required", "opted-in" or "not-opted-in"; one of the last two for local zones.
  std::string opt_in;
  std::string group;        ///< "us-west-2-zg-1", "us-west-2-lax-1"
  std::string parent_name;  ///< Of a local zone.
  std::string parent_id;

  bool usable() const { return opt_in != "not-opted-in"; }
  bool is_local() const { return type == "local-zone"; }
};

/// All of them, by name. A region that the table doesn't have gets three zones, ids in order.
std::vector<Zone> zones_of(std::string_view region);
/// By name or id; nullopt when the region has none.
std::optional<Zone> find_zone(std::string_view region, std::string_view name_or_id);

Reply<aws::ec2::DescribeAvailabilityZonesResult> describe_availability_zones(
    State& state, const Call& call, const aws::ec2::DescribeAvailabilityZonesRequest& in);

}  // namespace instantstart::sandbox::ec2
