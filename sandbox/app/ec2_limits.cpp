#include "sandbox/app/ec2_limits.h"

#include <array>
#include <utility>

namespace instantstart::sandbox {
namespace {

struct Source {
  std::string_view service_code;
  std::string_view quota_code;
  std::size_t ec2::Limits::* limit;
};

constexpr std::array<Source, 11> k_sources{
    {{"vpc", "L-F678F1CE", &ec2::Limits::vpcs_per_region},
     {"vpc", "L-83CA0A9D", &ec2::Limits::cidr_blocks_per_vpc},
     {"vpc", "L-407747CB", &ec2::Limits::subnets_per_vpc},
     {"vpc", "L-A4707A72", &ec2::Limits::internet_gateways_per_region},
     {"ec2", "L-0263D0A3", &ec2::Limits::addresses_per_region},
     {"vpc", "L-FE5A380F", &ec2::Limits::nat_gateways_per_zone},
     {"vpc", "L-589F43AA", &ec2::Limits::route_tables_per_vpc},
     {"vpc", "L-93826ACB", &ec2::Limits::routes_per_table},
     {"vpc", "L-E79EC296", &ec2::Limits::security_groups_per_region},
     {"vpc", "L-0EA8095F", &ec2::Limits::rules_per_security_group},
     {"vpc", "L-29B6F2EB", &ec2::Limits::interface_endpoints_per_vpc}}};

}  // namespace

ec2::Limits ec2_limits(const Quotas& quotas, std::string_view region) {
  ec2::Limits limits;
  for (const auto& source : k_sources) {
    if (const Quota* quota = find_quota(source.service_code, source.quota_code)) {
      limits.*source.limit = static_cast<std::size_t>(quotas.applied(region, *quota));
    }
  }
  return limits;
}

}  // namespace instantstart::sandbox
