#include "kube/eks_clusters.h"

#include <gtest/gtest.h>

#include "aws/testing/run.h"
#include "aws/testing/scripted_http.h"
#include "base/digest.h"
#include "base/error_codes.h"

namespace instantstart::kube {
namespace {

std::string description_of(std::string_view endpoint, std::string_view account = "123456789012") {
  json::object cluster{{"name", "a"},
                       {"arn", "arn:aws:eks:us-west-2:" + std::string(account) + ":cluster/a"},
                       {"status", "ACTIVE"},
                       {"version", "1.34"},
                       {"certificateAuthority", {{"data", to_base64("-----BEGIN CERTIFICATE-----")}}},
                       {"identity", {{"oidc", {{"issuer", "https://oidc.example/id/1"}}}}}};
  if (!endpoint.empty()) cluster["endpoint"] = endpoint;
  return to_text(json::object{{"cluster", std::move(cluster)}});
}

class EksClustersTest : public testing::Test {
 protected:
  EksClustersTest() {
    environment.variables = {
        {"HOME", "/h"}, {"AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"}, {"AWS_SECRET_ACCESS_KEY", "s"}};
  }

  Result<std::shared_ptr<EksCluster>> open(std::string account = "123456789012") {
    return aws::run(time, clusters.open({.name = "a", .region = "us-west-2", .account = std::move(account)},
                                        net::Deadline::never()));
  }

  net::VirtualTime time;
  SeededRandom random{1};
  aws::FixedEnvironment environment;
  aws::ScriptedHttp http{time};
  aws::Accounts accounts{environment, http, time, random, Log(), "t"};
  EksClusters clusters{accounts, http, time, random, Log()};
};

TEST_F(EksClustersTest, AsksEksOnceAndKnowsWhatItSaid) {
  http.then(200, description_of("https://one.example"));
  const auto first = open();
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ((*first)->description().endpoint, "https://one.example");
  EXPECT_EQ((*first)->description().oidc_issuer, "https://oidc.example/id/1");
  EXPECT_EQ((*first)->description().ca_pem, "-----BEGIN CERTIFICATE-----");
  const auto second = open();
  ASSERT_TRUE(second);
  EXPECT_EQ(*first, *second);
  EXPECT_EQ(http.seen().size(), 1U);
}

TEST_F(EksClustersTest, AnotherEndpointIsAnotherConnection) {
  http.then(200, description_of("https://one.example")).then(200, description_of("https://one.example"));
  http.then(200, description_of("https://two.example"));
  const auto first = open();
  time.run_for(std::chrono::minutes(2));
  const auto same = open();
  time.run_for(std::chrono::minutes(2));
  const auto other = open();
  ASSERT_TRUE(first && same && other);
  EXPECT_EQ(*first, *same) << "nothing changed: connections and tokens are kept";
  EXPECT_NE(*first, *other);
  EXPECT_EQ((*other)->description().endpoint, "https://two.example");
  EXPECT_EQ((*first)->description().endpoint, "https://one.example") << "whoever holds it may go on";
}

TEST_F(EksClustersTest, AClusterWithoutAddressCanBeAskedForLater) {
  http.then(200, description_of(""));
  const auto opened = open();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, codes::unavailable);
  EXPECT_TRUE(opened.error().retryable);
}

TEST_F(EksClustersTest, CredentialsOfAnotherAccountAreNotUsed) {
  http.then(200, description_of("https://one.example", "999999999999"));
  const auto opened = open();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, codes::conflict);
}

TEST_F(EksClustersTest, AnAddressWhereNobodyAnswersIsAskedForAgain) {
  http.then(200, description_of("https://one.example"));
  const auto first = open();
  ASSERT_TRUE(first);
  http.then(503, R"({"kind":"Status","code":503,"message":"there is no such cluster"})");
  const auto refused =
      aws::run(time, (*first)->connection().send({.method = "POST", .path = "/api/v1/namespaces"},
                                                 net::Deadline::in(time, seconds(1))));
  ASSERT_FALSE(refused);
  http.then(200, description_of("https://two.example"));
  const auto second = open();
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ((*second)->description().endpoint, "https://two.example");
}

TEST_F(EksClustersTest, AClusterThatIsGoneIsForgotten) {
  http.then(200, description_of("https://one.example"));
  ASSERT_TRUE(open());
  time.run_for(std::chrono::minutes(2));
  http.then(404, R"({"message":"No cluster found for name: a."})",
            {{"x-amzn-errortype", "ResourceNotFoundException"}});
  const auto gone = open();
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, codes::not_found);
}

}  // namespace
}  // namespace instantstart::kube
