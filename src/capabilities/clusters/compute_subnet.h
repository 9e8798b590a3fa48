// The subnet that a cluster's nodes of one zone live in: ours, found by its tags, or made whole: a /20 in the
// first free block of the VPC, a route table with a NAT gateway, the S3 endpoint. Every capacity path uses
// it. Pure; the calls are in compute_subnet_calls.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/describe.h"
#include "capabilities/dependencies/cluster_target.h"
#include "domain/cidr.h"
#include "operations/step.h"

namespace instantstart::capabilities {

inline constexpr std::string_view k_compute_subnet_step = "compute_subnet";
inline constexpr std::string_view k_compute_subnet_removal_step = "compute_subnet_removal";

inline constexpr std::string_view k_subnet_resource = "ec2:subnet";
inline constexpr std::string_view k_route_table_resource = "ec2:route-table";
inline constexpr std::string_view k_endpoint_resource = "ec2:vpc-endpoint";
inline constexpr std::string_view k_vpc_block_resource = "ec2:vpc-cidr-block";

/// What tells a subnet of ours for nodes from those of the control plane's stack: "compute/us-west-2a".
inline constexpr std::string_view k_purpose_tag = "instantstart:purpose";
std::string compute_purpose(std::string_view zone);

struct ComputeSubnetInput {
  ClusterTarget cluster;
  std::string zone;  ///< By name.
  std::string vpc_id;
};

/// A thing of ours, and the operation that made it.
struct OurThing {
  std::string id;
  std::string maker;
};

struct ComputeSubnetSeen {
  std::vector<std::string> vpc_blocks;  ///< Of the VPC, in AWS's order: the primary one first.
  bool block_coming = false;            ///< A block is being associated.
  std::vector<std::string> taken;       ///< Blocks of all subnets of the VPC.
  std::vector<std::string> around;      ///< Blocks of the region's VPCs and their peers.

  std::optional<OurThing> subnet;
  std::string subnet_block;
  std::string subnet_state;
  std::int64_t free_addresses = 0;
  std::string other_table;  ///< A route table of others that the subnet is associated with.

  std::optional<OurThing> table;
  std::string table_nat;  ///< The NAT gateway of its default route; empty without one.
  bool table_route_dead = false;
  bool associated = false;

  std::string nat;  ///< A gateway for the zone: its own, else any of the VPC; empty: there is none.
  bool nat_of_zone = false;

  std::string endpoint;        ///< The gateway endpoint of S3 in the VPC.
  std::string endpoint_maker;  ///< The operation of ours that made it for nodes; else empty.
  bool endpoint_has_table = false;
  std::int64_t endpoint_tables = 0;

  std::string added_association;  ///< Of the block that this operation added, while it is there.
};

enum class SubnetCall {
  associate_block,
  create_subnet,
  create_table,
  create_route,
  replace_route,
  associate_table,
  create_endpoint,
  add_to_endpoint,
  delete_subnet,
  remove_from_endpoint,
  delete_endpoint,
  delete_table,
  disassociate_block,
};

/// One call. Ids are in it, so that it never falls on something that took the place of what was seen.
struct SubnetRequest {
  SubnetCall call = SubnetCall::create_subnet;
  std::string block;
  std::string subnet_id;
  std::string table_id;
  std::string nat_id;
  std::string endpoint_id;
  std::string association_id;
  /// Handed on from receipt to receipt: the block that this operation added to the VPC,
  std::string added_block;
  /// and why what was made is taken away again.
  std::string because;
};

Type describe(ComputeSubnetInput*);
Type describe(OurThing*);
Type describe(ComputeSubnetSeen*);
Type describe(SubnetCall*);
Type describe(SubnetRequest*);

/// A /20 has room for 4,091 addresses; a p5 node takes some dozens.
inline constexpr int k_compute_prefix = 20;

/// The block that a new subnet takes, of those that the VPC has.
std::optional<domain::Cidr> free_compute_block(const ComputeSubnetSeen& seen);
/// The block that is added to a full VPC: the first /16 of 100.64.0.0/10 that nothing around has. EC2 takes
/// these beside every primary block (user guide, "IPv4 CIDR block association restrictions").
std::optional<domain::Cidr> secondary_block(const ComputeSubnetSeen& seen);

/// What is still missing; empty when the subnet is whole.
std::vector<SubnetCall> missing_calls(const ComputeSubnetSeen& seen);

/// Whole or not at all: when a piece is refused, what this operation made goes again before the step fails.
operations::Decision choose_compute_subnet(const std::string& operation_id, const ComputeSubnetInput& input,
                                           const ComputeSubnetSeen& seen, const operations::History& history);

/// Takes away what is ours; `only_operation`: only what that operation made (an undo). Waits for the network
/// interfaces of nodes that are going.
operations::Decision choose_compute_subnet_removal(const ComputeSubnetInput& input,
                                                   const ComputeSubnetSeen& seen,
                                                   const operations::History& history,
                                                   const std::optional<std::string>& only_operation);

}  // namespace instantstart::capabilities
