#include "sandbox/services/ec2/vpc_cidr_blocks.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "sandbox/services/ec2/errors.h"
#include "sandbox/services/ec2/queries.h"

namespace instantstart::sandbox::ec2 {
namespace {

using aws::ec2::Vpc;
using aws::ec2::VpcCidrBlockAssociation;

constexpr int k_shortest_prefix = 16;
constexpr int k_longest_prefix = 28;

constexpr Cidr block(Ipv4 a, Ipv4 b, int prefix) { return {.network = a << 24 | b << 16, .prefix = prefix}; }

/// RFC 6890: this network, loopback, link-local, multicast, reserved.
constexpr std::array<Cidr, 5> k_never{block(0, 0, 8), block(127, 0, 8), block(169, 254, 16), block(224, 0, 4),
                                      block(240, 0, 4)};

/// A secondary block may not be of another of these ranges than the primary one.
constexpr std::array<Cidr, 4> k_private{block(10, 0, 8), block(172, 16, 12), block(192, 168, 16),
                                        block(198, 19, 16)};
/// A VPC of the first range can't take from the second.
constexpr Cidr k_low_tens = block(10, 0, 15);
constexpr Cidr k_first_ten = block(10, 0, 16);

const Cidr* private_range(const Cidr& block) {
  const auto found =
      std::ranges::find_if(k_private, [&block](const Cidr& range) { return range.overlaps(block); });
  return found == k_private.end() ? nullptr : &*found;
}

std::optional<AwsFault> refuse_block(const State& state, const Call& call, const Vpc& vpc,
                                     const Cidr& added) {
  if (!is_legal_for_vpc(added)) {
    return fault("InvalidVpc.Range", fmt::format("The CIDR '{}' is invalid.", added.text())).error();
  }
  const auto blocks = blocks_of(vpc);
  for (const Cidr& present : blocks) {
    if (present.overlaps(added)) {
      return fault("CidrConflict", fmt::format("The CIDR '{}' conflicts with the CIDR '{}' of the VPC '{}'",
                                               added.text(), present.text(), *vpc.vpc_id))
          .error();
    }
  }
  if (!may_join(blocks.front(), added)) {
    return fault("InvalidVpc.Range",
                 fmt::format(
                     "The CIDR '{}' is restricted. Use a CIDR from the same private address range as the "
                     "current VPC CIDR, or use a publicly-routable CIDR. For additional restrictions, see "
                     "https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html",
                     added.text()))
        .error();
  }
  if (blocks.size() >= state.limits(call.region).cidr_blocks_per_vpc) {
    return fault("CidrLimitExceeded",
                 fmt::format("This network '{}' has met its maximum number of allowed CIDRs: {}", *vpc.vpc_id,
                             state.limits(call.region).cidr_blocks_per_vpc))
        .error();
  }
  // A route to a part of the block would take its traffic out of the VPC.
  for (const auto* table : records_in(state.route_tables, call.region,
                                      [&vpc](const auto& table) { return table.vpc_id == vpc.vpc_id; })) {
    for (const auto& route : aws::items(table->routes)) {
      const auto destination = Cidr::parse(route.destination_cidr_block.value_or(""));
      if (destination && added.contains(*destination)) {
        return fault("CidrConflict",
                     fmt::format("The CIDR '{}' conflicts with the route '{}' of the route table '{}'",
                                 added.text(), destination->text(), *table->route_table_id))
            .error();
      }
    }
  }
  return std::nullopt;
}

struct Found {
  std::string vpc_key;
  VpcCidrBlockAssociation association;
  bool is_primary;
};

std::optional<Found> find_association(const State& state, const Call& call, const std::string& id) {
  for (const auto& [key, vpc] : state.vpcs.starting_with(regional_id(call.region, ""))) {
    for (const auto& association : aws::items(vpc.cidr_block_association_set)) {
      if (association.association_id == id) {
        return Found{key, association, association.cidr_block == vpc.cidr_block};
      }
    }
  }
  return std::nullopt;
}

}  // namespace

Reply<Cidr> parse_block(std::string_view text, std::string_view parameter) {
  const auto parsed = Cidr::parse(text);
  if (!parsed) return invalid_value(text, parameter, "This is not a valid CIDR block.");
  return *parsed;
}

bool is_legal_size(const Cidr& block) {
  return block.prefix >= k_shortest_prefix && block.prefix <= k_longest_prefix;
}

bool is_legal_for_vpc(const Cidr& block) {
  return is_legal_size(block) &&
         std::ranges::none_of(k_never, [&block](const Cidr& never) { return never.overlaps(block); });
}

bool may_join(const Cidr& primary, const Cidr& added) {
  if (k_low_tens.overlaps(primary) && k_first_ten.overlaps(added)) return false;
  const Cidr* range = private_range(added);
  return !range || range == private_range(primary);
}

std::vector<Cidr> blocks_of(const Vpc& vpc) {
  std::vector<Cidr> blocks;
  for (const auto& association : aws::items(vpc.cidr_block_association_set)) {
    if (auto parsed = Cidr::parse(association.cidr_block.value_or(""))) blocks.push_back(*parsed);
  }
  return blocks;
}

VpcCidrBlockAssociation make_block_association(World& world, const Cidr& block) {
  return {.association_id = world.make_id("vpc-cidr-assoc"),
          .cidr_block = block.text(),
          .cidr_block_state = aws::ec2::VpcCidrBlockState{.state = "associated"}};
}

Reply<aws::ec2::AssociateVpcCidrBlockResult> associate_vpc_cidr_block(
    State& state, const Call& call, const aws::ec2::AssociateVpcCidrBlockRequest& in) {
  const Vpc* vpc = state.vpcs.find(regional_id(call.region, *in.vpc_id));
  if (!vpc) return not_found(ResourceKind::vpc, *in.vpc_id);
  if (in.amazon_provided_ipv6_cidr_block.value_or(false) || in.ipv6_cidr_block) {
    return not_simulated("IPv6 blocks of VPCs");
  }
  if (in.ipv4_ipam_pool_id) return not_simulated("address pools (IPAM)");
  if (!in.cidr_block) return missing_parameter("cidrBlock");
  const auto added = parse_block(*in.cidr_block, "cidrBlock");
  if (!added) return std::unexpected(added.error());
  if (auto refusal = refuse_block(state, call, *vpc, *added)) return std::unexpected(std::move(*refusal));

  VpcCidrBlockAssociation association = make_block_association(state.world, *added);
  state.vpcs.edit(regional_id(call.region, *in.vpc_id),
                  [&association](Vpc& record) { record.cidr_block_association_set->push_back(association); });
  // It is done at once, but EC2 never says so in this answer: a caller has to look.
  association.cidr_block_state->state = "associating";
  return aws::ec2::AssociateVpcCidrBlockResult{.cidr_block_association = std::move(association),
                                               .vpc_id = in.vpc_id};
}

Reply<aws::ec2::DisassociateVpcCidrBlockResult> disassociate_vpc_cidr_block(
    State& state, const Call& call, const aws::ec2::DisassociateVpcCidrBlockRequest& in) {
  auto found = find_association(state, call, *in.association_id);
  if (!found) {
    return fault("InvalidVpcCidrBlockAssociationID.NotFound",
                 fmt::format("The vpc CIDR block association ID '{}' does not exist", *in.association_id));
  }
  const std::string vpc_id = *state.vpcs.find(found->vpc_key)->vpc_id;
  if (found->is_primary) {
    return fault("OperationNotPermitted",
                 fmt::format("The vpc CIDR block with association ID {} may not be disassociated. It is the "
                             "primary IPv4 CIDR block of the VPC",
                             *in.association_id));
  }
  const Cidr gone = Cidr::parse(*found->association.cidr_block).value_or(Cidr{});
  const bool in_use = any_in(state.subnets, call.region, [&](const aws::ec2::Subnet& subnet) {
    const auto used = Cidr::parse(subnet.cidr_block.value_or(""));
    return subnet.vpc_id == vpc_id && used && gone.overlaps(*used);
  });
  if (in_use) {
    return fault("InvalidCidrBlock.InUse",
                 fmt::format("The vpc {} currently has a subnet within CIDR block {}", vpc_id,
                             *found->association.cidr_block));
  }
  state.vpcs.edit(found->vpc_key, [&in](Vpc& record) {
    std::erase_if(*record.cidr_block_association_set,
                  [&in](const auto& association) { return association.association_id == in.association_id; });
  });
  found->association.cidr_block_state->state = "disassociating";
  return aws::ec2::DisassociateVpcCidrBlockResult{.cidr_block_association = std::move(found->association),
                                                  .vpc_id = vpc_id};
}

}  // namespace instantstart::sandbox::ec2
