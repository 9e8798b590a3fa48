#include "capabilities/clusters/compute_subnet.h"

#include <gtest/gtest.h>

#include "base/decode.h"
#include "base/error_codes.h"

namespace instantstart::capabilities {
namespace {

using operations::Act;
using operations::Blocked;
using operations::Decision;
using operations::Done;
using operations::Fail;
using operations::History;
using operations::Wait;

const ComputeSubnetInput k_input{{"demo", "us-west-2", "123456789012", std::nullopt}, "us-west-2a", "vpc-1"};

/// A VPC with its control plane's subnets and a NAT gateway, and nothing for nodes.
ComputeSubnetSeen bare() {
  ComputeSubnetSeen seen;
  seen.vpc_blocks = {"10.64.0.0/16"};
  seen.taken = {"10.64.0.0/24", "10.64.1.0/24"};
  seen.nat = "nat-1";
  seen.nat_of_zone = true;
  seen.endpoint = "vpce-1";
  return seen;
}

ComputeSubnetSeen whole() {
  auto seen = bare();
  seen.subnet = OurThing{"subnet-1", "op-1"};
  seen.subnet_block = "10.64.16.0/20";
  seen.subnet_state = "available";
  seen.table = OurThing{"rtb-1", "op-1"};
  seen.table_nat = "nat-1";
  seen.associated = true;
  seen.endpoint_has_table = true;
  return seen;
}

std::optional<SubnetRequest> request_of(const Decision& decision) {
  const auto* act = std::get_if<Act>(&decision);
  if (act == nullptr) return std::nullopt;
  return decode<SubnetRequest>(act->request).value_or(SubnetRequest{});
}

History refused(std::string_view code) {
  History history{.acts = 1};
  history.act_error = Error{.code = std::string(code), .message = "no"};
  return history;
}

Decision choose(const ComputeSubnetSeen& seen, const History& history = {}) {
  return choose_compute_subnet("op-1", k_input, seen, history);
}

TEST(ChooseComputeSubnet, TakesTheFirstFreeBlockBehindTheControlPlanes) {
  const auto request = request_of(choose(bare()));
  ASSERT_TRUE(request);
  EXPECT_EQ(request->call, SubnetCall::create_subnet);
  EXPECT_EQ(request->block, "10.64.16.0/20");
}

TEST(ChooseComputeSubnet, ABlockThatAnotherTookMeanwhileIsPassedOver) {
  auto seen = bare();
  seen.taken.emplace_back("10.64.16.0/20");
  const auto request = request_of(choose(seen, refused(codes::conflict)));
  // While the other's subnet may not be listed yet, nothing is sent; it is, so the next block is free.
  EXPECT_TRUE(std::holds_alternative<Wait>(choose(bare(), refused(codes::conflict))));
  History later = refused(codes::conflict);
  later.since_act = milliseconds(61'000);
  EXPECT_EQ(request_of(choose(seen, later))->block, "10.64.32.0/20");
  EXPECT_FALSE(request && request->block == "10.64.16.0/20");
}

TEST(ChooseComputeSubnet, AFullVpcGetsABlockThatNothingAroundHas) {
  auto seen = bare();
  seen.vpc_blocks = {"10.64.0.0/20"};
  seen.around = {"100.64.0.0/16"};
  const auto request = request_of(choose(seen));
  ASSERT_TRUE(request);
  EXPECT_EQ(request->call, SubnetCall::associate_block);
  EXPECT_EQ(request->block, "100.65.0.0/16");
  seen.block_coming = true;
  EXPECT_TRUE(std::holds_alternative<Wait>(choose(seen)));
}

TEST(ChooseComputeSubnet, WithoutAGatewayNothingIsBegun) {
  auto seen = bare();
  seen.nat.clear();
  EXPECT_TRUE(std::holds_alternative<Blocked>(choose(seen)));
}

TEST(ChooseComputeSubnet, EveryPieceThatIsMissingIsMadeInTurn) {
  struct Case {
    std::function<void(ComputeSubnetSeen&)> without;
    SubnetCall call;
  };
  const Case cases[] = {
      {[](auto& seen) {
         seen.table.reset();
         seen.table_nat.clear();
         seen.associated = seen.endpoint_has_table = false;
       },
       SubnetCall::create_table},
      {[](auto& seen) { seen.table_nat.clear(); }, SubnetCall::create_route},
      {[](auto& seen) { seen.table_route_dead = true; }, SubnetCall::replace_route},
      {[](auto& seen) { seen.associated = false; }, SubnetCall::associate_table},
      {[](auto& seen) { seen.endpoint_has_table = false; }, SubnetCall::add_to_endpoint},
      {[](auto& seen) {
         seen.endpoint.clear();
         seen.endpoint_has_table = false;
       },
       SubnetCall::create_endpoint},
  };
  for (const auto& row : cases) {
    auto seen = whole();
    row.without(seen);
    const auto request = request_of(choose(seen));
    ASSERT_TRUE(request);
    EXPECT_EQ(request->call, row.call);
  }
}

TEST(ChooseComputeSubnet, AWholeOneIsDoneAndOwnedByItsMakerAlone) {
  const auto mine = choose(whole());
  ASSERT_TRUE(std::holds_alternative<Done>(mine));
  EXPECT_EQ(std::get<Done>(mine).owned.size(), 2);
  EXPECT_EQ(std::get<Done>(mine).output.at("subnet_id").as_string(), "subnet-1");
  const auto others = choose_compute_subnet("op-2", k_input, whole(), {});
  EXPECT_TRUE(std::get<Done>(others).owned.empty());
}

TEST(ChooseComputeSubnet, WhatWasMadeGoesAgainWhenTheRestIsRefused) {
  auto seen = whole();
  seen.table_nat.clear();
  seen.associated = seen.endpoint_has_table = false;
  const auto first = request_of(choose(seen, refused(codes::access_denied)));
  ASSERT_TRUE(first);
  EXPECT_EQ(first->call, SubnetCall::delete_subnet);
  EXPECT_EQ(first->because, "no");
  seen.subnet.reset();
  History history{.acts = 2, .receipt = encode(*first)};
  const auto second = request_of(choose(seen, history));
  ASSERT_TRUE(second);
  EXPECT_EQ(second->call, SubnetCall::delete_table);
  seen.table.reset();
  history.receipt = encode(*second);
  const auto end = choose(seen, history);
  ASSERT_TRUE(std::holds_alternative<Fail>(end));
  EXPECT_NE(std::get<Fail>(end).error.message.find("no"), std::string::npos);
}

TEST(ChooseComputeSubnet, WhatAnotherOperationMadeIsLeftWhenTheRestIsRefused) {
  auto seen = whole();
  seen.associated = false;
  const auto end = choose_compute_subnet("op-2", k_input, seen, refused(codes::access_denied));
  EXPECT_TRUE(std::holds_alternative<Fail>(end));
}

TEST(ChooseComputeSubnetRemoval, GoesInTheOrderThatEc2Allows) {
  auto seen = whole();
  std::vector<SubnetCall> calls;
  for (int i = 0; i < 5; ++i) {
    const auto request = request_of(choose_compute_subnet_removal(k_input, seen, {}, std::nullopt));
    if (!request) break;
    calls.push_back(request->call);
    if (request->call == SubnetCall::delete_subnet) seen.subnet.reset();
    if (request->call == SubnetCall::remove_from_endpoint) seen.endpoint_has_table = false;
    if (request->call == SubnetCall::delete_table) seen.table.reset();
  }
  EXPECT_EQ(calls, (std::vector{SubnetCall::delete_subnet, SubnetCall::remove_from_endpoint,
                                SubnetCall::delete_table}));
}

TEST(ChooseComputeSubnetRemoval, AnUndoLeavesWhatAnotherOperationMade) {
  const auto end = choose_compute_subnet_removal(k_input, whole(), {}, "op-2");
  EXPECT_TRUE(std::holds_alternative<Done>(end));
}

TEST(ChooseComputeSubnetRemoval, WaitsForInterfacesThatAreGoing) {
  History history = refused(codes::conflict);
  EXPECT_TRUE(
      std::holds_alternative<Wait>(choose_compute_subnet_removal(k_input, whole(), history, std::nullopt)));
  history.since_act = milliseconds(31'000);
  EXPECT_TRUE(request_of(choose_compute_subnet_removal(k_input, whole(), history, std::nullopt)));
}

}  // namespace
}  // namespace instantstart::capabilities
