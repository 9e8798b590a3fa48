#include "sandbox/services/ec2/ec2.h"

#include "sandbox/services/ec2/addresses.h"
#include "sandbox/services/ec2/default_vpc.h"
#include "sandbox/services/ec2/instance_types.h"
#include "sandbox/services/ec2/internet_gateways.h"
#include "sandbox/services/ec2/nat_gateways.h"
#include "sandbox/services/ec2/network_interfaces.h"
#include "sandbox/services/ec2/route_tables.h"
#include "sandbox/services/ec2/routes.h"
#include "sandbox/services/ec2/security_group_rules.h"
#include "sandbox/services/ec2/security_groups.h"
#include "sandbox/services/ec2/subnets.h"
#include "sandbox/services/ec2/tags.h"
#include "sandbox/services/ec2/vpc_cidr_blocks.h"
#include "sandbox/services/ec2/vpc_endpoints.h"
#include "sandbox/services/ec2/vpc_peering_connections.h"
#include "sandbox/services/ec2/vpcs.h"
#include "sandbox/services/ec2/zones.h"

namespace instantstart::sandbox::ec2 {

namespace api = aws::ec2;

namespace {

/// The text of a JSON string that has nothing to unescape, as names of types haven't.
std::string_view unquoted(std::string_view json_text) {
  if (json_text.size() < 2 || json_text.front() != '"') return json_text;
  return json_text.substr(1, json_text.size() - 2);
}

}  // namespace

Ec2::Ec2(World& world, LimitsSource limits)
    : Service(aws::ec2::service()), state_(world, std::move(limits)), network_(state_) {
  world.on_timer(std::string(k_nat_gateway_timer),
                 [this](const std::string& key) { advance_nat_gateway(state_, key); });
  world.on_timer(std::string(k_vpc_endpoint_timer),
                 [this](const std::string& key) { advance_vpc_endpoint(state_, key); });
  serve_vpcs();
  serve_routing();
  serve_security_groups();
  serve_endpoints_and_tags();
  serve_catalogue();
}

template <class Op>
void Ec2::serve(Reply<typename Op::Output> (*handler)(State&, const Call&, const typename Op::Input&)) {
  on<Op>([this, handler](const Call& call, const typename Op::Input& in) -> Reply<typename Op::Output> {
    ensure_region(state_, call.region);
    if constexpr (requires { in.dry_run; }) {
      if (in.dry_run.value_or(false)) {
        return fault("DryRunOperation", "Request would have succeeded, but DryRun flag is set.", 412);
      }
    }
    return handler(state_, call, in);
  });
}

AwsFault Ec2::refuse_input(const std::vector<FieldProblem>& problems) const {
  const FieldProblem& first = problems.front();
  if (first.rule == "enum" && first.pointer.starts_with("/InstanceTypes/"))
    return no_such_types(unquoted(first.value));
  return Service::refuse_input(problems);
}

void Ec2::serve_vpcs() {
  serve<api::CreateVpc>(&create_vpc);
  serve<api::DescribeVpcs>(&describe_vpcs);
  serve<api::ModifyVpcAttribute>(&modify_vpc_attribute);
  serve<api::DeleteVpc>(&delete_vpc);
  serve<api::AssociateVpcCidrBlock>(&associate_vpc_cidr_block);
  serve<api::DisassociateVpcCidrBlock>(&disassociate_vpc_cidr_block);
  serve<api::DescribeVpcPeeringConnections>(&describe_vpc_peering_connections);
  serve<api::CreateSubnet>(&create_subnet);
  serve<api::DescribeSubnets>(&describe_subnets);
  serve<api::ModifySubnetAttribute>(&modify_subnet_attribute);
  serve<api::DeleteSubnet>(&delete_subnet);
  serve<api::DescribeNetworkInterfaces>(&describe_network_interfaces);
}

void Ec2::serve_routing() {
  serve<api::CreateRouteTable>(&create_route_table);
  serve<api::DescribeRouteTables>(&describe_route_tables);
  serve<api::DeleteRouteTable>(&delete_route_table);
  serve<api::AssociateRouteTable>(&associate_route_table);
  serve<api::DisassociateRouteTable>(&disassociate_route_table);
  serve<api::CreateRoute>(&create_route);
  serve<api::ReplaceRoute>(&replace_route);
  serve<api::DeleteRoute>(&delete_route);
  serve<api::CreateInternetGateway>(&create_internet_gateway);
  serve<api::DescribeInternetGateways>(&describe_internet_gateways);
  serve<api::AttachInternetGateway>(&attach_internet_gateway);
  serve<api::DetachInternetGateway>(&detach_internet_gateway);
  serve<api::DeleteInternetGateway>(&delete_internet_gateway);
  serve<api::CreateNatGateway>(&create_nat_gateway);
  serve<api::DescribeNatGateways>(&describe_nat_gateways);
  serve<api::DeleteNatGateway>(&delete_nat_gateway);
  serve<api::AllocateAddress>(&allocate_address);
  serve<api::DescribeAddresses>(&describe_addresses);
  serve<api::ReleaseAddress>(&release_address);
}

void Ec2::serve_security_groups() {
  serve<api::CreateSecurityGroup>(&create_security_group);
  serve<api::DescribeSecurityGroups>(&describe_security_groups);
  serve<api::DeleteSecurityGroup>(&delete_security_group);
  serve<api::DescribeSecurityGroupRules>(&describe_security_group_rules);
  serve<api::AuthorizeSecurityGroupIngress>(&authorize_security_group_ingress);
  serve<api::AuthorizeSecurityGroupEgress>(&authorize_security_group_egress);
  serve<api::RevokeSecurityGroupIngress>(&revoke_security_group_ingress);
  serve<api::RevokeSecurityGroupEgress>(&revoke_security_group_egress);
}

void Ec2::serve_endpoints_and_tags() {
  serve<api::CreateVpcEndpoint>(&create_vpc_endpoint);
  serve<api::DescribeVpcEndpoints>(&describe_vpc_endpoints);
  serve<api::ModifyVpcEndpoint>(&modify_vpc_endpoint);
  serve<api::DeleteVpcEndpoints>(&delete_vpc_endpoints);
  serve<api::CreateTags>(&create_tags);
  serve<api::DeleteTags>(&delete_tags);
  serve<api::DescribeTags>(&describe_tags);
}

void Ec2::serve_catalogue() {
  serve<api::DescribeAvailabilityZones>(&describe_availability_zones);
  serve<api::DescribeInstanceTypes>(&describe_instance_types);
  serve<api::DescribeInstanceTypeOfferings>(&describe_instance_type_offerings);
}

}  // namespace instantstart::sandbox::ec2
