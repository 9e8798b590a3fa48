#include "contract/problem.h"

#include <gtest/gtest.h>

#include "base/decode.h"
#include "base/error_codes.h"

namespace instantstart::contract {
namespace {

Error full_error() {
  return {.code = "operation_conflict",
          .message = "Operation op_1 works on cluster a.",
          .retryable = true,
          .retry_after = std::chrono::milliseconds(1234),
          .problems = {{"/groups/0/count", "minimum", "must be at least 1", "0", "1"},
                       {"/x", "required", "is", "", {}}},
          .next = {{.action = "operation_get", .arguments = {{"operation_id", "op_1"}}, .why = "See it."}},
          .detail = {{"operation_id", "op_1"}}};
}

TEST(Problem, CarriesAllOfAnErrorInTheWordsOfRfc9457) {
  const Problem problem = to_problem(full_error(), "req-1");
  EXPECT_EQ(problem.type, "urn:instantstart:error:operation_conflict");
  EXPECT_EQ(problem.title, "Another operation works on this");
  EXPECT_EQ(problem.status, 409);
  EXPECT_EQ(problem.detail, "Operation op_1 works on cluster a.");
  EXPECT_EQ(problem.code, "operation_conflict");
  EXPECT_EQ(problem.retry_after_seconds, 1.234);
  EXPECT_EQ(problem.request_id, "req-1");
  EXPECT_EQ(problem.context, (boost::json::object{{"operation_id", "op_1"}}));
}

TEST(Problem, ComesBackAsTheSameErrorThroughJson) {
  const auto wire = encode(to_problem(full_error(), "req-1"));
  const auto problem = decode<Problem>(wire);
  ASSERT_TRUE(problem) << problem.error().message;
  EXPECT_EQ(to_error(*problem), full_error());
}

TEST(Problem, EveryRegisteredCodeKeepsItsStatusAndComesBack) {
  for (const auto& row : error_codes()) {
    const Error error{.code = std::string(row.code), .message = "Why.", .retryable = row.retryable};
    const Problem problem = to_problem(error, "");
    EXPECT_EQ(problem.status, row.http_status) << row.code;
    EXPECT_EQ(to_error(problem), error) << row.code;
  }
}

TEST(Problem, IsRetryableWhenTheCodeOrTheErrorSaysSo) {
  EXPECT_TRUE(to_problem({.code = "unavailable"}, "").retryable);
  EXPECT_TRUE(to_problem({.code = "upstream_error", .retryable = true}, "").retryable);
  EXPECT_FALSE(to_problem({.code = "upstream_error"}, "").retryable);
}

TEST(Problem, ACodeThatNobodyRegisteredIsInternal) {
  const Problem problem = to_problem({.code = "made_up", .message = "Why."}, "");
  EXPECT_EQ(problem.code, "internal");
  EXPECT_EQ(problem.status, 500);
  EXPECT_EQ(problem.type, "urn:instantstart:error:internal");
  EXPECT_EQ(problem.detail, "Why.");
}

TEST(Problem, ACodeOfANewerServerReachesTheClient) {
  EXPECT_EQ(to_error({.detail = "Why.", .code = "made_up"}).code, "made_up");
}

TEST(Problem, WaitsThatMakeNoSenseAreBounded) {
  EXPECT_EQ(to_error({.retry_after_seconds = -5.0}).retry_after, std::chrono::milliseconds(0));
  EXPECT_EQ(to_error({.retry_after_seconds = 1e300}).retry_after, std::chrono::hours(366 * 24));
  EXPECT_EQ(to_error({.retry_after_seconds = std::numeric_limits<double>::quiet_NaN()}).retry_after,
            std::nullopt);
}

}  // namespace
}  // namespace instantstart::contract
