#include "aws/credentials_chain.h"

#include <gtest/gtest.h>

#include "aws/container_credentials.h"
#include "aws/instance_credentials.h"
#include "aws/testing/fake_roles.h"
#include "aws/testing/run.h"
#include "aws/testing/scripted_http.h"

namespace instantstart::aws {
namespace {

constexpr auto k_answer = R"({"AccessKeyId":"ASIAMETA","SecretAccessKey":"meta","Token":"t",)"
                          R"("Expiration":"2026-01-01T06:00:00Z","AccountId":"123456789012"})";

class Chain : public testing::Test {
 protected:
  Chain() { environment.variables = {{"HOME", "/h"}, {"AWS_EC2_METADATA_DISABLED", "true"}}; }

  Result<Credentials> get(std::optional<std::string> profile = std::nullopt) {
    CredentialsChain chain(
        {.environment = environment, .http = http, .roles = roles, .time = time, .random = random},
        std::move(profile));
    return run(time, chain.get(net::Deadline::in(time, std::chrono::minutes(1))));
  }
  std::string key(std::optional<std::string> profile = std::nullopt) {
    const auto credentials = get(std::move(profile));
    return credentials ? credentials->source + " " + credentials->access_key_id : credentials.error().code;
  }
  std::string message(std::optional<std::string> profile = std::nullopt) {
    const auto credentials = get(std::move(profile));
    return credentials ? "(none)" : credentials.error().message;
  }
  void config(std::string text) { environment.files["/h/.aws/config"] = std::move(text); }
  void credentials_file(std::string text) { environment.files["/h/.aws/credentials"] = std::move(text); }

