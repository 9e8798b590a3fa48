#include "capabilities/network/control_plane_choices.h"

#include <gtest/gtest.h>

#include "base/decode.h"
#include "capabilities/network/testing/sample_control_planes.h"

namespace instantstart::capabilities {
namespace {

using domain::Cidr;

Cidr block(std::string_view text) { return *Cidr::parse(text); }

ControlPlaneCreate request(json::object members = {}) {
  members["name"] = "demo";
  auto decoded = decode<ControlPlaneCreate>(members);
  EXPECT_TRUE(decoded) << decoded.error().message;
  return decoded.value_or(ControlPlaneCreate{});
}

PlaceFacts facts(std::vector<Cidr> taken = {}) {
  return {.zones = {"us-west-2a", "us-west-2b", "us-west-2c"},
          .taken = std::move(taken),
          .versions = {"1.33", "1.34"},
          .default_version = "1.34"};
}

/// "pointer rule nearest" of the first problem.
std::string problem_of(const Result<ControlPlaneChoices>& choices) {
  if (choices) return "none";
  const auto& problem = choices.error().problems.at(0);
  return problem.pointer + " " + problem.rule + " " + problem.nearest.value_or("-");
}

TEST(ChooseNew, WhatIsLeftOutIsChosen) {
  const auto choices = choose_new(request(), facts());
  ASSERT_TRUE(choices) << choices.error().message;
  EXPECT_EQ(choices->kubernetes_version, "1.34");
  EXPECT_EQ(choices->vpc_cidr, "10.64.0.0/16");
  EXPECT_EQ(choices->zones, (std::vector<std::string>{"us-west-2a", "us-west-2b"}));
  EXPECT_EQ(choices->nat, NatMode::single);
  EXPECT_EQ(choices->public_access_cidrs, (std::vector<std::string>{"0.0.0.0/0"}));
}

TEST(ChooseNew, TheBlockIsTheFirstOfThePoolThatOverlapsNothing) {
  const auto chosen = [](std::vector<Cidr> taken, json::object members = {}) {
    const auto choices = choose_new(request(std::move(members)), facts(std::move(taken)));
    return choices ? choices->vpc_cidr : problem_of(choices);
  };
  EXPECT_EQ(chosen({block("10.64.0.0/17")}), "10.65.0.0/16") << "overlap, not equal text";
  EXPECT_EQ(chosen({block("10.64.128.0/20"), block("10.65.0.0/16")}), "10.66.0.0/16");
  EXPECT_EQ(chosen({block("10.64.0.0/11"), block("10.96.0.0/14")}), "10.101.0.0/16")
      << "10.100.0.0/16 is for Kubernetes services";
  EXPECT_EQ(chosen({block("10.0.0.0/8")}), "/vpc_cidr required -");
  EXPECT_EQ(chosen({}, {{"avoid_cidrs", {"10.64.0.0/15"}}}), "10.66.0.0/16");
}

TEST(ChooseNew, AGivenBlockIsCheckedAndTheNearestFreeOneNamed) {
  EXPECT_EQ(problem_of(choose_new(request({{"vpc_cidr", "10.90.0.0/17"}}), facts({block("10.90.64.0/20")}))),
            "/vpc_cidr overlap 10.64.0.0/16");
  EXPECT_EQ(problem_of(choose_new(request({{"vpc_cidr", "10.90.0.0/19"}}), facts())),
            "/vpc_cidr too_small -");
  EXPECT_EQ(problem_of(choose_new(request({{"vpc_cidr", "10.90.0.0/18"}}), facts())), "none");
}

TEST(ChooseNew, ZonesAndVersionsAreThoseOfEks) {
  EXPECT_EQ(problem_of(choose_new(request({{"zones", {"us-west-2a", "us-west-2d"}}}), facts())),
            "/zones/1 zones us-west-2a");
  EXPECT_EQ(problem_of(choose_new(request({{"kubernetes_version", "1.3"}}), facts())),
            "/kubernetes_version unknown_version 1.33");
  auto narrow = facts();
  narrow.zones.resize(1);
  EXPECT_EQ(problem_of(choose_new(request(), narrow)), "/zones zones -");
}

TEST(ChooseNew, AllProblemsComeAtOnce) {
  const auto choices = choose_new(request({{"vpc_cidr", "10.90.0.0/19"},
                                           {"zones", {"us-west-2x", "us-west-2y"}},
                                           {"kubernetes_version", "1.1"}}),
                                  facts());
  ASSERT_FALSE(choices);
  EXPECT_EQ(choices.error().problems.size(), 4u);
}

TEST(Requests, ThatContradictThemselvesAreRefused) {
  const json::object vpc{{"vpc_id", "vpc-12345678"}, {"subnet_ids", {"subnet-12345678", "subnet-87654321"}}};
  for (json::object members :
       {json::object{{"vpc", vpc}, {"vpc_cidr", "10.64.0.0/16"}},
        json::object{{"vpc", vpc}, {"nat", "single"}},
        json::object{{"endpoint_access", "private_only"}, {"public_access_cidrs", {"10.0.0.0/8"}}},
        json::object{{"zones", {"us-west-2a", "us-west-2a"}}}, json::object{{"zones", {"us-west-2a"}}},
        json::object{{"vpc_cidr", "8.8.0.0/16"}}}) {
    members["name"] = "demo";
    EXPECT_FALSE(decode<ControlPlaneCreate>(members)) << to_text(members);
  }
}

TEST(Parameters, SayAllThatWasChosen) {
  for (const auto& [name, choices] : testing::sample_choices()) {
    EXPECT_EQ(from_parameters(to_parameters(choices)), choices) << name;
  }
}

TEST(Parameters, OfAnotherStackAreRefused) {
  EXPECT_FALSE(from_parameters({}));
  EXPECT_FALSE(from_parameters({{"ClusterName", "demo"}, {"KubernetesVersion", "1.34"}}));
}

TEST(ChooseChanged, WhatIsNotNamedStays) {
  const auto existing = testing::sample_choices().at("per_zone");
  EXPECT_EQ(choose_changed(request(), existing), existing);
  const auto changed = choose_changed(request({{"nat", "single"}}), existing);
  ASSERT_TRUE(changed);
  EXPECT_EQ(differences(existing, *changed), std::vector<std::string>{"nat"});
}

TEST(ChooseChanged, SameValuesInAnotherOrderAreNoChange) {
  const auto existing = testing::sample_choices().at("per_zone");
  json::array zones;
  for (auto zone = existing.zones.rbegin(); zone != existing.zones.rend(); ++zone) zones.emplace_back(*zone);
  EXPECT_EQ(choose_changed(request({{"zones", zones}, {"vpc_cidr", existing.vpc_cidr}}), existing), existing);
}

TEST(ChooseChanged, TheNetworkCanNotChange) {
  const auto existing = testing::sample_choices().at("single");
  EXPECT_EQ(problem_of(choose_changed(request({{"vpc_cidr", "10.99.0.0/16"}}), existing)),
            "/vpc_cidr immutable " + existing.vpc_cidr);
  EXPECT_EQ(problem_of(choose_changed(request({{"zones", {"us-west-2a", "us-west-2c"}}}), existing)),
            "/zones immutable us-west-2a,us-west-2b");
}

TEST(ChooseChanged, VersionsGoUpByOne) {
  const auto existing = testing::sample_choices().at("single");  // 1.33
  EXPECT_EQ(choose_changed(request({{"kubernetes_version", "1.34"}}), existing)->kubernetes_version, "1.34");
  for (const char* version : {"1.32", "1.35"}) {
    EXPECT_EQ(problem_of(choose_changed(request({{"kubernetes_version", version}}), existing)),
              "/kubernetes_version next_version 1.34");
  }
}

TEST(AddressPlans, LeaveABlockForTheNodesOfEachZone) {
  const auto plan = address_plan(block("10.64.0.0/16"), 2);
  ASSERT_TRUE(plan);
  EXPECT_EQ(to_text(plan->public_subnets[1]), "10.64.1.0/24");
  EXPECT_EQ(to_text(plan->private_subnets[0]), "10.64.2.0/24");
  EXPECT_TRUE(address_plan(block("10.64.0.0/18"), 3));
  EXPECT_FALSE(address_plan(block("10.64.0.0/18"), 4));
  EXPECT_FALSE(address_plan(block("10.64.0.0/20"), 2));
}

}  // namespace
}  // namespace instantstart::capabilities
