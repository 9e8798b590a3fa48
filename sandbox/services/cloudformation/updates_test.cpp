#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "aws/shapes/ec2.h"
#include "aws/shapes/iam.h"
#include "sandbox/services/cloudformation/testing/stack_fixture.h"
#include "sandbox/services/cloudformation/testing/templates.h"

namespace instantstart::sandbox::cloudformation {
namespace {

namespace ec2_api = aws::ec2;
using std::chrono::minutes;
using std::chrono::seconds;

/// A subnet in a VPC; the second resource follows a replacement of the first.
std::string subnet_template(std::string_view vpc_block, std::string_view subnet_block, bool is_public = false,
                            std::string_view more = "") {
  return std::string(R"({"Resources":{"Vpc":{"Type":"AWS::EC2::VPC","Properties":{"CidrBlock":")") +
         std::string(vpc_block) +
         R"("}},"Subnet":{"Type":"AWS::EC2::Subnet","Properties":{"VpcId":{"Ref":"Vpc"},"CidrBlock":")" +
         std::string(subnet_block) + R"(","MapPublicIpOnLaunch":)" + (is_public ? "true" : "false") + "}}" +
         std::string(more) + R"(},"Outputs":{"VpcId":{"Value":{"Ref":"Vpc"}}}})";
}

class UpdatesTest : public StackFixture {
 protected:
  void SetUp() override {
    StackFixture::SetUp();
    create("s", subnet_template("10.0.0.0/16", "10.0.1.0/24"));
    process->pass(minutes(1));
    ASSERT_EQ(status("s"), "CREATE_COMPLETE");
  }
  ec2_api::Subnet subnet() {
    return get<ec2_api::DescribeSubnets>(ec2(), {.subnet_ids = {{physical_id("s", "Subnet")}}})
        .subnets->at(0);
  }
  api::DescribeChangeSetOutput change_set(const std::string& name, const std::string& body,
                                          const std::string& type = "UPDATE",
                                          const std::string& stack_name = "s") {
    get<api::CreateChangeSet>(
        cfn(),
        {.stack_name = stack_name, .template_body = body, .change_set_name = name, .change_set_type = type});
    process->pass(seconds(5));
    return get<api::DescribeChangeSet>(cfn(), {.change_set_name = name, .stack_name = stack_name});
  }
};

TEST_F(UpdatesTest, NothingToDoIsRefused) {
  EXPECT_EQ(update("s", subnet_template("10.0.0.0/16", "10.0.1.0/24")),
            "ValidationError: No updates are to be performed.");
}

TEST_F(UpdatesTest, AChangeInPlaceKeepsTheResource) {
  const auto before = physical_id("s", "Subnet");
  EXPECT_EQ(update("s", subnet_template("10.0.0.0/16", "10.0.1.0/24", true)), "");
  process->pass(minutes(1));
  EXPECT_EQ(status("s"), "UPDATE_COMPLETE");
  EXPECT_EQ(physical_id("s", "Subnet"), before);
  EXPECT_EQ(subnet().map_public_ip_on_launch, true);
  const auto lines = events("s");
  const std::vector<std::string> tail(lines.end() - 5, lines.end());
  EXPECT_EQ(tail, (std::vector<std::string>{"s UPDATE_IN_PROGRESS", "Subnet UPDATE_IN_PROGRESS",
                                            "Subnet UPDATE_COMPLETE", "s UPDATE_COMPLETE_CLEANUP_IN_PROGRESS",
                                            "s UPDATE_COMPLETE"}));
}

TEST_F(UpdatesTest, AReplacementTakesWhatRefersToItAlongAndCleansUp) {
  const auto old_vpc = output("s", "VpcId");
  const auto old_subnet = physical_id("s", "Subnet");
  EXPECT_EQ(update("s", subnet_template("10.2.0.0/16", "10.2.1.0/24")), "");
  process->pass(minutes(3));
  EXPECT_EQ(status("s"), "UPDATE_COMPLETE");
  EXPECT_NE(output("s", "VpcId"), old_vpc);
  EXPECT_NE(physical_id("s", "Subnet"), old_subnet);
  EXPECT_EQ(subnet().vpc_id, output("s", "VpcId"));
  EXPECT_EQ(vpcs(), 1u);
  EXPECT_EQ(reason("s", "Vpc", "UPDATE_COMPLETE"), "");
  const auto lines = events("s");
  EXPECT_LT(std::ranges::find(lines, "Subnet DELETE_COMPLETE"),
            std::ranges::find(lines, "Vpc DELETE_IN_PROGRESS"));
  remove("s");
  process->pass(minutes(2));
  EXPECT_EQ(vpcs(), 0u);
}

