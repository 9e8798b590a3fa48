// Routes. A table keeps those that somebody made; the local ones follow from the VPC's blocks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sandbox/services/ec2/state.h"

namespace instantstart::sandbox::ec2 {

/// Local routes first. A route to what is gone is a "blackhole".
std::vector<aws::ec2::Route> shown_routes(const State& state, std::string_view region,
                                          const aws::ec2::RouteTable& table);

/// Adds a route to an internet gateway, without checks.
void put_internet_route(State& state, std::string_view region, std::string_view table_id,
                        std::string_view gateway_id);

Reply<aws::ec2::CreateRouteResult> create_route(State& state, const Call& call,
                                                const aws::ec2::CreateRouteRequest& in);
/// InvalidRoute.NotFound when the table has no route of its own to that block.
Reply<aws::Empty> replace_route(State& state, const Call& call, const aws::ec2::ReplaceRouteRequest& in);
Reply<aws::Empty> delete_route(State& state, const Call& call, const aws::ec2::DeleteRouteRequest& in);

}  // namespace instantstart::sandbox::ec2
