#include "aws/eks_token.h"

#include <gtest/gtest.h>

namespace instantstart::aws {
namespace {

constexpr WallTime k_now = std::chrono::sys_days(std::chrono::year(2026) / 11 / 30) + std::chrono::hours(1);

Credentials keys() { return {.access_key_id = "AKIDEXAMPLE", .secret_access_key = Secret("secret")}; }

EksToken token(const Credentials& credentials, std::string endpoint = "https://sts.us-west-2.amazonaws.com") {
  return make_eks_token(
      {.cluster_id = "my-cluster", .region = "us-west-2", .sts_endpoint = std::move(endpoint)}, credentials,
      k_now);
}

TEST(EksToken, IsThePresignedUrlInBase64WithoutPadding) {
  const auto made = token(keys());
  EXPECT_TRUE(made.token.reveal().starts_with("k8s-aws-v1.aHR0cHM6Ly9zdHM"));
  EXPECT_EQ(made.token.reveal().find('='), std::string::npos);
  const std::string url = eks_token_url(made.token.reveal());
  EXPECT_TRUE(
      url.starts_with("https://sts.us-west-2.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15&"
                      "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIDEXAMPLE%2F20261130%2F"
                      "us-west-2%2Fsts%2Faws4_request&X-Amz-Date=20261130T010000Z&X-Amz-Expires=60&"
                      "X-Amz-SignedHeaders=host%3Bx-k8s-aws-id&X-Amz-Signature="))
      << url;
}

TEST(EksToken, CarriesTheSessionTokenAndFollowsACustomEndpoint) {
  Credentials session = keys();
  session.session_token = Secret("a/b=");
  const std::string url = eks_token_url(token(session, "http://127.0.0.1:4566/aws").token.reveal());
  EXPECT_TRUE(url.starts_with("http://127.0.0.1:4566/aws/?Action=GetCallerIdentity&")) << url;
  EXPECT_NE(url.find("&X-Amz-Security-Token=a%2Fb%3D&"), std::string::npos) << url;
}

TEST(EksToken, LastsFourteenMinutesOrAsLongAsTheCredentials) {
  Credentials credentials = keys();
  EXPECT_EQ(token(credentials).expiry, k_now + std::chrono::minutes(14));
  credentials.expiry = k_now + std::chrono::hours(1);
  EXPECT_EQ(token(credentials).expiry, k_now + std::chrono::minutes(14));
  credentials.expiry = k_now + std::chrono::minutes(3);
  EXPECT_EQ(token(credentials).expiry, k_now + std::chrono::minutes(3));
}

TEST(EksToken, OtherTextIsNoToken) {
  EXPECT_EQ(eks_token_url("k8s-aws-v2.aHR0cHM6"), "");
  EXPECT_EQ(eks_token_url("k8s-aws-v1.***"), "");
  EXPECT_EQ(eks_token_url(""), "");
}

}  // namespace
}  // namespace instantstart::aws
