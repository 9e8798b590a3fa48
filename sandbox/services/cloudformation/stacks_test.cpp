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
namespace iam_api = aws::iam;
using std::chrono::minutes;
using std::chrono::seconds;

class StacksTest : public StackFixture {
 protected:
  static std::ptrdiff_t place(const std::vector<std::string>& lines, const std::string& line) {
    return std::ranges::find(lines, line) - lines.begin();
  }
};

TEST_F(StacksTest, ANetworkIsMadeInOrderAndTellsItsOutputs) {
  create("net", std::string(k_network_template));
  EXPECT_EQ(status("net"), "CREATE_IN_PROGRESS");
  process->pass(minutes(5));
  ASSERT_EQ(status("net"), "CREATE_COMPLETE") << reason("net", "net", "ROLLBACK_IN_PROGRESS");
  EXPECT_TRUE(output("net", "VpcId").starts_with("vpc-"));
  EXPECT_EQ(output("net", "RoleArn"), "arn:aws:iam::123456789012:role/net-role");
  const auto lines = events("net");
  EXPECT_EQ(lines.front(), "net CREATE_IN_PROGRESS");
  EXPECT_EQ(lines.back(), "net CREATE_COMPLETE");
  EXPECT_LT(place(lines, "Vpc CREATE_COMPLETE"), place(lines, "Public CREATE_IN_PROGRESS"));
  EXPECT_LT(place(lines, "Nat CREATE_COMPLETE"), place(lines, "PrivateRoute CREATE_IN_PROGRESS"));
  EXPECT_LT(place(lines, "Gateway CREATE_IN_PROGRESS"), place(lines, "Vpc CREATE_COMPLETE"));
  EXPECT_EQ(reason("net", "Vpc", "CREATE_IN_PROGRESS"), "Resource creation Initiated");
  EXPECT_EQ(reason("net", "net", "CREATE_IN_PROGRESS"), "User Initiated");
  const auto nat = get<ec2_api::DescribeNatGateways>(ec2(), {.nat_gateway_ids = {{output("net", "NatId")}}});
  EXPECT_EQ(nat.nat_gateways->at(0).state, "available");
}

TEST_F(StacksTest, ADeletedStackLeavesNothingAndIsFoundByItsArnOnly) {
  const auto id = create("net", std::string(k_network_template));
  process->pass(minutes(5));
  remove("net");
  process->pass(minutes(10));
  EXPECT_EQ(refusal<api::DescribeStacks>({.stack_name = "net"}),
            "ValidationError: Stack with id net does not exist");
  EXPECT_EQ(status(id), "DELETE_COMPLETE");
  EXPECT_EQ(vpcs(), 0u);
  EXPECT_EQ(get<ec2_api::DescribeAddresses>(ec2(), {}).addresses->size(), 0u);
  EXPECT_FALSE(ask<iam_api::GetRole>(iam(), {.role_name = "net-role"}));
  const auto lines = events(id);
  EXPECT_LT(place(lines, "Nat DELETE_COMPLETE"), place(lines, "Public DELETE_IN_PROGRESS"));
  EXPECT_LT(place(lines, "Public DELETE_COMPLETE"), place(lines, "Vpc DELETE_IN_PROGRESS"));
  EXPECT_EQ(lines.back(), "net DELETE_COMPLETE");
  remove("net");  // Of nothing: done already.
  EXPECT_NE(create("net", vpc_template()), id);
}

TEST_F(StacksTest, ResourcesCarryTheStacksTagsAndTheSystems) {
  const auto id = create("tagged", std::string(k_network_template),
                         {.tags = {{{.key = "team", .value = "ml"}, {.key = "Name", .value = "shadowed"}}}});
  process->pass(minutes(5));
  const auto vpc = get<ec2_api::DescribeVpcs>(ec2(), {.vpc_ids = {{output("tagged", "VpcId")}}}).vpcs->at(0);
  std::map<std::string, std::string> tags;
  for (const auto& tag : *vpc.tags) tags[*tag.key] = *tag.value;
  EXPECT_EQ(tags["team"], "ml");
  EXPECT_EQ(tags["Name"], "tagged-vpc");
  EXPECT_EQ(tags["aws:cloudformation:stack-name"], "tagged");
  EXPECT_EQ(tags["aws:cloudformation:stack-id"], id);
  EXPECT_EQ(tags["aws:cloudformation:logical-id"], "Vpc");
  EXPECT_EQ(get<iam_api::ListRoleTags>(iam(), {.role_name = "tagged-role"}).tags->size(), 5u);
}