  net::VirtualTime time;
  SeededRandom random{1};
  FixedEnvironment environment;
  ScriptedHttp http{time};
  FakeRoles roles;
};

TEST_F(Chain, EmptyEverywhereIsSaidWithWhatToDo) {
  EXPECT_EQ(key(), "credentials_missing");
  EXPECT_NE(message().find("AWS_ACCESS_KEY_ID"), std::string::npos);
}

TEST_F(Chain, TheEnvironmentGoesFirst) {
  credentials_file("[default]\naws_access_key_id=FILE\naws_secret_access_key=s\n");
  environment.variables["AWS_ACCESS_KEY_ID"] = "ENV";
  environment.variables["AWS_SECRET_ACCESS_KEY"] = "s";
  environment.variables["AWS_SESSION_TOKEN"] = "later";
  environment.variables["AWS_SECURITY_TOKEN"] = "first";
  environment.variables["AWS_CREDENTIAL_EXPIRATION"] = "2026-01-02T03:04:05Z";
  const auto credentials = get();
  ASSERT_TRUE(credentials);
  EXPECT_EQ(credentials->access_key_id, "ENV");
  EXPECT_EQ(credentials->session_token.reveal(), "first");
  EXPECT_EQ(to_rfc3339(*credentials->expiry), "2026-01-02T03:04:05.000Z");
}

TEST_F(Chain, AProfileThatIsAskedForGoesBeforeTheEnvironment) {
  environment.variables["AWS_ACCESS_KEY_ID"] = "ENV";
  environment.variables["AWS_SECRET_ACCESS_KEY"] = "s";
  credentials_file("[p]\naws_access_key_id=FILE\naws_secret_access_key=s\n");
  EXPECT_EQ(key("p"), "shared-credentials-file FILE");
  environment.variables["AWS_PROFILE"] = "p";
  EXPECT_EQ(key(), "env ENV");
}

TEST_F(Chain, HalfAPairIsAnErrorNotASearch) {
  environment.variables["AWS_ACCESS_KEY_ID"] = "ENV";
  EXPECT_EQ(key(), "credentials_invalid");
  environment.variables.erase("AWS_ACCESS_KEY_ID");
  credentials_file("[default]\naws_access_key_id=FILE\n");
  EXPECT_EQ(key(), "credentials_invalid");
}

TEST_F(Chain, TheCredentialsFileGoesBeforeTheConfigFile) {
  config("[default]\naws_access_key_id=CONFIG\naws_secret_access_key=s\n");
  EXPECT_EQ(key(), "config-file CONFIG");
  credentials_file("[default]\naws_access_key_id=FILE\naws_secret_access_key=s\n");
  EXPECT_EQ(key(), "shared-credentials-file FILE");
}

TEST_F(Chain, ARoleIsAssumedWithItsSourceProfile) {
  config(
      "[profile "
      "r]\nrole_arn=R\nsource_profile=k\nexternal_id=e\nduration_seconds=900\nrole_session_name=me\n");
  credentials_file("[k]\naws_access_key_id=KEY\naws_secret_access_key=s\n");
  EXPECT_EQ(key("r"), "assume-role ASIA(R)");
  ASSERT_EQ(roles.assumed.size(), 1U);
  EXPECT_EQ(roles.assumed[0].by, "KEY");
  EXPECT_EQ(roles.assumed[0].request.external_id, "e");
  EXPECT_EQ(roles.assumed[0].request.duration_seconds, 900);
  EXPECT_EQ(roles.assumed[0].request.session_name, "me");
}

TEST_F(Chain, RolesChain) {
  config(
      "[profile c]\nrole_arn=C\nsource_profile=b\n[profile b]\nrole_arn=B\nsource_profile=a\n"
      "[profile a]\naws_access_key_id=KEY\naws_secret_access_key=s\n");
  EXPECT_EQ(key("c"), "assume-role ASIA(C)");
  ASSERT_EQ(roles.assumed.size(), 2U);
  EXPECT_EQ(roles.assumed[0].by, "KEY");
  EXPECT_EQ(roles.assumed[1].by, "ASIA(B)");
}

TEST_F(Chain, AProfileMayBeItsOwnSource) {
  config("[profile a]\nrole_arn=A\nsource_profile=a\naws_access_key_id=KEY\naws_secret_access_key=s\n");
  EXPECT_EQ(key("a"), "assume-role ASIA(A)");
}

TEST_F(Chain, BrokenRolesAreRefusedBeforeAnyCall) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"[profile r]\nrole_arn=R\n", "no source_profile or credential_source"},
      {"[profile r]\nrole_arn=R\nsource_profile=x\ncredential_source=Environment\n", "both"},
      {"[profile r]\nrole_arn=R\nsource_profile=gone\n", "does not exist"},
      {"[profile r]\nrole_arn=R\nsource_profile=r\n", "leads back"},
      {"[profile r]\nrole_arn=R\nsource_profile=q\n[profile q]\nrole_arn=Q\nsource_profile=r\n",
       "leads back"},
      {"[profile r]\nrole_arn=R\ncredential_source=Moon\n", "no credential_source 'Moon'"},
      {"[profile r]\nrole_arn=R\ncredential_source=Environment\n", "has no credentials"},
      {"[profile r]\nrole_arn=R\nsource_profile=q\n[profile q]\nregion=x\n", "has no credentials"},
      {"[profile "
       "r]\nrole_arn=R\nsource_profile=r\nmfa_serial=m\naws_access_key_id=K\naws_secret_access_key=s\n",
       "MFA"},
  };
  for (const auto& [text, why] : cases) {
    config(std::string(text));
    EXPECT_EQ(key("r"), "credentials_invalid") << text;
    EXPECT_NE(message("r").find(why), std::string::npos) << message("r");
  }
  EXPECT_TRUE(roles.assumed.empty());
}

