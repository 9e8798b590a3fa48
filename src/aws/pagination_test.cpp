#include "aws/pagination.h"

#include <gtest/gtest.h>

#include "aws/shapes/ec2.h"
#include "aws/shapes/iam.h"
#include "aws/shapes/sts.h"
#include "aws/testing/run.h"
#include "aws/testing/scripted_http.h"

namespace instantstart::aws {
namespace {

std::string page(std::string_view vpc, std::string_view next) {
  return "<DescribeVpcsResponse><vpcSet><item><vpcId>" + std::string(vpc) + "</vpcId></item></vpcSet>" +
         (next.empty() ? "" : "<nextToken>" + std::string(next) + "</nextToken>") + "</DescribeVpcsResponse>";
}

class Pages : public testing::Test {
 protected:
  Result<std::vector<ec2::Vpc>> vpcs(std::size_t most = 100) {
    return run(time, collect<ec2::DescribeVpcs>(client, {}, &ec2::DescribeVpcsResult::vpcs, {}, most));
  }

  net::VirtualTime time;
  SeededRandom random{1};
  FixedCredentials keys{{.access_key_id = "AKIDEXAMPLE", .secret_access_key = Secret("s")}};
  ScriptedHttp http{time};
  Client client{{.region = "us-west-2", .user_agent = "t"}, keys, http, time, random, Log()};
};

TEST_F(Pages, AreFollowedToTheEnd) {
  http.then(200, page("vpc-1", "a b")).then(200, page("vpc-2", "c")).then(200, page("vpc-3", ""));
  const auto all = vpcs();
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 3U);
  EXPECT_EQ((*all)[2].vpc_id, "vpc-3");
  EXPECT_EQ(http.seen()[0].request.body.find("NextToken"), std::string::npos);
  EXPECT_NE(http.seen()[1].request.body.find("NextToken=a+b"), std::string::npos);
  EXPECT_TRUE(http.complete());
}

TEST_F(Pages, ARepeatedContinuationIsAnError) {
  http.then(200, page("vpc-1", "x")).then(200, page("vpc-2", "x"));
  const auto all = vpcs();
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().code, "upstream_error");
  EXPECT_NE(all.error().message.find("same continuation twice"), std::string::npos);
}

TEST_F(Pages, AListThatIsTooLongIsAnError) {
  http.then(200, page("vpc-1", "x")).then(200, page("vpc-2", "y"));
  EXPECT_EQ(vpcs(1).error().code, "upstream_error");
  EXPECT_TRUE(http.complete());
}

TEST_F(Pages, AFailureOfAnyPageIsTheListsFailure) {
  http.then(200, page("vpc-1", "x"))
      .then(403, "<Response><Errors><Error><Code>UnauthorizedOperation</Code></Error></Errors></Response>");
  EXPECT_EQ(vpcs().error().code, "access_denied");
}

TEST_F(Pages, TheVisitorMayStop) {
  http.then(200, page("vpc-1", "x"));
  int pages = 0;
  const auto done =
      run(time, for_each_page<ec2::DescribeVpcs>(client, {}, [&](auto&) { return ++pages < 1; }));
  EXPECT_TRUE(done);
  EXPECT_EQ(pages, 1);
}

TEST(ToNextPage, WhereAServiceSaysThereIsNoMoreTheMarkerDoesNotCount) {
  iam::ListRolesRequest input;
  iam::ListRolesResponse output;
  output.marker = "m";
  output.is_truncated = false;
  EXPECT_EQ(to_next_page(iam::ListRoles::info(), &output, &input), Result<bool>(false));
  output.is_truncated = true;
  EXPECT_EQ(to_next_page(iam::ListRoles::info(), &output, &input), Result<bool>(true));
  EXPECT_EQ(input.marker, "m");
}

TEST(ToNextPage, OperationsWithoutPagesAreOne) {
  sts::GetCallerIdentityRequest input;
  sts::GetCallerIdentityResponse output;
  EXPECT_EQ(to_next_page(sts::GetCallerIdentity::info(), &output, &input), Result<bool>(false));
}

}  // namespace
}  // namespace instantstart::aws
