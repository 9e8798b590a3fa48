#include "sandbox/services/ec2/default_vpc.h"

#include <string>

#include "sandbox/services/ec2/internet_gateways.h"
#include "sandbox/services/ec2/queries.h"
#include "sandbox/services/ec2/route_tables.h"
#include "sandbox/services/ec2/routes.h"
#include "sandbox/services/ec2/subnets.h"
#include "sandbox/services/ec2/vpcs.h"
#include "sandbox/services/ec2/zones.h"

namespace instantstart::sandbox::ec2 {
namespace {

/// "Default VPC components" in the VPC user guide: 172.31.0.0/16, a /20 for each zone.
constexpr Cidr k_block{.network = 172U << 24 | 31U << 16, .prefix = 16};
constexpr int k_subnet_prefix = 20;

std::string main_table_of(const State& state, std::string_view region, const std::string& vpc_id) {
  const auto tables = records_in(state.route_tables, region, [&vpc_id](const auto& table) {
    return table.vpc_id == vpc_id && is_main(table);
  });
  return *tables.front()->route_table_id;
}

}  // namespace

void ensure_region(State& state, std::string_view region) {
  if (state.regions.contains(region)) return;
  state.regions.put(std::string(region), {.dhcp_options_id = state.world.make_id("dopt")});
  const std::string vpc_id = make_vpc(state, region, {.block = k_block, .is_default = true});
  const std::string gateway_id = make_internet_gateway(state, region, vpc_id);
  put_internet_route(state, region, main_table_of(state, region, vpc_id), gateway_id);
  Cidr block{.network = k_block.network, .prefix = k_subnet_prefix};
  for (auto& zone : zones_of(region)) {
    if (zone.is_local()) continue;
    make_subnet(state, region,
                {.vpc_id = vpc_id, .block = block, .zone = std::move(zone), .is_default = true});
    block.network += static_cast<Ipv4>(block.size());
  }
}

}  // namespace instantstart::sandbox::ec2