TEST_F(Chain, NamedSourcesAreReadWhateverTheProfile) {
  config("[profile r]\nrole_arn=R\ncredential_source=Environment\n");
  environment.variables["AWS_ACCESS_KEY_ID"] = "ENV";
  environment.variables["AWS_SECRET_ACCESS_KEY"] = "s";
  EXPECT_EQ(key("r"), "assume-role ASIA(R)");
  EXPECT_EQ(roles.assumed[0].by, "ENV");

  config("[profile r]\nrole_arn=R\ncredential_source=EcsContainer\n");
  environment.variables["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] = "/creds";
  http.then(200, k_answer);
  EXPECT_EQ(key("r"), "assume-role ASIA(R)");
  EXPECT_EQ(roles.assumed[1].by, "ASIAMETA");
}

TEST_F(Chain, WebIdentityTakesEachValueFromTheEnvironmentFirst) {
  environment.files["/token"] = "oidc";
  config("[default]\nrole_arn=PROFILE\nweb_identity_token_file=/token\n");
  EXPECT_EQ(key(), "assume-role-with-web-identity ASIA(PROFILE)");
  EXPECT_EQ(roles.assumed[0].by, "web:oidc");
  EXPECT_TRUE(roles.assumed[0].request.session_name.starts_with("instantstart-session-1767225600"));
  environment.variables["AWS_ROLE_ARN"] = "ENVIRONMENT";
  EXPECT_EQ(key(), "assume-role-with-web-identity ASIA(ENVIRONMENT)");
  EXPECT_EQ(key("default"), "assume-role-with-web-identity ASIA(PROFILE)");
}

TEST_F(Chain, WebIdentityWithoutRoleOrFileIsAnError) {
  environment.variables["AWS_WEB_IDENTITY_TOKEN_FILE"] = "/gone";
  EXPECT_NE(message().find("no role ARN"), std::string::npos);
  environment.variables["AWS_ROLE_ARN"] = "R";
  EXPECT_NE(message().find("no web identity token file /gone"), std::string::npos);
}

TEST_F(Chain, WaysThatAreNotSupportedAreNamed) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"[profile r]\nsso_account_id=1\nsso_role_name=x\n", "IAM Identity Center"},
      {"[profile r]\nlogin_session=x\n", "aws login"},
      {"[profile r]\ncredential_process=/bin/x --secret\n", "credential_process"},
  };
  for (const auto& [text, way] : cases) {
    config(std::string(text));
    EXPECT_EQ(key("r"), "credentials_invalid");
    EXPECT_NE(message("r").find(way), std::string::npos) << message("r");
    EXPECT_NE(message("r").find("aws configure export-credentials --profile r"), std::string::npos);
  }
}

TEST_F(Chain, KeysInTheCredentialsFileGoBeforeLoginAndProcess) {
  config("[profile r]\nlogin_session=x\ncredential_process=y\n");
  credentials_file("[r]\naws_access_key_id=KEY\naws_secret_access_key=s\n");
  EXPECT_EQ(key("r"), "shared-credentials-file KEY");
}

TEST_F(Chain, TheFirstSourceFoundIsKeptUntilItsCredentialsAreRefused) {
  CredentialsChain chain(
      {.environment = environment, .http = http, .roles = roles, .time = time, .random = random});
  const auto key_now = [&] {
    const auto credentials = run(time, chain.get(net::Deadline::never()));
    return credentials ? credentials->access_key_id : credentials.error().code;
  };
  credentials_file("[default]\naws_access_key_id=OLD\naws_secret_access_key=s\n");
  EXPECT_EQ(key_now(), "OLD");
  environment.variables["AWS_ACCESS_KEY_ID"] = "ENV";
  environment.variables["AWS_SECRET_ACCESS_KEY"] = "s";
  credentials_file("[default]\naws_access_key_id=NEW\naws_secret_access_key=s\n");
  EXPECT_EQ(key_now(), "OLD");
  chain.refused({});
  EXPECT_EQ(key_now(), "ENV");
}

