// Route tables and what they are associated with.
#pragma once

#include <string>
#include <string_view>

#include "sandbox/services/ec2/state.h"

namespace instantstart::sandbox::ec2 {

enum class TableRole { main, custom };

/// No checks. The id of the table.
std::string make_route_table(State& state, std::string_view region, std::string_view vpc_id, TableRole role);
bool is_main(const aws::ec2::RouteTable& table);
/// As it is shown: with the local routes, the state of each route, and tags.
aws::ec2::RouteTable shown_table(const State& state, std::string_view region, aws::ec2::RouteTable table);
/// With the VPC.
void forget_route_tables(State& state, std::string_view region, std::string_view vpc_id);
/// With the subnet.
void forget_subnet_association(State& state, std::string_view region, std::string_view subnet_id);

Reply<aws::ec2::CreateRouteTableResult> create_route_table(State& state, const Call& call,
                                                           const aws::ec2::CreateRouteTableRequest& in);
Reply<aws::ec2::DescribeRouteTablesResult> describe_route_tables(
    State& state, const Call& call, const aws::ec2::DescribeRouteTablesRequest& in);
Reply<aws::Empty> delete_route_table(State& state, const Call& call,
                                     const aws::ec2::DeleteRouteTableRequest& in);
Reply<aws::ec2::AssociateRouteTableResult> associate_route_table(
    State& state, const Call& call, const aws::ec2::AssociateRouteTableRequest& in);
Reply<aws::Empty> disassociate_route_table(State& state, const Call& call,
                                           const aws::ec2::DisassociateRouteTableRequest& in);

}  // namespace instantstart::sandbox::ec2