TEST_F(StacksTest, AFailureRollsBackAndLeavesNothing) {
  services->faults.replace({{.service = "ec2",
                             .operation = "CreateNatGateway",
                             .kind = FaultKind::resource_failure,
                             .code = "InsufficientCapacity",
                             .message = "no room",
                             .invoked_by = "cloudformation.amazonaws.com"}});
  create("net", std::string(k_network_template));
  process->pass(minutes(15));
  EXPECT_EQ(status("net"), "ROLLBACK_COMPLETE");
  EXPECT_NE(
      reason("net", "Nat", "CREATE_FAILED").find("failed to stabilize. Detailed failure message: no room"),
      std::string::npos);
  EXPECT_EQ(reason("net", "net", "ROLLBACK_IN_PROGRESS"),
            "The following resource(s) failed to create: [Nat]. Rollback requested by user.");
  EXPECT_EQ(vpcs(), 0u);
  EXPECT_FALSE(ask<iam_api::GetRole>(iam(), {.role_name = "net-role"}));
  const auto id = *stack("net").stack_id;
  EXPECT_EQ(update("net", vpc_template()),
            "ValidationError: Stack:" + id + " is in ROLLBACK_COMPLETE state and can not be updated.");
  remove("net");
  process->pass(seconds(10));
  EXPECT_EQ(status(id), "DELETE_COMPLETE");
}

TEST_F(StacksTest, SiblingsUnderWayAreCancelled) {
  const std::string body = vpc_template("10.0.0.0/16", R"(,"Other":{"Type":"AWS::EC2::InternetGateway"},
      "Bad":{"Type":"AWS::EC2::VPC","Properties":{"CidrBlock":"10.0.0.0/8"}})");
  create("s", body);
  process->pass(minutes(2));
  EXPECT_EQ(status("s"), "ROLLBACK_COMPLETE");
  EXPECT_EQ(reason("s", "Other", "CREATE_FAILED"), "Resource creation cancelled");
  EXPECT_TRUE(reason("s", "Bad", "CREATE_FAILED").starts_with("Resource handler returned message: \""));
  EXPECT_EQ(vpcs(), 0u);
}

TEST_F(StacksTest, TheFaultPlansFailureOfCreateStackBecomesAResources) {
  Call call{.region = "us-west-2"};
  call.fails_later = PlannedFailure{"InsufficientInstanceCapacity", "We do not have sufficient capacity."};
  ASSERT_TRUE(
      process->ask<api::CreateStack>(cfn(), {.stack_name = "s", .template_body = vpc_template()}, call));
  process->pass(minutes(1));
  EXPECT_EQ(status("s"), "ROLLBACK_COMPLETE");
  EXPECT_EQ(reason("s", "Vpc", "CREATE_FAILED"), "We do not have sufficient capacity.");
}

TEST_F(StacksTest, OnFailureDecidesWhatBecomesOfAFailedStack) {
  const std::string bad = vpc_template("10.0.0.0/8");
  create("kept", bad, {.on_failure = "DO_NOTHING"});
  create("gone", bad, {.on_failure = "DELETE"});
  const auto gone = *stack("gone").stack_id;
  process->pass(minutes(1));
  EXPECT_EQ(status("kept"), "CREATE_FAILED");
  EXPECT_EQ(status(gone), "DELETE_COMPLETE");
  EXPECT_EQ(reason(gone, "gone", "DELETE_IN_PROGRESS"),
            "The following resource(s) failed to create: [Vpc]. Delete requested by user.");
}

TEST_F(StacksTest, AStackThatTakesTooLongIsRolledBack) {
  create("slow", std::string(k_network_template), {.timeout_in_minutes = 1});
  process->pass(minutes(10));
  EXPECT_EQ(status("slow"), "ROLLBACK_COMPLETE");
  EXPECT_EQ(reason("slow", "slow", "ROLLBACK_IN_PROGRESS"),
            "Stack creation time exceeded the specified timeout. Rollback requested by user.");
  EXPECT_EQ(vpcs(), 0u);
}

