#include <chrono>

#include "sandbox/services/cloudformation/testing/stack_fixture.h"

namespace instantstart::sandbox::cloudformation {
namespace {

using std::chrono::minutes;

std::string cluster_template(bool is_private = false) {
  return std::string(R"({"Resources":{
    "Cluster":{"Type":"AWS::EKS::Cluster","Properties":{"Name":"demo","RoleArn":"arn:aws:iam::123456789012:role/r",
      "ResourcesVpcConfig":{"SubnetIds":["subnet-1","subnet-2"],"EndpointPrivateAccess":)") +
         (is_private ? "true" : "false") + R"(},
      "AccessConfig":{"AuthenticationMode":"API_AND_CONFIG_MAP"},
      "Logging":{"ClusterLogging":{"EnabledTypes":[{"Type":"api"},{"Type":"audit"}]}}}},
    "Cni":{"Type":"AWS::EKS::Addon","Properties":{"ClusterName":{"Ref":"Cluster"},"AddonName":"vpc-cni",
      "ResolveConflicts":"OVERWRITE"}},
    "Admin":{"Type":"AWS::EKS::AccessEntry","Properties":{"ClusterName":{"Ref":"Cluster"},
      "PrincipalArn":"arn:aws:iam::123456789012:role/admin",
      "AccessPolicies":[{"PolicyArn":"arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy",
        "AccessScope":{"Type":"cluster"}}]}},
    "Pods":{"Type":"AWS::EKS::PodIdentityAssociation","Properties":{"ClusterName":{"Ref":"Cluster"},
      "Namespace":"kube-system","ServiceAccount":"a","RoleArn":"arn:aws:iam::123456789012:role/r"}}},
   "Outputs":{"Arn":{"Value":{"Fn::GetAtt":["Cluster","Arn"]}},
     "Endpoint":{"Value":{"Fn::GetAtt":["Cluster","Endpoint"]}},
     "Group":{"Value":{"Fn::GetAtt":["Cluster","ClusterSecurityGroupId"]}},
     "Issuer":{"Value":{"Fn::GetAtt":["Cluster","OpenIdConnectIssuerUrl"]}},
     "Authority":{"Value":{"Fn::GetAtt":["Cluster","CertificateAuthorityData"]}}}})";
}

class EksStacksTest : public StackFixture {};

TEST_F(EksStacksTest, AClusterIsAwaitedAndGivesItsAttributes) {
  create("s", cluster_template());
  process->pass(minutes(3));
  ASSERT_EQ(status("s"), "CREATE_COMPLETE") << reason("s", "s", "ROLLBACK_IN_PROGRESS");
  EXPECT_EQ(output("s", "Arn"), "arn:aws:eks:us-west-2:123456789012:cluster/demo");
  EXPECT_EQ(output("s", "Endpoint"), "https://127.0.0.1:6443");
  EXPECT_EQ(output("s", "Issuer"), "https://oidc.example/id/A");
  EXPECT_EQ(output("s", "Authority"), "Q0E=");
  EXPECT_EQ(output("s", "Group"), "sg-0123");
  const auto& made = eks.clusters.at("demo");
  EXPECT_EQ(made.logging->cluster_logging->at(0).types, (std::vector<std::string>{"api", "audit"}));
  EXPECT_EQ(made.tags->at("aws:cloudformation:stack-name"), "s");
  EXPECT_EQ(physical_id("s", "Cni"), "demo|vpc-cni");
  EXPECT_EQ(eks.policies.size(), 1u);
  EXPECT_EQ(eks.associations.size(), 1u);
}

TEST_F(EksStacksTest, AFailedClusterRollsTheStackBackWithItsReason) {
  eks.failure = "no capacity in the zone";
  create("s", cluster_template());
  process->pass(minutes(10));
  EXPECT_EQ(status("s"), "ROLLBACK_COMPLETE");
  EXPECT_NE(reason("s", "Cluster", "CREATE_FAILED").find("no capacity in the zone"), std::string::npos);
  EXPECT_TRUE(eks.clusters.empty());
}

TEST_F(EksStacksTest, EndpointAccessChangesInPlace) {
  create("s", cluster_template());
  process->pass(minutes(3));
  EXPECT_EQ(update("s", cluster_template(true)), "");
  process->pass(minutes(3));
  EXPECT_EQ(status("s"), "UPDATE_COMPLETE") << reason("s", "Cluster", "UPDATE_FAILED");
  EXPECT_EQ(eks.clusters.at("demo").resources_vpc_config->endpoint_private_access, true);
}

TEST_F(EksStacksTest, ADeletionDuringCreationWaitsForTheCluster) {
  eks.looks = 10;
  const auto id = create("s", cluster_template());
  process->pass(minutes(1));
  remove("s");
  process->pass(minutes(10));
  EXPECT_EQ(status(id), "DELETE_COMPLETE");
  EXPECT_TRUE(eks.clusters.empty());
}

}  // namespace
}  // namespace instantstart::sandbox::cloudformation
