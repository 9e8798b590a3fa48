#include "base/error.h"

#include <set>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "base/pattern.h"
#include "base/result.h"

namespace instantstart {
namespace {

TEST(Within, PutsTheContextFirstAndKeepsTheRest) {
  Error error{.code = "not_found", .message = "role not found", .retryable = true};
  error.detail["role"] = "r";
  const Error told = within("Create cluster 'a'", error);
  EXPECT_EQ(told.message, "Create cluster 'a': role not found");
  error.message = told.message;
  EXPECT_EQ(told, error);
}

TEST(Fail, MakesAResultOfAnyType) {
  const auto failing = []() -> Result<int> { return fail(codes::not_found, "No cluster 'a'."); };
  const auto passing = []() -> Result<> { return {}; };
  ASSERT_FALSE(failing());
  EXPECT_EQ(failing().error().code, "not_found");
  EXPECT_EQ(failing().error().message, "No cluster 'a'.");
  EXPECT_TRUE(passing());
}

TEST(ErrorCodes, AreUniqueLowerSnakeWithAnHttpErrorStatus) {
  const Pattern lower_snake("^[a-z]+(_[a-z]+)*$");
  std::set<std::string_view> seen;
  for (const auto& info : error_codes()) {
    EXPECT_TRUE(seen.insert(info.code).second) << info.code;
    EXPECT_TRUE(lower_snake.matches(info.code)) << info.code;
    EXPECT_GE(info.http_status, 400) << info.code;
    EXPECT_LE(info.http_status, 599) << info.code;
    EXPECT_FALSE(info.title.empty()) << info.code;
  }
}

TEST(ErrorCodes, EachIsFoundByName) {
  for (const auto& info : error_codes()) EXPECT_EQ(&error_code_info(info.code), &info);
  EXPECT_EQ(error_code_info(codes::name_taken).http_status, 409);
  EXPECT_TRUE(error_code_info(codes::rate_limited).retryable);
}

TEST(ErrorCodes, AnUnknownOneIsAnInternalError) {
  EXPECT_EQ(error_code_info("no_such_code").code, codes::internal);
  EXPECT_EQ(error_code_info("").http_status, 500);
  EXPECT_EQ(error_code_info("zzz").http_status, 500);
}

TEST(Pattern, MatchesAnywhereUnlessAnchored) {
  EXPECT_TRUE(Pattern("b+").matches("abbc"));
  EXPECT_FALSE(Pattern("^b+$").matches("abbc"));
  EXPECT_FALSE(Pattern("^b$").matches("b\n")) << "the end is the end of the text";
  EXPECT_FALSE(Pattern("^.$").matches("\xff"));
  EXPECT_TRUE(Pattern("^.$").matches("é"));
}

TEST(Pattern, CopiesShareWhatIsCompiled) {
  const Pattern pattern = "^a$";
  const Pattern copy = pattern;
  EXPECT_TRUE(copy.matches("a"));
  EXPECT_EQ(copy.expression(), "^a$");
}

TEST(Pattern, TakesLinearTimeOnHostileInput) {
  EXPECT_FALSE(Pattern("^(a+)+$").matches(std::string(100'000, 'a') + "b"));
}

TEST(PatternDeathTest, ABadExpressionEndsTheProcess) { EXPECT_DEATH(Pattern("("), "bad pattern"); }

}  // namespace
}  // namespace instantstart
