#include "base/digest.h"
#include "base/json.h"
#include "sandbox/services/eks/testing/eks_fixture.h"

namespace instantstart::sandbox::eks {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

class WebTokensTest : public EksFixture {
 protected:
  void SetUp() override {
    EksFixture::SetUp();
    make_active();
  }
  ServiceAccountTokenSpec spec() const {
    return {.namespace_name = "ml",
            .service_account = "train",
            .service_account_uid = "u",
            .audiences = {"sts.amazonaws.com"}};
  }
  std::string token() { return service->sign(cluster_id(), spec()).value_or(""); }
  std::string make_provider(const std::string& audience = "sts.amazonaws.com") {
    return *process
                ->ask<aws::iam::CreateOpenIDConnectProvider>(
                    *iam, {.url = *cluster().identity->oidc->issuer, .client_id_list = {{audience}}})
                .value()
                .open_id_connect_provider_arn;
  }
  std::string refusal(const std::string& text) {
    const auto reply = service->verify(text);
    return reply ? "" : reply.error().code + ": " + reply.error().message;
  }
};

TEST_F(WebTokensTest, AreBelievedWhenIamKnowsTheIssuer) {
  const std::string text = token();
  EXPECT_EQ(refusal(text), "InvalidIdentityToken: No OpenIDConnect provider found in your account for " +
                               *cluster().identity->oidc->issuer);
  const auto provider = make_provider();
  const auto identity = service->verify(text);
  ASSERT_TRUE(identity) << identity.error().message;
  EXPECT_EQ(identity->provider_arn, provider);
  EXPECT_EQ("https://" + identity->issuer, *cluster().identity->oidc->issuer);
  EXPECT_EQ(identity->subject, "system:serviceaccount:ml:train");
  EXPECT_EQ(identity->audience, "sts.amazonaws.com");
}

TEST_F(WebTokensTest, AreStillBelievedAfterARestart) {
  make_provider();
  const std::string text = token();
  restart();
  EXPECT_EQ(refusal(text), "");
}

TEST_F(WebTokensTest, Expire) {
  make_provider();
  const std::string text = token();
  process->pass(minutes(59));
  EXPECT_EQ(refusal(text), "");
  process->pass(minutes(2));
  EXPECT_TRUE(refusal(text).starts_with("ExpiredTokenException: Token expired"));
}

TEST_F(WebTokensTest, AreForTheAudienceOfTheProvider) {
  make_provider("other");
  EXPECT_EQ(refusal(token()), "InvalidIdentityToken: Incorrect token audience");
}

TEST_F(WebTokensTest, ChangedOrForeignOnesAreNotBelieved) {
  make_provider();
  const std::string text = token();
  const auto first = text.find('.');
  const auto second = text.find('.', first + 1);
  auto claims = parse_json(from_base64url(text.substr(first + 1, second - first - 1)).value()).value();
  claims.as_object()["sub"] = "system:serviceaccount:kube-system:admin";
  const std::string forged = text.substr(0, first + 1) + to_base64url(to_text(claims)) + text.substr(second);
  EXPECT_TRUE(refusal(forged).starts_with("InvalidIdentityToken: Couldn't retrieve verification key"));
  const std::string unsigned_header = to_base64url(R"({"alg":"none"})");
  EXPECT_TRUE(refusal(unsigned_header + text.substr(first, second - first) + ".")
                  .starts_with("InvalidIdentityToken: Couldn't retrieve"));
  for (const auto* nonsense : {"", "a", "a.b.c", "..", "e30.e30.e30"}) {
    EXPECT_TRUE(refusal(nonsense).starts_with("InvalidIdentityToken")) << nonsense;
  }
}

TEST_F(WebTokensTest, OfADeletedClusterAreNotBelieved) {
  make_provider();
  const std::string text = token();
  get<api::DeleteCluster>({.name = "demo"});
  process->pass(minutes(5));
  EXPECT_TRUE(refusal(text).starts_with("InvalidIdentityToken: Couldn't retrieve verification key"));
}

TEST_F(WebTokensTest, ClaimsAreThoseOfTheTokenRequestApi) {
  auto wanted = spec();
  wanted.audiences = {"https://kubernetes.default.svc"};
  wanted.pod_name = "p";
  wanted.pod_uid = "pu";
  const auto text = service->sign(cluster_id(), wanted);
  ASSERT_TRUE(text);
  const auto claims = service->read(cluster_id(), *text, {"https://kubernetes.default.svc"});
  ASSERT_TRUE(claims) << claims.error().message;
  EXPECT_EQ(claims->at("sub"), "system:serviceaccount:ml:train");
  EXPECT_EQ(claims->at("kubernetes.io").at("pod").at("name"), "p");
  EXPECT_EQ(claims->at("kubernetes.io").at("serviceaccount").at("uid"), "u");
  EXPECT_EQ(claims->at("exp").as_int64() - claims->at("iat").as_int64(), 3600);
  EXPECT_FALSE(service->read(cluster_id(), *text, {"sts.amazonaws.com"}));
  make_active("other");
  EXPECT_FALSE(service->read(cluster_id("other"), *text, {"https://kubernetes.default.svc"}));
}

TEST_F(WebTokensTest, TheKeySetNamesTheKeyOfTheToken) {
  const std::string text = token();
  const auto header = parse_json(from_base64url(text.substr(0, text.find('.'))).value()).value();
  const auto keys = service->key_set(cluster_id());
  ASSERT_TRUE(keys);
  const auto& key = keys->at("keys").at(0);
  EXPECT_EQ(key.at("kid"), header.at("kid"));
  EXPECT_EQ(key.at("e"), "AQAB");
  EXPECT_EQ(from_base64url(key.at("n").as_string())->size(), 256u);
  EXPECT_EQ(service->key_set("none").error().code, "not_found");
  EXPECT_EQ(service->sign("none", spec()).error().code, "not_found");
}

}  // namespace
}  // namespace instantstart::sandbox::eks
