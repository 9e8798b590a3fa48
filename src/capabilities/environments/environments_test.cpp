#include "capabilities/environments/environments.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/decode.h"
#include "capabilities/environments/stage_requests.h"

namespace instantstart::capabilities {
namespace {

const domain::ClusterKey k_demo{"demo", "us-west-2", "123456789012"};

json::object smallest() {
  return {{"name", "demo"}, {"group", json::object{{"instance_type", "ml.g5.8xlarge"}}}};
}

std::vector<std::string> pointers(const json::object& request) {
  auto decoded = decode<EnvironmentCreate>(request);
  std::vector<std::string> found;
  if (decoded) return found;
  for (const auto& problem : decoded.error().problems) found.push_back(problem.pointer);
  return found;
}

TEST(EnvironmentCreate, ItsRulesAreThoseOfTheControlPlane) {
  EXPECT_EQ(pointers(smallest()), std::vector<std::string>());
  auto request = smallest();
  request["vpc_cidr"] = "10.0.0.0/30";
  request["endpoint_access"] = "private_only";
  request["public_access_cidrs"] = json::array{"10.0.0.0/8"};
  auto found = pointers(request);
  std::ranges::sort(found);
  EXPECT_EQ(found, (std::vector<std::string>{"/public_access_cidrs", "/vpc_cidr"}));
}

TEST(EnvironmentCreate, AMisspelledMemberOfAStageIsRefusedAtOnce) {
  auto request = smallest();
  request["group"].as_object()["cuont"] = 2;
  EXPECT_EQ(pointers(request), std::vector<std::string>{"/group/cuont"});
}

/// A member that control_plane_create gets must come through the environment too.
TEST(StageRequests, TheControlPlaneGetsEachOfItsMembers) {
  for (const auto& field : type_of<ControlPlaneCreate>().fields) {
    const auto& fields = type_of<EnvironmentCreate>().fields;
    EXPECT_TRUE(std::ranges::any_of(fields, [&](const Field& own) { return own.name == field.name; }))
        << field.name;
  }
  auto request = decode<EnvironmentCreate>(
      json::object{{"name", "demo"},
                   {"region", "us-west-2"},
                   {"profile", "work"},
                   {"tag", "lab"},
                   {"kubernetes_version", "1.33"},
                   {"vpc_cidr", "10.0.0.0/16"},
                   {"avoid_cidrs", json::array{"10.1.0.0/16"}},
                   {"zones", json::array{"us-west-2a", "us-west-2b"}},
                   {"nat", "per_zone"},
                   {"endpoint_access", "public_only"},
                   {"public_access_cidrs", json::array{"10.0.0.0/8"}},
                   {"administrators", json::array{"arn:aws:iam::123456789012:role/platform"}},
                   {"group", json::object{{"instance_type", "ml.g5.8xlarge"}}}});
  ASSERT_TRUE(request) << request.error().message;
  auto sent = encode(*request).as_object();
  sent.erase("group");
  EXPECT_EQ(encode(control_plane_of(*request)), json::value(sent));
}

TEST(StageRequests, TheMountGetsEachMemberAndTheClustersKey) {
  auto storage = decode<EnvironmentStorage>(json::object{{"name", "more"},
                                                         {"bucket", "demo-data-1"},
                                                         {"create", true},
                                                         {"prefix", "a"},
                                                         {"namespace", "team"},
                                                         {"path", "/more"},
                                                         {"read_only", true},
                                                         {"uid", 1},
                                                         {"gid", 2},
                                                         {"kms_key",
                                                          "arn:aws:kms:us-west-2:123456789012:key/"
                                                          "12345678-1234-1234-1234-123456789012"}});
  ASSERT_TRUE(storage) << storage.error().message;
  auto expected = encode(*storage).as_object();
  expected["cluster"] = "demo.us-west-2.123456789012";
  expected["kind"] = "s3";
  EXPECT_EQ(encode(storage_of(*storage, k_demo)), json::value(expected));
}

TEST(StageRequests, OtherStagesNameTheClusterByItsKey) {
  auto request = decode<EnvironmentCreate>(smallest());
  ASSERT_TRUE(request);
  EXPECT_EQ(dependencies_of(*request, k_demo).cluster.value, "demo.us-west-2.123456789012");
  EXPECT_EQ(hyperpod_of(*request, k_demo).cluster.value, "demo.us-west-2.123456789012");
  EXPECT_EQ(hyperpod_of(*request, k_demo).group.instance_type.value, "ml.g5.8xlarge");
}

TEST(StageRequests, WhatHyperpodNeedsComesAlongWithChosenComponents) {
  auto asked = smallest();
  asked["components"] = json::array{"cert_manager", "health_agent"};
  auto request = decode<EnvironmentCreate>(asked);
  ASSERT_TRUE(request) << request.error().message;
  const auto components = dependencies_of(*request, k_demo).components.value();
  const auto times = [&](std::string_view name) {
    return std::ranges::count(components, name, &ComponentName::value);
  };
  EXPECT_EQ(times("cert_manager"), 1);
  EXPECT_EQ(times("health_agent"), 1);
  EXPECT_EQ(times("deep_health_check"), 1);
  EXPECT_EQ(times("s3_csi"), 0);
}

TEST(StageRequests, WithoutChosenComponentsAllAreMeant) {
  auto request = decode<EnvironmentCreate>(smallest());
  ASSERT_TRUE(request);
  EXPECT_FALSE(dependencies_of(*request, k_demo).components.has_value());
}

TEST(KeyOfSubject, IsThatOfAClusterAndOfNothingBelow) {
  const auto key = key_of_subject("cluster/demo.us-west-2.123456789012");
  ASSERT_TRUE(key);
  EXPECT_EQ(*key, k_demo);
  EXPECT_FALSE(key_of_subject("cluster/demo.us-west-2.123456789012/part/hyperpod"));
  EXPECT_FALSE(key_of_subject("vpc/demo"));
}

}  // namespace
}  // namespace instantstart::capabilities