TEST_F(StacksTest, AnUnsupportedPropertyFailsItsResource) {
  create("s", R"({"Resources":{"Vpc":{"Type":"AWS::EC2::VPC","Properties":{"Cidr":"10.0.0.0/16"}}}})");
  process->pass(minutes(1));
  EXPECT_EQ(reason("s", "Vpc", "CREATE_FAILED"), "Encountered unsupported property Cidr");
}

TEST_F(StacksTest, WhatIsWrongWithARequestIsRefusedAtOnce) {
  EXPECT_EQ(refused_template(R"({"Resources":{"A":{"Type":"AWS::S3::Bucket"}}})"),
            "ValidationError: Template format error: Unrecognized resource types: [AWS::S3::Bucket]");
  EXPECT_EQ(refused_template(std::string(k_network_template)),
            "InsufficientCapabilitiesException: Requires capabilities : [CAPABILITY_NAMED_IAM]");
  EXPECT_EQ(refused_template(std::string(k_network_template), {.capabilities = {{"CAPABILITY_IAM"}}}),
            "InsufficientCapabilitiesException: Requires capabilities : [CAPABILITY_NAMED_IAM]");
  EXPECT_EQ(
      refused_template(
          R"({"Resources":{"A":{"Type":"AWS::EC2::VPC"}},"Outputs":{"O":{"Value":{"Fn::GetAtt":["A","Nope"]}}}})"),
      "ValidationError: Template error: resource A does not support attribute type Nope in Fn::GetAtt");
  EXPECT_NE(
      refusal<api::CreateStack>({.stack_name = "1a", .template_body = vpc_template()}).find("stackName"),
      std::string::npos);
  EXPECT_NE(refusal<api::CreateStack>({.stack_name = "a", .template_url = "https://a"}).find("TemplateURL"),
            std::string::npos);
  EXPECT_EQ(refusal<api::UpdateStack>({.stack_name = "a", .template_body = vpc_template()}),
            "ValidationError: Stack [a] does not exist");
}

TEST_F(StacksTest, ATokenMakesOneStackAndIsShownInItsEvents) {
  const api::CreateStackInput in{
      .stack_name = "s", .template_body = vpc_template(), .client_request_token = "token-1"};
  const auto first = get<api::CreateStack>(cfn(), in).stack_id;
  restart();
  EXPECT_EQ(get<api::CreateStack>(cfn(), in).stack_id, first);
  auto other = in;
  other.template_body = vpc_template("10.9.0.0/16");
  EXPECT_TRUE(refusal<api::CreateStack>(other).starts_with("TokenAlreadyExistsException"));
  other.client_request_token.reset();
  EXPECT_EQ(refusal<api::CreateStack>(other), "AlreadyExistsException: Stack [s] already exists");
  process->pass(minutes(1));
  for (const auto& event : all_events("s")) EXPECT_EQ(event.client_request_token, "token-1");
  EXPECT_EQ(vpcs(), 1u);
}

TEST_F(StacksTest, TerminationProtectionHoldsAStack) {
  create("s", vpc_template(), {.enable_termination_protection = true});
  process->pass(minutes(1));
  EXPECT_EQ(refusal<api::DeleteStack>({.stack_name = "s"}),
            "ValidationError: Stack [s] cannot be deleted while TerminationProtection is enabled");
  get<api::UpdateTerminationProtection>(cfn(), {.enable_termination_protection = false, .stack_name = "s"});
  remove("s");
  process->pass(minutes(1));
  EXPECT_EQ(vpcs(), 0u);
}

TEST_F(StacksTest, ARetainedResourceOutlivesItsStack) {
  const auto id = create(
      "s",
      R"({"Resources":{"Vpc":{"Type":"AWS::EC2::VPC","DeletionPolicy":"Retain","Properties":{"CidrBlock":"10.0.0.0/16"}}}})");
  process->pass(minutes(1));
  remove("s");
  process->pass(minutes(1));
  EXPECT_EQ(status(id), "DELETE_COMPLETE");
  EXPECT_EQ(events(id).at(events(id).size() - 2), "Vpc DELETE_SKIPPED");
  EXPECT_EQ(vpcs(), 1u);
}