TEST_F(UpdatesTest, ResourcesComeAndGoWithTheTemplate) {
  EXPECT_EQ(update("s", subnet_template("10.0.0.0/16", "10.0.1.0/24", false,
                                        R"(,"Gateway":{"Type":"AWS::EC2::InternetGateway"})")),
            "");
  process->pass(minutes(1));
  EXPECT_FALSE(physical_id("s", "Gateway").empty());
  EXPECT_EQ(update("s", vpc_template()), "");
  process->pass(minutes(1));
  EXPECT_EQ(status("s"), "UPDATE_COMPLETE");
  EXPECT_EQ(get<api::DescribeStackResources>(cfn(), {.stack_name = "s"}).stack_resources->size(), 1u);
  EXPECT_TRUE(get<ec2_api::DescribeInternetGateways>(
                  ec2(), {.filters = {{{.name = "tag-key", .values = {{"aws:cloudformation:stack-name"}}}}}})
                  .internet_gateways->empty());
}

TEST_F(UpdatesTest, AFailedUpdateGoesBackToWhatWas) {
  const auto old_vpc = output("s", "VpcId");
  const auto old_subnet = physical_id("s", "Subnet");
  // The VPC is replaced, the subnet's block is not in the new one's.
  EXPECT_EQ(update("s", subnet_template("10.3.0.0/16", "10.0.1.0/24", true)), "");
  process->pass(minutes(3));
  EXPECT_EQ(status("s"), "UPDATE_ROLLBACK_COMPLETE");
  EXPECT_EQ(reason("s", "s", "UPDATE_ROLLBACK_IN_PROGRESS"),
            "The following resource(s) failed to update: [Subnet]. ");
  EXPECT_EQ(output("s", "VpcId"), old_vpc);
  EXPECT_EQ(physical_id("s", "Vpc"), old_vpc);
  EXPECT_EQ(physical_id("s", "Subnet"), old_subnet);
  EXPECT_EQ(events("s").back(), "s UPDATE_ROLLBACK_COMPLETE");
  EXPECT_FALSE(reason("s", "Subnet", "UPDATE_FAILED").empty());
  for (const auto& one : *get<api::DescribeStackResources>(cfn(), {.stack_name = "s"}).stack_resources) {
    EXPECT_FALSE(one.resource_status->ends_with("_FAILED")) << *one.logical_resource_id;
  }
  EXPECT_EQ(vpcs(), 1u);
  EXPECT_EQ(get<api::GetTemplate>(cfn(), {.stack_name = "s"}).template_body,
            subnet_template("10.0.0.0/16", "10.0.1.0/24"));
  EXPECT_EQ(update("s", subnet_template("10.0.0.0/16", "10.0.1.0/24", true)), "");
  process->pass(minutes(1));
  EXPECT_EQ(status("s"), "UPDATE_COMPLETE");
}

TEST_F(UpdatesTest, WhatWasChangedInPlaceIsChangedBack) {
  EXPECT_EQ(update("s", subnet_template("10.0.0.0/16", "10.0.1.0/24", true,
                                        R"(,"Bad":{"Type":"AWS::EC2::VPC","DependsOn":"Subnet",
                                            "Properties":{"CidrBlock":"10.0.0.0/8"}})")),
            "");
  process->pass(minutes(3));
  EXPECT_EQ(status("s"), "UPDATE_ROLLBACK_COMPLETE");
  EXPECT_EQ(subnet().map_public_ip_on_launch, false);
  EXPECT_EQ(reason("s", "s", "UPDATE_ROLLBACK_IN_PROGRESS"),
            "The following resource(s) failed to create: [Bad]. ");
}

TEST_F(UpdatesTest, AKeptFailureIsMadeAnewByTheNextUpdate) {
  services->faults.replace({{.service = "ec2",
                             .operation = "CreateNatGateway",
                             .kind = FaultKind::resource_failure,
                             .code = "Planned",
                             .message = "planned",
                             .invoked_by = "cloudformation.amazonaws.com"}});
  const auto body = [](std::string_view name) {
    return fmt::format(R"({{"Resources":{{
        "Vpc":{{"Type":"AWS::EC2::VPC","Properties":{{"CidrBlock":"10.4.0.0/16"}}}},
        "Place":{{"Type":"AWS::EC2::Subnet","Properties":{{"VpcId":{{"Ref":"Vpc"}},"CidrBlock":"10.4.0.0/24"}}}},
        "Nat":{{"Type":"AWS::EC2::NatGateway","Properties":{{"SubnetId":{{"Ref":"Place"}},
          "ConnectivityType":"private","Tags":[{{"Key":"Name","Value":"{}"}}]}}}}}}}})",
                       name);
  };
  create("kept", body("one"), {.disable_rollback = true});
  process->pass(minutes(5));
  ASSERT_EQ(status("kept"), "CREATE_FAILED");
  const auto failed = physical_id("kept", "Nat");
  EXPECT_EQ(update("kept", body("two")), "");
  process->pass(minutes(5));
  EXPECT_EQ(status("kept"), "UPDATE_COMPLETE");
  EXPECT_NE(physical_id("kept", "Nat"), failed);
}