TEST_F(Chain, ContainerCredentialsCarryTheAuthorization) {
  environment.variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = "http://169.254.170.23/v1/credentials";
  environment.variables["AWS_CONTAINER_AUTHORIZATION_TOKEN"] = "not this one";
  environment.variables["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] = "/token";
  environment.files["/token"] = "Bearer abc";
  http.then(200, k_answer);
  const auto credentials = get();
  ASSERT_TRUE(credentials);
  EXPECT_EQ(credentials->source, "container-role");
  EXPECT_EQ(credentials->account_id, "123456789012");
  EXPECT_EQ(http.seen()[0].request.url, "http://169.254.170.23/v1/credentials");
  EXPECT_EQ(http.seen()[0].header("Authorization"), "Bearer abc");
  EXPECT_FALSE(http.seen()[0].request.use_proxy);
}

TEST_F(Chain, TheRelativeUriGoesToEcsAndBeforeTheFullOne) {
  environment.variables["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] = "/creds?id=1";
  environment.variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = "http://localhost/";
  http.then(200, k_answer);
  EXPECT_EQ(key(), "container-role ASIAMETA");
  EXPECT_EQ(http.seen()[0].request.url, "http://169.254.170.2/creds?id=1");
}

TEST_F(Chain, ContainerTokensWithLineBreaksAreRefused) {
  environment.variables["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] = "/creds";
  environment.variables["AWS_CONTAINER_AUTHORIZATION_TOKEN"] = "a\r\nX-Evil: 1";
  EXPECT_EQ(key(), "credentials_invalid");
  EXPECT_TRUE(http.seen().empty());
}

TEST_F(Chain, ContainerEndpointsAreTriedThreeTimesASecondApart) {
  environment.variables["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] = "/creds";
  http.then(500, "").then(200, "not json").then(200, k_answer);
  EXPECT_EQ(key(), "container-role ASIAMETA");
  EXPECT_EQ(http.seen()[2].at - http.seen()[0].at, std::chrono::seconds(2));

  http.then_refused().then_silence().then(404, "secret text of the endpoint");
  EXPECT_EQ(message(), "The container credentials endpoint answered 404");
  EXPECT_TRUE(http.complete());
}

TEST_F(Chain, AContainerAnswerWithoutAMemberIsAnErrorThatNamesIt) {
  environment.variables["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] = "/creds";
  http.then(
      200, R"({"AccessKeyId":"A","SecretAccessKey":"hidden","Code":"Denied","Message":"no\u001b[31m role"})");
  EXPECT_EQ(message(), "Container credentials: the answer has no Token (Denied: no role)");
}

TEST(CheckContainerUrl, HttpStaysOnTheMachine) {
  for (const auto url : {"http://localhost/x", "http://127.0.0.1:8080/", "http://127.1.2.3/",
                         "http://[::1]/x", "http://169.254.170.2/", "http://169.254.170.23/v1",
                         "http://[fd00:ec2::23]/v1", "https://anywhere.example/x"}) {
    EXPECT_TRUE(check_container_url(url)) << url;
  }
  for (const auto url :
       {"http://anywhere.example/", "http://169.254.169.254/", "http://169.254.170.2@evil.example/",
        "http://169.254.170.2.evil.example/", "http://10.0.0.1/", "ftp://localhost/", "/x", ""}) {
    EXPECT_FALSE(check_container_url(url)) << url;
  }
}

class Instance : public Chain {
 protected:
  Instance() { environment.variables.erase("AWS_EC2_METADATA_DISABLED"); }
};

TEST_F(Instance, AsksWithASessionToken) {
  http.then(200, "TOKEN").then(200, "my-role\n").then(200, k_answer);
  const auto credentials = get();
  ASSERT_TRUE(credentials);
  EXPECT_EQ(credentials->source, "iam-role");
  EXPECT_TRUE(credentials->outlive_expiry);
  EXPECT_EQ(http.seen()[0].request.method, "PUT");
  EXPECT_EQ(http.seen()[0].header("x-aws-ec2-metadata-token-ttl-seconds"), "21600");
  EXPECT_EQ(http.seen()[2].request.url,
            "http://169.254.169.254/latest/meta-data/iam/security-credentials/my-role");
  EXPECT_EQ(http.seen()[2].header("x-aws-ec2-metadata-token"), "TOKEN");
  EXPECT_FALSE(http.seen()[2].request.use_proxy);
}

TEST_F(Instance, FallsBackToVersionOneUnlessThatIsForbidden) {
  http.then(404, "").then(200, "r").then(200, k_answer);
  EXPECT_EQ(key(), "iam-role ASIAMETA");
  EXPECT_EQ(http.seen()[1].header("x-aws-ec2-metadata-token"), "");
  http.then_silence().then(200, "r").then(200, k_answer);
  EXPECT_EQ(key(), "iam-role ASIAMETA");
  environment.variables["AWS_EC2_METADATA_V1_DISABLED"] = "true";
  http.then(403, "");
  EXPECT_EQ(key(), "credentials_invalid");
}

TEST_F(Instance, NoServiceNoRoleAndNoUsableAnswerAreNoCredentials) {
  http.then_refused().then_refused();
  EXPECT_EQ(key(), "credentials_missing");
  http.then(200, "T").then(404, "");
  EXPECT_EQ(key(), "credentials_missing");
  http.then(400, "");
  EXPECT_EQ(key(), "credentials_missing");
  http.then(200, "T").then(200, "r").then(200, R"({"Code":"AssumeRoleUnauthorizedAccess","Message":"m"})");
  EXPECT_EQ(key(), "credentials_missing");
  EXPECT_TRUE(http.complete());
}

TEST_F(Instance, TriesAsOftenAsConfigured) {
  environment.variables["AWS_METADATA_SERVICE_NUM_ATTEMPTS"] = "2";
  http.then(500, "").then(200, "T").then(500, "").then(200, "r").then(200, "").then(200, k_answer);
  EXPECT_EQ(key(), "iam-role ASIAMETA");
  environment.variables["AWS_METADATA_SERVICE_NUM_ATTEMPTS"] = "many";
  EXPECT_EQ(key(), "credentials_invalid");
}

TEST_F(Instance, TheEndpointIsConfigured) {
  environment.variables["AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE"] = "IPv6";
  http.then_refused().then_refused();
  get();
  EXPECT_EQ(http.seen()[0].request.url, "http://[fd00:ec2::254]/latest/api/token");
  environment.variables["AWS_EC2_METADATA_SERVICE_ENDPOINT"] = "http://127.0.0.1:1338";
  http.then_refused().then_refused();
  get();
  EXPECT_EQ(http.seen()[2].request.url, "http://127.0.0.1:1338/latest/api/token");
  environment.variables["AWS_EC2_METADATA_SERVICE_ENDPOINT"] = "no url";
  EXPECT_EQ(key(), "credentials_invalid");
}

TEST_F(Instance, AnExpiryThatIsNearIsStretched) {
  const WallTime now = time.wall();
  const auto minutes = [](int count) { return std::chrono::minutes(count); };
  EXPECT_EQ(stretched_expiry(now + minutes(60), now, 0), now + minutes(60));
  EXPECT_EQ(stretched_expiry(now + minutes(10), now, 0), now + minutes(17));
  EXPECT_EQ(stretched_expiry(now - minutes(60), now, 0.999999), now + minutes(24) + std::chrono::seconds(59));
}

TEST_F(Instance, KnowsItsRegion) {
  http.then(200, "T").then(200, "us-west-2b");
  InstanceMetadata metadata(
      {.environment = environment, .http = http, .roles = roles, .time = time, .random = random},
      *load_instance_metadata_config(environment, {}));
  const auto region = run(time, metadata.region(net::Deadline::never()));
  ASSERT_TRUE(region);
  EXPECT_EQ(*region, "us-west-2");
}

}  // namespace
}  // namespace instantstart::aws
