// What an endpoint consists of: routes of a gateway, network interfaces of an interface endpoint. Shared by
// the calls that make, change and delete endpoints.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/services/ec2/endpoint_services.h"
#include "sandbox/services/ec2/state.h"

namespace instantstart::sandbox::ec2 {

using Ids = std::vector<std::string>;

bool is_gateway(const aws::ec2::VpcEndpoint& endpoint);

/// Why the endpoint can't have routes in those tables: not there, of another VPC, or with such a route
/// already.
std::optional<AwsFault> refuse_tables(const State& state, std::string_view region, std::string_view vpc_id,
                                      const std::string& prefix_list, const Ids& table_ids);
/// `table_ids` exist.
void add_routes(State& state, std::string_view region, const std::string& endpoint_id,
                const std::string& prefix_list, const Ids& table_ids);
/// Tables that are gone are passed over.
void remove_routes(State& state, std::string_view region, const std::string& endpoint_id,
                   const Ids& table_ids);

/// Why the endpoint can't have interfaces in those subnets besides those in `present`: not there, of another
/// VPC, in the same zone, full.
std::optional<AwsFault> refuse_subnets(const State& state, std::string_view region, std::string_view vpc_id,
                                       const Ids& present, const Ids& added);
/// Why the endpoint can't have those groups: not there, of another VPC, or too many.
std::optional<AwsFault> refuse_groups(const State& state, std::string_view region, std::string_view vpc_id,
                                      const Ids& group_ids);
/// Makes an interface in each subnet, which have been checked, and notes them in `endpoint`.
void add_interfaces(State& state, std::string_view region, aws::ec2::VpcEndpoint& endpoint,
                    const Ids& subnet_ids);
/// Those in these subnets.
void remove_interfaces(State& state, std::string_view region, aws::ec2::VpcEndpoint& endpoint,
                       const Ids& subnet_ids);
/// Gives the endpoint and its interfaces these groups; the VPC's default group when there are none.
void set_groups(State& state, std::string_view region, aws::ec2::VpcEndpoint& endpoint, const Ids& group_ids);

/// Why private names can't be on: the VPC's attributes, or another endpoint that has them.
std::optional<AwsFault> refuse_private_names(const State& state, std::string_view region,
                                             std::string_view vpc_id, std::string_view service_name,
                                             std::string_view endpoint_id);

}  // namespace instantstart::sandbox::ec2