TEST_F(UpdatesTest, ATypeDoesNotChange) {
  EXPECT_EQ(
      update("s", R"({"Resources":{"Vpc":{"Type":"AWS::EC2::EIP"}}})"),
      "ValidationError: Update of resource type is not permitted. The new template modifies resource type of "
      "the following resources: [Vpc]");
}

TEST_F(UpdatesTest, StackTagsReachResourcesInPlace) {
  get<api::UpdateStack>(
      cfn(), {.stack_name = "s", .use_previous_template = true, .tags = {{{.key = "team", .value = "ml"}}}});
  process->pass(minutes(1));
  EXPECT_EQ(status("s"), "UPDATE_COMPLETE");
  const auto tags = subnet().tags.value();
  EXPECT_TRUE(
      std::ranges::any_of(tags, [](const auto& tag) { return tag.key == "team" && tag.value == "ml"; }));
}

TEST_F(UpdatesTest, AChangeSetTellsAndThenDoes) {
  const auto told = change_set("cs", subnet_template("10.2.0.0/16", "10.2.1.0/24"));
  EXPECT_EQ(told.status, "CREATE_COMPLETE");
  EXPECT_EQ(told.execution_status, "AVAILABLE");
  ASSERT_EQ(told.changes->size(), 2u);
  const auto& vpc = *told.changes->at(0).resource_change;
  EXPECT_EQ(vpc.logical_resource_id, "Vpc");
  EXPECT_EQ(vpc.action, "Modify");
  EXPECT_EQ(vpc.replacement, "True");
  EXPECT_EQ(vpc.scope, std::vector<std::string>{"Properties"});
  EXPECT_EQ(vpc.details->at(0).target->requires_recreation, "Always");
  EXPECT_EQ(status("s"), "CREATE_COMPLETE");
  get<api::ExecuteChangeSet>(cfn(), {.change_set_name = "cs", .stack_name = "s"});
  process->pass(minutes(3));
  EXPECT_EQ(status("s"), "UPDATE_COMPLETE");
  EXPECT_TRUE(refusal<api::ExecuteChangeSet>({.change_set_name = "cs", .stack_name = "s"})
                  .starts_with("InvalidChangeSetStatus"));
}

TEST_F(UpdatesTest, AReferenceToWhatIsReplacedIsDynamic) {
  const auto told = change_set("cs", subnet_template("10.2.0.0/16", "10.0.1.0/24"));
  const auto& subnet_change = *told.changes->at(1).resource_change;
  EXPECT_EQ(subnet_change.replacement, "Conditional");
  EXPECT_EQ(subnet_change.details->at(0).evaluation, "Dynamic");
}

TEST_F(UpdatesTest, AChangeSetWithoutChangesFails) {
  const auto told = change_set("cs", subnet_template("10.0.0.0/16", "10.0.1.0/24"));
  EXPECT_EQ(told.status, "FAILED");
  EXPECT_TRUE(told.status_reason->starts_with("The submitted information didn't contain changes."));
}

TEST_F(UpdatesTest, AChangeSetOfANewStackIsReviewedFirst) {
  const auto told = change_set("cs", vpc_template("10.7.0.0/16"), "CREATE", "fresh");
  EXPECT_EQ(status("fresh"), "REVIEW_IN_PROGRESS");
  EXPECT_EQ(told.changes->at(0).resource_change->action, "Add");
  get<api::ExecuteChangeSet>(cfn(), {.change_set_name = *told.change_set_id});
  process->pass(minutes(1));
  EXPECT_EQ(status("fresh"), "CREATE_COMPLETE");
  EXPECT_TRUE(refusal<api::DescribeChangeSet>({.change_set_name = "none", .stack_name = "fresh"})
                  .starts_with("ChangeSetNotFound"));
}

}  // namespace
}  // namespace instantstart::sandbox::cloudformation
