#include "aws/endpoints.h"

#include <gtest/gtest.h>

namespace instantstart::aws {
namespace {

SharedConfig config_of(const FixedEnvironment& environment) { return *load_shared_config(environment); }

TEST(PartitionOf, FitsNamesAlsoOfRegionsThatAreNewerThanTheTable) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"us-west-2", "aws"},
      {"eu-nowhere-9", "aws"},
      {"cn-north-1", "aws-cn"},
      {"us-gov-west-1", "aws-us-gov"},
      {"us-gov-south-7", "aws-us-gov"},
      {"eusc-de-east-1", "aws-eusc"},
      {"us-iso-east-1", "aws-iso"},
      {"moon-base-1", "aws"},
  };
  for (const auto& [region, partition] : cases) EXPECT_EQ(partition_of(region).id, partition) << region;
  EXPECT_EQ(partition_of("cn-north-1").dns_suffix, "amazonaws.com.cn");
}

TEST(AwsEndpoint, FollowsAwsData) {
  struct Case {
    std::string_view service, region;
    EndpointOptions options;
    std::string_view url, signing_region;
  };
  const Case cases[] = {
      {"sagemaker", "us-west-2", {}, "https://api.sagemaker.us-west-2.amazonaws.com", "us-west-2"},
      {"sagemaker",
       "us-west-2",
       {.fips = true},
       "https://api-fips.sagemaker.us-west-2.amazonaws.com",
       "us-west-2"},
      {"eks", "us-east-1", {.fips = true}, "https://fips.eks.us-east-1.amazonaws.com", "us-east-1"},
      {"iam", "eu-central-1", {}, "https://iam.amazonaws.com", "us-east-1"},
      {"iam", "us-gov-east-1", {}, "https://iam.us-gov.amazonaws.com", "us-gov-west-1"},
      {"iam", "cn-northwest-1", {}, "https://iam.cn-north-1.amazonaws.com.cn", "cn-north-1"},
      {"s3", "us-west-2", {.dual_stack = true}, "https://s3.dualstack.us-west-2.amazonaws.com", "us-west-2"},
      {"sts", "eu-nowhere-9", {}, "https://sts.eu-nowhere-9.amazonaws.com", "eu-nowhere-9"},
  };
  for (const auto& expected : cases) {
    const auto endpoint = aws_endpoint(expected.service, expected.region, expected.options);
    ASSERT_TRUE(endpoint) << expected.service << expected.region;
    EXPECT_EQ(endpoint->url, expected.url);
    EXPECT_EQ(endpoint->signing_region, expected.signing_region);
    EXPECT_FALSE(endpoint->custom);
  }
}

TEST(AwsEndpoint, RefusesWhatDoesNotExist) {
  const auto fips = aws_endpoint("s3", "cn-north-1", {.fips = true});
  ASSERT_FALSE(fips);
  EXPECT_EQ(fips.error().code, "invalid_request");
  EXPECT_NE(fips.error().message.find("Partition does not support FIPS"), std::string::npos);
  for (const auto region : {"", "us-west-2.evil.example", "a/b", "-a", "a b"}) {
    EXPECT_FALSE(aws_endpoint("sts", region, {})) << region;
  }
  EXPECT_EQ(aws_endpoint("nothing", "us-west-2", {}).error().code, "internal");
}

TEST(EndpointConfig, OwnVariablesGoBeforeTheCommonOneAndBothBeforeTheProfile) {
  FixedEnvironment environment;
  environment.variables = {{"HOME", "/h"}};
  environment.files["/h/.aws/config"] =
      "[default]\nendpoint_url = http://profile\nservices = local\n[services local]\nservice_quotas =\n"
      "  endpoint_url = http://quotas\neks =\n  endpoint_url = http://eks\n";
  const auto url = [&](std::string_view service) {
    const auto loaded = load_endpoint_config(environment, config_of(environment));
    return resolve_endpoint(*loaded, service, "us-west-2")->url;
  };
  EXPECT_EQ(url("service-quotas"), "http://quotas");
  EXPECT_EQ(url("sts"), "http://profile");
  environment.variables["AWS_ENDPOINT_URL"] = "http://127.0.0.1:4566/";
  EXPECT_EQ(url("eks"), "http://127.0.0.1:4566");
  environment.variables["AWS_ENDPOINT_URL_CLOUDWATCH_LOGS"] = "http://127.0.0.1:1/x";
  EXPECT_EQ(url("logs"), "http://127.0.0.1:1/x");
  environment.variables["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"] = "True";
  EXPECT_EQ(url("eks"), "https://eks.us-west-2.amazonaws.com");
}

TEST(EndpointConfig, ReadsTheFlags) {
  FixedEnvironment environment;
  environment.variables = {{"AWS_USE_FIPS_ENDPOINT", "true"}, {"AWS_USE_DUALSTACK_ENDPOINT", "no"}};
  const auto loaded = load_endpoint_config(environment, config_of(environment));
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(loaded->options.fips);
  EXPECT_FALSE(loaded->options.dual_stack);
}

TEST(EndpointConfig, AMissingServicesSectionIsAnError) {
  FixedEnvironment environment;
  environment.variables = {{"HOME", "/h"}};
  environment.files["/h/.aws/config"] = "[default]\nservices = gone\n";
  const auto loaded = load_endpoint_config(environment, config_of(environment));
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, "credentials_invalid");
}

TEST(ResolveEndpoint, ACustomOneKeepsTheSigningRegionOfItsService) {
  const EndpointConfig config{.custom_urls = {{"", "http://127.0.0.1:1"}}};
  const auto endpoint = resolve_endpoint(config, "iam", "eu-west-1");
  ASSERT_TRUE(endpoint);
  EXPECT_EQ(endpoint->signing_region, "us-east-1");
  EXPECT_TRUE(endpoint->custom);
}

TEST(ResolveEndpoint, ACustomOneIsAPlainUrlAndStandsAlone) {
  for (const auto url : {"ftp://x", "127.0.0.1", "http://a b", "http://user@host", "http://h?x=1"}) {
    EXPECT_FALSE(resolve_endpoint({.custom_urls = {{"", url}}}, "sts", "us-west-2")) << url;
  }
  EXPECT_FALSE(
      resolve_endpoint({.options = {.fips = true}, .custom_urls = {{"", "http://h"}}}, "sts", "us-west-2"));
}

}  // namespace
}  // namespace instantstart::aws
