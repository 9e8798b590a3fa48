#include "sandbox/services/sts/sts.h"

#include <map>

#include "sandbox/core/testing/world_fixture.h"

namespace instantstart::sandbox {
namespace {

namespace sts = aws::sts;

constexpr auto k_arn = "arn:aws:iam::123456789012:role/team/train";

json::object trust(std::string_view action, json::object principal) {
  return {{"Statement", json::array{json::object{
                            {"Effect", "Allow"}, {"Action", action}, {"Principal", std::move(principal)}}}}};
}

class Roles final : public RoleDirectory {
 public:
  std::optional<AssumableRole> find_role(std::string_view arn) const override {
    const auto found = roles.find(arn);
    return found == roles.end() ? std::nullopt : std::optional(found->second);
  }
  std::map<std::string, AssumableRole, std::less<>> roles;
};

class Providers final : public IdentityProviders {
 public:
  Reply<WebIdentity> verify(std::string_view token) const override {
    if (token != "good token") return fault("InvalidIdentityToken", "No OpenIDConnect provider found");
    return WebIdentity{.provider_arn = "arn:aws:iam::123456789012:oidc-provider/issuer",
                       .issuer = "issuer",
                       .subject = "system:serviceaccount:default:app",
                       .audience = "sts.amazonaws.com"};
  }
};

class StsTest : public WorldFixture {
 protected:
  StsTest() {
    start();
    keys.emplace(process->world());
    service.emplace(process->world(), *keys, roles, providers);
    EXPECT_TRUE(process->load());
    roles.roles[k_arn] = {.arn = k_arn,
                          .name = "train",
                          .unique_id = "AROAEXAMPLE",
                          .trust_policy = trust("sts:AssumeRole", {{"AWS", "123456789012"}}),
                          .max_session_seconds = 7200};
  }
  Call by_root() {
    return {.region = "us-west-2",
            .principal_arn = keys->root().principal_arn,
            .principal_id = keys->root().principal_id,
            .access_key_id = keys->root().id};
  }
  Reply<sts::AssumeRoleResponse> assume(sts::AssumeRoleRequest request) {
    if (!request.role_arn) request.role_arn = k_arn;
    if (!request.role_session_name) request.role_session_name = "session";
    return process->ask<sts::AssumeRole>(*service, request, by_root());
  }

  Roles roles;
  Providers providers;
  std::optional<AccessKeys> keys;
  std::optional<StsService> service;
};

TEST_F(StsTest, TellsWhoCalls) {
  const auto answer = process->ask<sts::GetCallerIdentity>(*service, {}, by_root());
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->account, "123456789012");
  EXPECT_EQ(answer->arn, "arn:aws:iam::123456789012:user/sandbox");
  EXPECT_TRUE(answer->user_id->starts_with("AIDA"));
}

TEST_F(StsTest, ASessionIsARealKeyThatEnds) {
  const auto answer = assume({.duration_seconds = 900});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->assumed_role_user->arn, "arn:aws:sts::123456789012:assumed-role/train/session");
  EXPECT_EQ(answer->assumed_role_user->assumed_role_id, "AROAEXAMPLE:session");
  const AccessKey* key = keys->find(*answer->credentials->access_key_id);
  ASSERT_NE(key, nullptr);
  EXPECT_EQ(key->secret, answer->credentials->secret_access_key);
  EXPECT_EQ(key->session_token, answer->credentials->session_token);
  EXPECT_EQ(key->role_arn, k_arn);
  EXPECT_EQ(answer->credentials->expiration->time, time.wall() + seconds(900));
  EXPECT_TRUE(key->expired(time.wall() + seconds(900)));
}

TEST_F(StsTest, AnUnknownRoleIsAccessDenied) {
  const auto answer = assume({.role_arn = "arn:aws:iam::123456789012:role/none"});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, "AccessDenied");
  EXPECT_EQ(answer.error().http_status, 403);
  EXPECT_EQ(answer.error().message,
            "User: arn:aws:iam::123456789012:user/sandbox is not authorized to perform: sts:AssumeRole on "
            "resource: "
            "arn:aws:iam::123456789012:role/none");
}

TEST_F(StsTest, ARoleThatTrustsOthersIsAccessDenied) {
  roles.roles[k_arn].trust_policy = trust("sts:AssumeRole", {{"Service", "sagemaker.amazonaws.com"}});
  EXPECT_EQ(assume({}).error().code, "AccessDenied");
}

TEST_F(StsTest, TheRoleBoundsTheDuration) {
  EXPECT_TRUE(assume({.duration_seconds = 7200}));
  EXPECT_EQ(assume({.duration_seconds = 7201}).error().code, "ValidationError");
  EXPECT_EQ(assume({.duration_seconds = 899}).error().code, "ValidationError");
}

TEST_F(StsTest, ASessionOfASessionLastsAnHourAtMost) {
  const auto first = assume({});
  Call by_session{.region = "us-west-2",
                  .principal_arn = *first->assumed_role_user->arn,
                  .principal_id = "x",
                  .access_key_id = *first->credentials->access_key_id};
  const auto chained = [&](std::int64_t duration) {
    return process->ask<sts::AssumeRole>(
        *service, {.role_arn = k_arn, .role_session_name = "two", .duration_seconds = duration}, by_session);
  };
  EXPECT_TRUE(chained(3600));
  EXPECT_EQ(chained(3601).error().code, "ValidationError");
}

TEST_F(StsTest, SessionNamesHaveTheirAlphabet) {
  EXPECT_TRUE(assume({.role_session_name = "a_b=c,d.e@f-g+h"}));
  EXPECT_EQ(assume({.role_session_name = "a b"}).error().code, "ValidationError");
  EXPECT_EQ(assume({.role_session_name = "a"}).error().code, "ValidationError");
}

TEST_F(StsTest, AWebIdentityHasToBeVouchedForAndTrusted) {
  const auto assume_web = [&](std::string token) {
    return process->ask<sts::AssumeRoleWithWebIdentity>(
        *service, {.role_arn = k_arn, .role_session_name = "pod", .web_identity_token = std::move(token)});
  };
  EXPECT_EQ(assume_web("bad token").error().code, "InvalidIdentityToken");
  EXPECT_EQ(assume_web("good token").error().code, "AccessDenied");
  roles.roles[k_arn].trust_policy = trust("sts:AssumeRoleWithWebIdentity",
                                          {{"Federated", "arn:aws:iam::123456789012:oidc-provider/issuer"}});
  const auto answer = assume_web("good token");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->subject_from_web_identity_token, "system:serviceaccount:default:app");
  EXPECT_NE(keys->find(*answer->credentials->access_key_id), nullptr);
}

}  // namespace
}  // namespace instantstart::sandbox
