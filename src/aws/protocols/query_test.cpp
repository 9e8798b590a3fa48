#include <gtest/gtest.h>

#include "aws/protocols/codec.h"
#include "aws/shapes/cloudformation.h"
#include "aws/shapes/ec2.h"
#include "aws/shapes/iam.h"
#include "aws/shapes/orchard_query.h"
#include "aws/shapes/sts.h"
#include "base/error_codes.h"

namespace instantstart::aws {
namespace {

TEST(QueryRequest, IsAForm) {
  const auto request =
      encode_request<iam::CreateRole>({.role_name = "a b",
                                       .assume_role_policy_document = "{}",
                                       .tags = std::vector<iam::Tag>{{.key = "k", .value = "v"}}});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->headers,
            (std::vector<NamedText>{{"Content-Type", "application/x-www-form-urlencoded; charset=utf-8"}}));
  EXPECT_EQ(request->body,
            "Action=CreateRole&Version=2010-05-08&RoleName=a+b&AssumeRolePolicyDocument=%7B%7D"
            "&Tags.member.1.Key=k&Tags.member.1.Value=v");
}

TEST(QueryRequest, SendsAnEmptyListSoThatItClears) {
  const auto request = encode_request<cloudformation::UpdateStack>(
      {.stack_name = "s", .tags = std::vector<cloudformation::Tag>{}});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->body, "Action=UpdateStack&Version=2010-05-15&StackName=s&Tags=");
}

TEST(QueryRequest, WritesEveryFormOfListAndMap) {
  const auto request = encode_request<orchard_query::PlantTree>(
      {.named = std::vector<std::string>{"a"},
       .flat = std::vector<std::string>{"b", "c"},
       .flat_named = std::vector<std::string>{"d"},
       .labels = std::map<std::string, std::string>{{"k", "v"}},
       .flat_labels = std::map<std::string, std::string>{{"k", "v"}},
       .tree = orchard_query::Tree{.sample = Blob{"hi"}, .inner = std::vector<std::string>{"e"}}});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->body,
            "Action=PlantTree&Version=2020-01-01&Named.Name.1=a&Flat.1=b&Flat.2=c&Item.1=d"
            "&Labels.entry.1.key=k&Labels.entry.1.value=v&FlatLabels.1.K=k&FlatLabels.1.V=v"
            "&TheTree.Sample=aGk%3D&TheTree.Item.1=e");
}

TEST(Ec2Request, NamesListsWithoutMemberAndCapitalises) {
  const auto request = encode_request<ec2::DescribeVpcs>(
      {.filters =
           std::vector<ec2::Filter>{{.name = "state", .values = std::vector<std::string>{"available"}}},
       .vpc_ids = std::vector<std::string>{"vpc-1"}});
  ASSERT_TRUE(request);
  EXPECT_EQ(
      request->body,
      "Action=DescribeVpcs&Version=2016-11-15&Filter.1.Name=state&Filter.1.Value.1=available&VpcId.1=vpc-1");
}

