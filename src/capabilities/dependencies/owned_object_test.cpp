#include "capabilities/dependencies/owned_object.h"

#include <gtest/gtest.h>

#include "kube/json_access.h"

namespace instantstart::capabilities {
namespace {

const json::object k_plain{{"apiVersion", "v1"},
                           {"kind", "ServiceAccount"},
                           {"metadata", {{"namespace", "a"}, {"name", "b"}, {"labels", {{"app", "x"}}}}}};
const Ownership k_ownership{
    .component = "health_agent", .version = "1", .release = "hyperpod-dependencies", .operation_id = "op-1"};

std::vector<std::string> differences_of(std::string_view desired, std::string_view live) {
  return differences(parse_json(desired)->as_object(), parse_json(live)->as_object());
}

TEST(OwnedObject, CarriesWhatHelmNeedsToAdoptItAndOurProof) {
  const auto object = owned(k_plain, k_ownership);
  EXPECT_EQ(kube::text_at(object, {"metadata", "labels", "app.kubernetes.io/managed-by"}), "Helm");
  EXPECT_EQ(kube::text_at(object, {"metadata", "labels", "app"}), "x");
  EXPECT_EQ(kube::text_at(object, {"metadata", "annotations", "meta.helm.sh/release-name"}),
            "hyperpod-dependencies");
  EXPECT_EQ(kube::text_at(object, {"metadata", "annotations", "meta.helm.sh/release-namespace"}),
            "kube-system");
  EXPECT_EQ(maker_of(object), "op-1");
  EXPECT_EQ(maker_of(k_plain), std::nullopt);
}

TEST(OwnedObject, WhichOperationMadeItIsNoDifference) {
  const auto one = owned(k_plain, k_ownership);
  auto other = k_ownership;
  other.operation_id = "op-2";
  EXPECT_TRUE(differences(owned(k_plain, other), one).empty());
  other.version = "2";
  EXPECT_EQ(differences(owned(k_plain, other), one),
            std::vector<std::string>{"/metadata/annotations/instantstart~1version"});
}

TEST(Differences, WhatTheServerFillsInDoesNotCount) {
  EXPECT_TRUE(differences_of(R"({"a":{"b":1}})", R"({"a":{"b":1,"c":2},"status":{}})").empty());
  EXPECT_TRUE(differences_of(R"({"a":[{"x":1}]})", R"({"a":[{"x":1,"filled":true}]})").empty());
}

TEST(Differences, EmptyIsAsGoodAsAbsent) {
  EXPECT_TRUE(
      differences_of(R"({"env":[{"name":"A","value":""}],"f":false,"o":{}})", R"({"env":[{"name":"A"}]})")
          .empty());
  EXPECT_EQ(differences_of(R"({"f":true})", R"({})"), std::vector<std::string>{"/f"});
}

TEST(Differences, NameThePlaceAndListsMustHaveTheSameLength) {
  EXPECT_EQ(differences_of(R"({"a":{"b/c":1}})", R"({"a":{"b/c":2}})"), std::vector<std::string>{"/a/b~1c"});
  EXPECT_EQ(differences_of(R"({"a":["x"]})", R"({"a":["x","y"]})"), std::vector<std::string>{"/a"});
  EXPECT_EQ(differences_of(R"({"a":["x","y"]})", R"({"a":["y","x"]})"),
            (std::vector<std::string>{"/a/0", "/a/1"}));
}

TEST(ObjectRefs, AreTextAndBackForKindsThatWeMakeOnly) {
  EXPECT_EQ(to_text(ref_of(k_plain)), "serviceaccounts/a/b");
  EXPECT_EQ(parse_object_ref("serviceaccounts/a/b"), ref_of(k_plain));
  for (const auto* text : {"", "secrets/a/b", "serviceaccounts/b", "clusterroles/a/b"}) {
    EXPECT_EQ(parse_object_ref(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace instantstart::capabilities
