#include "aws/shapes/shape.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "aws/shapes/ec2.h"
#include "aws/shapes/eks.h"
#include "aws/shapes/iam.h"
#include "aws/shapes/s3.h"
#include "aws/shapes/sagemaker.h"
#include "aws/shapes/services.h"
#include "aws/shapes/sts.h"

namespace instantstart::aws {
namespace {

TEST(Services, AreFoundByNameAndKnowTheirProtocol) {
  ASSERT_NE(find_service("service-quotas"), nullptr);
  EXPECT_EQ(find_service("service-quotas")->signing_name, "servicequotas");
  EXPECT_EQ(find_service("no-such-service"), nullptr);
  EXPECT_EQ(sagemaker::service().protocol, Protocol::json);
  EXPECT_EQ(sagemaker::service().target_prefix, "SageMaker");
  EXPECT_EQ(sagemaker::service().endpoint_prefix, "api.sagemaker");
  EXPECT_EQ(eks::service().protocol, Protocol::rest_json);
  EXPECT_EQ(ec2::service().protocol, Protocol::ec2);
  EXPECT_EQ(iam::service().protocol, Protocol::query);
  EXPECT_EQ(s3::service().protocol, Protocol::rest_xml);
}

TEST(Services, AreSortedSoThatLookUpsFindEverything) {
  for (const ServiceInfo* service : all_services()) {
    EXPECT_TRUE(std::ranges::is_sorted(service->operations, {}, &OperationInfo::name)) << service->name;
    EXPECT_TRUE(std::ranges::is_sorted(service->errors, {}, &ErrorInfo::code)) << service->name;
    for (const OperationInfo* operation : service->operations) {
      EXPECT_EQ(service->operation(operation->name), operation);
      EXPECT_EQ(operation->service, service);
      for (const ErrorInfo* error : operation->errors)
        EXPECT_EQ(service->error(error->code)->code, error->code);
    }
  }
}

TEST(Operation, KnowsItsTokenPagesChecksumAndWhetherItIsARead) {
  const OperationInfo& create = eks::CreateCluster::info();
  ASSERT_NE(create.idempotency_token, nullptr);
  EXPECT_EQ(create.idempotency_token->name, "clientRequestToken");
  EXPECT_FALSE(create.read_only);
  const OperationInfo& list = iam::ListRoles::info();
  EXPECT_TRUE(list.read_only);
  ASSERT_EQ(list.pagination.input_tokens.size(), 1u);
  EXPECT_EQ(list.pagination.input_tokens[0], "Marker");
  EXPECT_EQ(list.pagination.more_results, "IsTruncated");
  EXPECT_TRUE(ec2::CreateVpc::info().pagination.input_tokens.empty());
  EXPECT_TRUE(s3::PutBucketPolicy::info().checksum_required);
  EXPECT_EQ(s3::PutObject::info().checksum_algorithm->name, "ChecksumAlgorithm");
  EXPECT_TRUE(sts::AssumeRoleWithWebIdentity::info().unsigned_request);
  EXPECT_TRUE(sts::AssumeRole::info().read_only);
}

TEST(Error, CarriesTheModelsStatusAndFault) {
  const ErrorInfo* error = eks::service().error("ResourceNotFoundException");
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(error->http_status, 404);
  EXPECT_TRUE(error->shape->is_error);
  EXPECT_EQ(eks::service().error("Unheard"), nullptr);
}

TEST(Shape, ReachesTheMembersOfItsStruct) {
  const ShapeInfo& shape = shape_info(static_cast<const ec2::Vpc*>(nullptr));
  ec2::Vpc vpc;
  const MemberInfo* member = shape.member("VpcId");
  ASSERT_NE(member, nullptr);
  EXPECT_EQ(shape.member("vpcId"), nullptr);
  EXPECT_EQ(member->peek(&vpc), nullptr);
  *static_cast<std::string*>(member->emplace(&vpc)) = "vpc-1";
  EXPECT_EQ(vpc.vpc_id, "vpc-1");
  EXPECT_EQ(member->peek(&vpc), &*vpc.vpc_id);
  EXPECT_EQ(member->wire.name, "vpcId");
}

/// A holder that reached the wrong place would be seen here: every member of every struct is made alone.
TEST(Shape, MakesExactlyTheMemberThatItNames) {
  for (const ServiceInfo* service : all_services()) {
    for (const OperationInfo* operation : service->operations) {
      for (const ShapeInfo* shape : {operation->input, operation->output}) {
        for (const MemberInfo& made : shape->members) {
          ShapeValue value(*shape);
          const void* place = made.emplace(value.get());
          for (const MemberInfo& member : shape->members) {
            EXPECT_EQ(member.peek(value.get()), &member == &made ? place : nullptr)
                << shape->name << " " << made.name;
          }
        }
      }
    }
  }
}

TEST(ShapeValue, GivesItsStructUnderItsOwnTypeOnly) {
  ShapeValue value(shape_info(static_cast<const ec2::CreateVpcRequest*>(nullptr)));
  ASSERT_NE(value.as<ec2::CreateVpcRequest>(), nullptr);
  value.as<ec2::CreateVpcRequest>()->cidr_block = "10.0.0.0/16";
  EXPECT_EQ(value.as<ec2::CreateVpcRequest>()->cidr_block, "10.0.0.0/16");
  EXPECT_EQ(value.as<ec2::DeleteVpcRequest>(), nullptr);
}

TEST(Items, OfAnAbsentListAreNone) {
  ec2::DescribeVpcsResult result;
  EXPECT_TRUE(items(result.vpcs).empty());
  result.vpcs.emplace().push_back({.vpc_id = "vpc-1"});
  ASSERT_EQ(items(result.vpcs).size(), 1u);
  EXPECT_EQ(items(result.vpcs)[0].vpc_id, "vpc-1");
}

struct Node {
  int value = 0;
  Recursive<Node> next;
};

TEST(Recursive, IsCopiedDeeply) {
  Node first{.value = 1, .next = {}};
  EXPECT_FALSE(first.next);
  first.next.emplace().value = 2;
  Node copy = first;
  copy.next->value = 3;
  EXPECT_EQ(first.next->value, 2);
  first = copy;
  EXPECT_EQ((*first.next).value, 3);
  copy = Node();
  EXPECT_FALSE(copy.next.has_value());
  EXPECT_TRUE(first.next.has_value());
}

}  // namespace
}  // namespace instantstart::aws
