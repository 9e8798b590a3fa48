#include "capabilities/clusters/hyperpod_failure.h"

#include <gtest/gtest.h>

#include "base/error_codes.h"

namespace instantstart::capabilities {
namespace {

constexpr std::string_view k_lifecycle_message =
    "Instance i-0aa11bb22cc33dd44 failed to provision with the following error: Lifecycle scripts did not "
    "run "
    "successfully. Ensure the scripts exist in provided S3 path";

TEST(Explain, SentencesOfAwsGetTheirCause) {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"We currently do not have sufficient capacity for the requested instance type(s).", "capacity"},
      {"The account-level service limit 'ml.p5.48xlarge for cluster usage' is 0 Instances", "quota"},
      {"User: arn:aws:sts::1:assumed-role/a is not authorized to perform: ec2:CreateNetworkInterface",
       "permissions"},
      {"Could not assume the execution role", "permissions"},
      {"There are not enough free addresses in subnet subnet-1", "network"},
      {"EFA health checks did not run successfully. Ensure that your VPC and security groups are configured",
       "network"},
      {k_lifecycle_message, "lifecycle"},
      {"Something else", "unknown"},
  };
  for (const auto& [text, cause] : rows) EXPECT_EQ(cause_of_text(text), cause) << text;
}

TEST(Explain, ALifecycleFailureWithoutALogSaysSo) {
  const auto view = explain({.failure_message = std::string(k_lifecycle_message),
                             .log = {.group = "/aws/sagemaker/Clusters/demo/abc", .state = "absent"}});
  EXPECT_EQ(view.cause, "lifecycle");
  EXPECT_EQ(view.instance_id, "i-0aa11bb22cc33dd44");
  EXPECT_EQ(view.log_group, "/aws/sagemaker/Clusters/demo/abc");
  EXPECT_EQ(view.logs, "absent");
  ASSERT_EQ(view.checks.size(), 3);
  EXPECT_NE(view.checks[0].find("S3"), std::string::npos);
  EXPECT_NE(view.checks[2].find("capacity"), std::string::npos);
}

TEST(Explain, AnEventThatTellsMoreWinsOverTheLifecycleSentence) {
  const auto view = explain({.failure_message = std::string(k_lifecycle_message),
                             .events = {{.level = "Error", .text = "Insufficient capacity in us-west-2a"}}});
  EXPECT_EQ(view.cause, "capacity");
  EXPECT_EQ(view.evidence.size(), 2);
}

TEST(Explain, TheLogsLastLinesAreEvidence) {
  const auto view =
      explain({.failure_message = std::string(k_lifecycle_message),
               .log = {.state = "present", .last_lines = {"a", "b", "c", "d", "e", "line 7 failed"}}});
  EXPECT_EQ(view.evidence.back(), "log: line 7 failed");
  EXPECT_EQ(view.logs, "present");
}

TEST(ToError, CarriesCodeCauseAndChecks) {
  const auto error = to_error(explain({.failure_message = "insufficient capacity"}), "The group a failed");
  EXPECT_EQ(error.code, codes::capacity_unavailable);
  EXPECT_EQ(error.detail.at("cause").as_string(), "capacity");
  EXPECT_FALSE(error.detail.at("checks").as_array().empty());
}

TEST(InstanceIn, FindsIdsAndNoWordsThatOnlyLookLikeOne) {
  EXPECT_EQ(instance_in("node i-0123456789abcdef0."), "i-0123456789abcdef0");
  EXPECT_EQ(instance_in("multi-abcdef0123"), std::nullopt);
  EXPECT_EQ(instance_in("i-1"), std::nullopt);
}

TEST(LogGroupOf, TakesTheIdFromTheArn) {
  EXPECT_EQ(log_group_of("demo", "arn:aws:sagemaker:us-west-2:1:cluster/abc123"),
            "/aws/sagemaker/Clusters/demo/abc123");
}

}  // namespace
}  // namespace instantstart::capabilities