TEST_F(StacksTest, WhatIsInUseIsDeletedLaterOrFailsTheDeletion) {
  create("s", vpc_template());
  process->pass(minutes(1));
  const auto subnet =
      get<ec2_api::CreateSubnet>(ec2(), {.cidr_block = "10.0.1.0/24", .vpc_id = output("s", "VpcId")});
  remove("s");
  process->pass(minutes(5));
  EXPECT_EQ(status("s"), "DELETE_IN_PROGRESS");
  process->pass(minutes(40));
  ASSERT_EQ(status("s"), "DELETE_FAILED");
  EXPECT_NE(reason("s", "Vpc", "DELETE_FAILED").find("has dependencies and cannot be deleted"),
            std::string::npos);
  EXPECT_EQ(reason("s", "s", "DELETE_FAILED"), "The following resource(s) failed to delete: [Vpc]. ");
  get<ec2_api::DeleteSubnet>(ec2(), {.subnet_id = subnet.subnet->subnet_id});
  remove("s");
  process->pass(minutes(1));
  EXPECT_EQ(vpcs(), 0u);
}

TEST_F(StacksTest, AnExportsNameIsTakenOnce) {
  const auto body = [](const std::string& block) {
    return R"({"Resources":{"Vpc":{"Type":"AWS::EC2::VPC","Properties":{"CidrBlock":")" + block +
           R"("}}},"Outputs":{"Id":{"Value":{"Ref":"Vpc"},"Export":{"Name":"shared"}}}})";
  };
  create("one", body("10.0.0.0/16"));
  process->pass(minutes(1));
  create("two", body("10.2.0.0/16"));
  process->pass(minutes(2));
  EXPECT_EQ(status("two"), "ROLLBACK_COMPLETE");
  EXPECT_EQ(vpcs(), 1u);
}

TEST_F(StacksTest, EventsComeInPagesNewestFirst) {
  std::string groups;
  for (int i = 0; i < 30; ++i) {
    groups += fmt::format(
        R"(,"Group{}":{{"Type":"AWS::EC2::SecurityGroup","Properties":{{"GroupDescription":"g","VpcId":{{"Ref":"Vpc"}}}}}})",
        i);
  }
  const auto id = create("net", vpc_template("10.0.0.0/16", groups));
  process->pass(minutes(2));
  remove("net");
  process->pass(minutes(2));
  const auto first = get<api::DescribeStackEvents>(cfn(), {.stack_name = id});
  ASSERT_EQ(first.stack_events->size(), 100u);
  EXPECT_EQ(first.stack_events->front().resource_status, "DELETE_COMPLETE");
  ASSERT_TRUE(first.next_token);
  const auto second =
      get<api::DescribeStackEvents>(cfn(), {.stack_name = id, .next_token = first.next_token});
  EXPECT_NE(second.stack_events->front().event_id, first.stack_events->back().event_id);
  EXPECT_EQ(second.stack_events->back().resource_status_reason, "User Initiated");
  EXPECT_TRUE(refusal<api::DescribeStackEvents>({.stack_name = id, .next_token = "x"})
                  .starts_with("ValidationError"));
}

TEST_F(StacksTest, AProcessThatEndsAnywhereMakesEveryResourceOnce) {
  create("net", std::string(k_network_template));
  for (int i = 0; i < 40; ++i) {
    process->pass(seconds(7));
    restart();
  }
  process->pass(minutes(5));
  EXPECT_EQ(status("net"), "CREATE_COMPLETE");
  EXPECT_EQ(vpcs(), 1u);
  EXPECT_EQ(get<ec2_api::DescribeNatGateways>(ec2(), {}).nat_gateways->size(), 1u);
  EXPECT_EQ(get<ec2_api::DescribeAddresses>(ec2(), {}).addresses->size(), 1u);
}

TEST_F(StacksTest, TemplatesAreShownAndValidated) {
  create("s", vpc_template());
  EXPECT_EQ(get<api::GetTemplate>(cfn(), {.stack_name = "s"}).template_body, vpc_template());
  const auto validated =
      get<api::ValidateTemplate>(cfn(), {.template_body = std::string(k_network_template)});
  EXPECT_EQ(validated.capabilities, std::vector<std::string>{"CAPABILITY_NAMED_IAM"});
  EXPECT_EQ(validated.parameters->at(0).default_value, "10.1.0.0/16");
}

}  // namespace
}  // namespace instantstart::sandbox::cloudformation
