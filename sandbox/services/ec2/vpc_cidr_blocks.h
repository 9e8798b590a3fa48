// The IPv4 blocks of a VPC: "VPC CIDR blocks" in the VPC user guide.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/core/cidr.h"
#include "sandbox/services/ec2/state.h"

namespace instantstart::sandbox::ec2 {

/// Reads a block that a caller wrote; refuses text that is none (InvalidParameterValue).
Reply<Cidr> parse_block(std::string_view text, std::string_view parameter);
/// Between /28 and /16, as VPCs and subnets have to be.
bool is_legal_size(const Cidr& block);
/// A block that AWS lets a VPC begin with: legal in size and no loopback, link-local, multicast … address.
bool is_legal_for_vpc(const Cidr& block);
/// "IPv4 CIDR block association restrictions": why a VPC with that primary block can't have `added` too.
bool may_join(const Cidr& primary, const Cidr& added);

/// The blocks that are associated or about to be, the primary one first.
std::vector<Cidr> blocks_of(const aws::ec2::Vpc& vpc);
/// A new association of the block, in the state "associated".
aws::ec2::VpcCidrBlockAssociation make_block_association(World& world, const Cidr& block);

Reply<aws::ec2::AssociateVpcCidrBlockResult> associate_vpc_cidr_block(
    State& state, const Call& call, const aws::ec2::AssociateVpcCidrBlockRequest& in);
Reply<aws::ec2::DisassociateVpcCidrBlockResult> disassociate_vpc_cidr_block(
    State& state, const Call& call, const aws::ec2::DisassociateVpcCidrBlockRequest& in);

}  // namespace instantstart::sandbox::ec2
