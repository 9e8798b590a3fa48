#include "sandbox/services/ec2/filters.h"

#include <array>

#include <gtest/gtest.h>
#include <boost/json/parse.hpp>

namespace instantstart::sandbox::ec2 {
namespace {

struct PatternCase {
  std::string_view pattern, text;
  bool matches;
};

TEST(MatchesPattern, HasTheWildcardsOfEc2) {
  constexpr PatternCase k_cases[] = {
      {"", "", true},
      {"", "a", false},
      {"a", "a", true},
      {"a", "A", false},
      {"*", "", true},
      {"*", "anything", true},
      {"p5*", "p5en.48xlarge", true},
      {"p5*", "xp5", false},
      {"*.48x*", "p5.48xlarge", true},
      {"a*b*c", "aXXbYYc", true},
      {"a*b*c", "aXXcYYb", false},
      // '?' is at most one character: "zero or one" says the user guide.
      {"a?", "a", true},
      {"a?", "ab", true},
      {"a?", "abc", false},
      {"a?c", "ac", true},
      {"a?c", "abc", true},
      {"a??c", "ac", true},
      {"?", "", true},
      {"*?", "", true},
      {"\\*", "*", true},
      {"\\*", "a", false},
      {"a\\?", "a?", true},
      {"a\\?", "ab", false},
      {"\\\\", "\\", true},
      {"a\\", "a\\", true},
      {"**a**", "bab", true},
      {"*a", "aaaa", true},
  };
  for (const auto& [pattern, text, matches] : k_cases) {
    EXPECT_EQ(matches_pattern(pattern, text), matches) << pattern << " on " << text;
  }
}

TEST(MatchesPattern, StaysFastOnPatternsMadeToBeSlow) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "*a?";
  EXPECT_FALSE(matches_pattern(pattern + "b", std::string(5000, 'a')));
}

constexpr std::array<FilterName, 7> k_names{{{"vpc-id", "VpcId"},
                                             {"is-default", "IsDefault"},
                                             {"free", "Free"},
                                             {"clock", "Clock"},
                                             {"block.state", "Blocks.State.Name"},
                                             {"tag:", "Tags"},
                                             {"tag-key", "Tags.Key"}}};

const json::value& record() {
  static const json::value k_record = json::parse(R"({
    "VpcId": "vpc-1", "IsDefault": true, "Free": 251, "Clock": 3.6,
    "Blocks": [{"State": {"Name": "associated"}}, {"State": {"Name": "associating"}}],
    "Tags": [{"Key": "Name", "Value": "net"}, {"Key": "team:a", "Value": "x*y"}, {"Key": "empty", "Value": ""}]})");
  return k_record;
}

using Filters = std::vector<aws::ec2::Filter>;

struct MatchCase {
  Filters filters;
  bool matches;
};

TEST(FilterSet, EveryFilterNeedsOneOfItsValuesAndAnyPlaceWillDo) {
  const MatchCase k_cases[] = {
      {{}, true},
      {{{"vpc-id", {{"vpc-1"}}}}, true},
      {{{"vpc-id", {{"vpc-2", "vpc-1"}}}}, true},
      {{{"vpc-id", {{"vpc-2"}}}}, false},
      {{{"vpc-id", {{"vpc-1"}}}, {"is-default", {{"false"}}}}, false},
      {{{"is-default", {{"true"}}}, {"free", {{"251"}}}, {"clock", {{"3.6"}}}}, true},
      {{{"free", {{"25?"}}}}, true},
      {{{"block.state", {{"associating"}}}}, true},
      {{{"block.state", {{"gone"}}}}, false},
      {{{"tag:Name", {{"n*"}}}}, true},
      {{{"tag:name", {{"net"}}}}, false},
      {{{"tag:Name", {{"x*y"}}}}, false},  // the value of another tag
      {{{"tag:team:a", {{"x\\*y"}}}}, true},
      {{{"tag:empty", {{""}}}}, true},
      {{{"tag-key", {{"team:a"}}}}, true},
      {{{"tag-key", {{"net"}}}}, false},
  };
  for (std::size_t i = 0; i < std::size(k_cases); ++i) {
    const auto set = FilterSet::make(k_cases[i].filters, k_names);
    ASSERT_TRUE(set) << i;
    EXPECT_EQ(set->match(record()), k_cases[i].matches) << i;
    EXPECT_EQ(set->empty(), k_cases[i].filters.empty());
  }
}

TEST(FilterSet, RefusesWhatTheOperationDoesNotKnow) {
  const auto message = [](Filters filters) { return FilterSet::make(filters, k_names).error().message; };
  EXPECT_EQ(message({{"vpcid", {{"a"}}}}), "The filter 'vpcid' is invalid");
  EXPECT_EQ(message({{std::nullopt, {{"a"}}}}), "The filter '' is invalid");
  EXPECT_EQ(message({{"tag:", {{"a"}}}}), "The filter 'tag:' is invalid");
  EXPECT_EQ(message({{"vpc-id", std::nullopt}}), "The filter 'vpc-id' must have a value");
  EXPECT_EQ(FilterSet::make(Filters{{"x", {{"a"}}}}, k_names).error().code, "InvalidParameterValue");
  const std::vector<std::string> many(k_max_filter_values + 1, "a");
  EXPECT_EQ(FilterSet::make(Filters{{"vpc-id", many}}, k_names).error().code, "FilterLimitExceeded");
}

}  // namespace
}  // namespace instantstart::sandbox::ec2