TEST(QueryAnswer, IsReadOutOfItsWrapper) {
  const auto identity = decode_response<sts::GetCallerIdentity>(
      {.body = R"(<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
        <GetCallerIdentityResult><Arn>arn:aws:iam::1:user/a &amp; b</Arn><Account>1</Account></GetCallerIdentityResult>
        <ResponseMetadata><RequestId>r</RequestId></ResponseMetadata></GetCallerIdentityResponse>)"});
  ASSERT_TRUE(identity) << identity.error().message;
  EXPECT_EQ(identity->arn, "arn:aws:iam::1:user/a & b");
  EXPECT_EQ(identity->account, "1");
  EXPECT_FALSE(identity->user_id);
}

TEST(QueryAnswer, WithoutItsWrapperIsAnError) {
  for (const auto body : {"<Other/>", "", "no xml", "<a><b></a>"}) {
    const auto identity = decode_response<sts::GetCallerIdentity>({.body = body});
    ASSERT_FALSE(identity) << body;
    EXPECT_EQ(identity.error().code, codes::upstream_error);
  }
}

TEST(Ec2Answer, KeepsAnEmptyListApartFromNone) {
  const auto some = decode_response<ec2::DescribeVpcs>(
      {.body = R"(<DescribeVpcsResponse><vpcSet><item><vpcId>vpc-1</vpcId><isDefault>false</isDefault>
        <tagSet/></item></vpcSet></DescribeVpcsResponse>)"});
  ASSERT_TRUE(some) << some.error().message;
  ASSERT_EQ(items(some->vpcs).size(), 1u);
  EXPECT_EQ(some->vpcs->at(0).vpc_id, "vpc-1");
  EXPECT_EQ(some->vpcs->at(0).is_default, false);
  ASSERT_TRUE(some->vpcs->at(0).tags);
  EXPECT_TRUE(some->vpcs->at(0).tags->empty());
  EXPECT_FALSE(some->vpcs->at(0).cidr_block_association_set);
}

TEST(Ec2Answer, TakesNoEntitiesFromADocumentType) {
  const auto answer = decode_response<ec2::CreateVpc>({.body = R"(<?xml version="1.0"?>
    <!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd"><!ENTITY b "&b;&b;">]>
    <CreateVpcResponse><vpc><vpcId>&e;&b;</vpcId></vpc></CreateVpcResponse>)"});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->vpc->vpc_id, "&e;&b;");
}

TEST(QueryError, IsReadInItsForms) {
  const ServiceError error = decode_error(
      iam::GetRole::info(),
      {.status = 404,
       .body = R"(<ErrorResponse xmlns="https://iam.amazonaws.com/doc/2010-05-08/"><Error><Type>Sender</Type>
         <Code>NoSuchEntity</Code><Message>The role a cannot be found.</Message></Error><RequestId>r-1</RequestId></ErrorResponse>)"});
  EXPECT_EQ(error.code, "NoSuchEntity");
  EXPECT_EQ(error.message, "The role a cannot be found.");
  EXPECT_EQ(error.request_id, "r-1");
  ASSERT_NE(error.modelled, nullptr);
  EXPECT_EQ(error.modelled->shape->name, "NoSuchEntityException");

  const ServiceError ec2_error =
      decode_error(ec2::DeleteVpc::info(), {.status = 400,
                                            .body = "<Response><Errors><Error><Code>DependencyViolation</"
                                                    "Code><Message>in use</Message></Error></Errors>"
                                                    "<RequestID>r-2</RequestID></Response>"});
  EXPECT_EQ(ec2_error.code, "DependencyViolation");
  EXPECT_EQ(ec2_error.request_id, "r-2");
  EXPECT_EQ(ec2_error.modelled, nullptr);
}

TEST(QueryServer, ReadsFormsAndPresignedQueries) {
  auto posted = decode_request(iam::service(), {.body = "Action=GetRole&Version=2010-05-08&RoleName=a+b"});
  ASSERT_TRUE(posted) << posted.error().message;
  EXPECT_EQ(posted->input.as<iam::GetRoleRequest>()->role_name, "a b");

  const auto presigned = decode_request(
      sts::service(),
      {.method = "GET", .query = {{"Action", "GetCallerIdentity"}, {"X-Amz-Signature", "abc"}}});
  ASSERT_TRUE(presigned);
  EXPECT_EQ(presigned->operation, &sts::GetCallerIdentity::info());
}

TEST(QueryServer, OrdersListItemsByTheirNumbers) {
  auto decoded = decode_request(
      ec2::service(),
      {.body = "Action=DescribeVpcs&VpcId.10=c&VpcId.2=b&VpcId.1=a&Filter.1.Value.7=x&Unknown.1=y"});
  ASSERT_TRUE(decoded) << decoded.error().message;
  const auto* input = decoded->input.as<ec2::DescribeVpcsRequest>();
  EXPECT_EQ(input->vpc_ids, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(input->filters->at(0).values, (std::vector<std::string>{"x"}));
}

TEST(QueryServer, RefusesUnderAwssCodes) {
  const auto code = [](std::string body) {
    auto decoded = decode_request(ec2::service(), {.body = std::move(body)});
    return decoded ? std::string("accepted") : std::string(decoded.error().detail.at("aws_code").as_string());
  };
  EXPECT_EQ(code("Action=MakeCoffee"), "InvalidAction");
  EXPECT_EQ(code(""), "InvalidAction");
  EXPECT_EQ(code("Action=DescribeVpcs&MaxResults=many"), "InvalidParameterValue");
  std::string deep = "Action=DescribeVpcs&Filter";
  for (int i = 0; i < 100; ++i) deep += ".1";
  EXPECT_EQ(code(deep + "=x"), "InvalidParameterValue");
}

TEST(QueryServer, AnswersInTheServicesNamespace) {
  const auto role =
      encode_response<iam::ListRolePolicies>({.policy_names = std::vector<std::string>{"<p>"}}, "id-1");
  ASSERT_TRUE(role);
  EXPECT_EQ(
      role->body,
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<ListRolePoliciesResponse xmlns=\"https://iam.amazonaws.com/doc/2010-05-08/\"><ListRolePoliciesResult>"
      "<PolicyNames><member>&lt;p&gt;</member></PolicyNames></ListRolePoliciesResult>"
      "<ResponseMetadata><RequestId>id-1</RequestId></ResponseMetadata></ListRolePoliciesResponse>");
  const auto deleted = encode_response<ec2::DeleteVpc>({}, "id-2");
  ASSERT_TRUE(deleted);
  EXPECT_EQ(deleted->body,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<DeleteVpcResponse xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15\"><requestId>id-2</requestId>"
            "<return>true</return></DeleteVpcResponse>");
}

TEST(QueryServer, WritesErrors) {
  const auto answer = encode_error(iam::service(), &iam::GetRole::info(),
                                   {.code = "NoSuchEntity", .message = "gone", .request_id = "id-1"});
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(
      answer.body,
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<ErrorResponse xmlns=\"https://iam.amazonaws.com/doc/2010-05-08/\"><Error><Type>Sender</Type>"
      "<Code>NoSuchEntity</Code><Message>gone</Message></Error><RequestId>id-1</RequestId></ErrorResponse>");
}

}  // namespace
}  // namespace instantstart::aws
