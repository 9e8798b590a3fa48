#include "sandbox/services/eks/testing/eks_fixture.h"

namespace instantstart::sandbox::eks {
namespace {

using std::chrono::minutes;

class ClusterUpdatesTest : public EksFixture {
 protected:
  static api::Logging logs(bool enabled) {
    return {.cluster_logging = {{{.types = {{"api", "audit"}}, .enabled = enabled}}}};
  }
};

TEST_F(ClusterUpdatesTest, LoggingChangesWhenTheUpdateIsDone) {
  make_active();
  const auto update = *get<api::UpdateClusterConfig>({.name = "demo", .logging = logs(true)}).update;
  EXPECT_EQ(update.status, "InProgress");
  EXPECT_EQ(update.type, "LoggingUpdate");
  EXPECT_EQ(cluster().status, "UPDATING");
  EXPECT_EQ(cluster().logging->cluster_logging->size(), 1u);
  restart();
  process->pass(minutes(4));
  EXPECT_EQ(get<api::DescribeUpdate>({.name = "demo", .update_id = update.id}).update->status, "Successful");
  EXPECT_EQ(cluster().status, "ACTIVE");
  const auto setups = *cluster().logging->cluster_logging;
  EXPECT_EQ(setups.at(0).types, (std::vector<std::string>{"api", "audit"}));
  EXPECT_EQ(setups.at(1).enabled, false);
}

TEST_F(ClusterUpdatesTest, OneRunsAtATime) {
  make_active();
  const auto update = *get<api::UpdateClusterConfig>({.name = "demo", .logging = logs(true)}).update;
  const auto second = ask<api::UpdateClusterConfig>(
      {.name = "demo", .resources_vpc_config = api::VpcConfigRequest{.endpoint_private_access = true}});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, "ResourceInUseException");
  EXPECT_EQ(second.error().message, "Cannot EndpointAccessUpdate because cluster demo currently has update " +
                                        *update.id + " in progress");
}

TEST_F(ClusterUpdatesTest, ThatWouldChangeNothingAreRefused) {
  make_active();
  EXPECT_EQ(message<api::UpdateClusterConfig>({.name = "demo", .logging = logs(false)}),
            "No changes needed for the logging config provided");
  EXPECT_EQ(
      message<api::UpdateClusterConfig>(
          {.name = "demo", .resources_vpc_config = api::VpcConfigRequest{.endpoint_public_access = true}}),
      "Cluster is already at the desired configuration with endpointPrivateAccess: false , "
      "endpointPublicAccess: true, and Public Endpoint Restrictions: [0.0.0.0/0]");
  EXPECT_EQ(message<api::UpdateClusterConfig>({.name = "demo"}),
            "The type for cluster update was not provided.");
  EXPECT_EQ(
      message<api::UpdateClusterConfig>({.name = "demo", .logging = logs(true), .deletion_protection = true}),
      "Only one type of update can be allowed.");
}

TEST_F(ClusterUpdatesTest, AuthenticationModesGoOneWay) {
  auto wanted = request();
  wanted.access_config.reset();
  get<api::CreateCluster>(wanted);
  process->pass(minutes(10));
  EXPECT_EQ(cluster().access_config->authentication_mode, "CONFIG_MAP");
  EXPECT_EQ(code<api::ListAccessEntries>({.cluster_name = "demo"}), "InvalidRequestException");
  const auto set = [this](const std::string& mode) {
    return message<api::UpdateClusterConfig>(
        {.name = "demo", .access_config = api::UpdateAccessConfigRequest{.authentication_mode = mode}});
  };
  EXPECT_EQ(set("API"), "Unsupported authentication mode update from CONFIG_MAP to API");
  EXPECT_EQ(set("API_AND_CONFIG_MAP"), "");
  process->pass(minutes(4));
  EXPECT_EQ(get<api::ListAccessEntries>({.cluster_name = "demo"}).access_entries,
            std::vector<std::string>{caller});
  EXPECT_EQ(set("CONFIG_MAP"),
            "Unsupported authentication mode update from API_AND_CONFIG_MAP to CONFIG_MAP");
  EXPECT_EQ(set("API"), "");
}

TEST_F(ClusterUpdatesTest, ARepeatWithTheTokenIsTheSameUpdate) {
  make_active();
  api::UpdateClusterConfigRequest wanted{.name = "demo", .logging = logs(true), .client_request_token = "t"};
  const auto first = *get<api::UpdateClusterConfig>(wanted).update;
  EXPECT_EQ(get<api::UpdateClusterConfig>(wanted).update->id, first.id);
  process->pass(minutes(4));
  EXPECT_EQ(get<api::UpdateClusterConfig>(wanted).update->status, "Successful");
  wanted.logging = logs(false);
  EXPECT_EQ(code<api::UpdateClusterConfig>(wanted), "InvalidParameterException");
}

TEST_F(ClusterUpdatesTest, FailWhenThatIsPlannedAndChangeNothing) {
  make_active();
  failure = PlannedFailure{"AccessDenied", "No."};
  const auto update = *get<api::UpdateClusterConfig>({.name = "demo", .logging = logs(true)}).update;
  failure.reset();
  process->pass(minutes(4));
  const auto ended = *get<api::DescribeUpdate>({.name = "demo", .update_id = update.id}).update;
  EXPECT_EQ(ended.status, "Failed");
  EXPECT_EQ(ended.errors->at(0).error_code, "AccessDenied");
  EXPECT_EQ(cluster().status, "ACTIVE");
  EXPECT_EQ(cluster().logging->cluster_logging->size(), 1u);
  EXPECT_EQ(code<api::UpdateClusterConfig>({.name = "demo", .logging = logs(true)}), "");
}

TEST_F(ClusterUpdatesTest, SubnetsMoveTheInterfaces) {
  make_active();
  const std::string third = make_subnet(vpc, "10.0.3.0/24", "us-west-2c");
  get<api::UpdateClusterConfig>(
      {.name = "demo", .resources_vpc_config = api::VpcConfigRequest{.subnet_ids = {{subnets[0], third}}}});
  process->pass(minutes(4));
  EXPECT_EQ(cluster().resources_vpc_config->subnet_ids, (std::vector<std::string>{subnets[0], third}));
  EXPECT_EQ(ec2->network().find_subnet("us-west-2", subnets[1])->available_ip_address_count, 251);
  EXPECT_EQ(ec2->network().find_subnet("us-west-2", third)->available_ip_address_count, 250);
}

TEST_F(ClusterUpdatesTest, UnknownOnesAreNotFound) {
  make_active();
  EXPECT_EQ(code<api::DescribeUpdate>({.name = "demo", .update_id = "x"}), "ResourceNotFoundException");
  EXPECT_EQ(code<api::DescribeUpdate>({.name = "none", .update_id = "x"}), "ResourceNotFoundException");
}

}  // namespace
}  // namespace instantstart::sandbox::eks
