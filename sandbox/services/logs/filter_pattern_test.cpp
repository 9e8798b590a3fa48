#include "sandbox/services/logs/filter_pattern.h"

#include <gtest/gtest.h>

namespace instantstart::sandbox::logs {
namespace {

TEST(FilterPattern, MatchesTermsPhrasesAlternativesAndExclusions) {
  struct Case {
    std::string pattern;
    std::string message;
    bool expected;
  };
  const Case cases[] = {
      {"", "anything", true},
      {"ERROR", "[ERROR] it failed", true},
      {"ERROR", "an error", false},
      {"ERROR failed", "ERROR: it failed", true},
      {"ERROR failed", "ERROR: it works", false},
      {R"("it failed")", "ERROR: it failed", true},
      {R"("it failed")", "it has failed", false},
      {R"("say \"x\"")", R"(they say "x")", true},
      {"?ERROR ?WARN", "WARN: hot", true},
      {"?ERROR ?WARN", "INFO: cold", false},
      {"ERROR -Exiting", "ERROR: gone", true},
      {"ERROR -Exiting", "ERROR: Exiting", false},
      {R"(-"no such")", "no such file", false},
      {"?WARN ERROR", "WARN: hot", false},  // Alternatives count only by themselves.
      {"größe", "die größe", true},
  };
  for (const auto& [text, message, expected] : cases) {
    const auto pattern = FilterPattern::parse(text);
    ASSERT_TRUE(pattern) << text;
    EXPECT_EQ(pattern->matches(message), expected) << text << " in " << message;
  }
}

TEST(FilterPattern, RefusesWhatItDoesNotKnow) {
  struct Case {
    std::string pattern;
    std::string message;
  };
  const Case cases[] = {
      {R"({ $.level = "error" })", "The sandbox does not simulate JSON filter patterns."},
      {"[ip, user]", "The sandbox does not simulate filter patterns for space-delimited events."},
      {"%ERR.*%", "The sandbox does not simulate regular expressions in filter patterns."},
      {"?%ERR%", "The sandbox does not simulate regular expressions in filter patterns."},
      {R"("open)", R"(Invalid filter pattern: "open)"},
      {"a=b", "Invalid filter pattern: a=b"},
      {"-", "Invalid filter pattern: -"},
  };
  for (const auto& [text, message] : cases) {
    const auto pattern = FilterPattern::parse(text);
    ASSERT_FALSE(pattern) << text;
    EXPECT_EQ(pattern.error().code, "InvalidParameterException");
    EXPECT_EQ(pattern.error().message, message);
  }
}

}  // namespace
}  // namespace instantstart::sandbox::logs
