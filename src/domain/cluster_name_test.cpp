#include "domain/cluster_name.h"

#include <gtest/gtest.h>

#include "base/decode.h"

namespace instantstart::domain {
namespace {

ClusterName named(std::string text) { return {{std::move(text)}}; }

TEST(ClusterName, TakesWhatEksTakes) {
  for (const std::string& good : {std::string("a"), std::string("0_a-B"), std::string(100, 'x')}) {
    EXPECT_TRUE(parse_text<ClusterName>(good)) << good;
  }
  for (const std::string& bad : {std::string(""), std::string("-a"), std::string("_a"), std::string("a.b"),
                                 std::string("a/b"), std::string("a\n"), std::string(101, 'x')}) {
    EXPECT_FALSE(parse_text<ClusterName>(bad)) << bad;
  }
}

TEST(DerivedNames, AreReadable) {
  EXPECT_EQ(stack_name(named("demo")), "instantstart-demo");
  EXPECT_EQ(role_name(named("demo"), "us-west-2", "control-plane"), "demo-us-west-2-control-plane");
  EXPECT_EQ(hyperpod_name(named("demo")), "demo");
}

TEST(DerivedNames, NamesThatDifferInUnderscoresAloneStayApart) {
  const auto with = stack_name(named("a_b"));
  ASSERT_TRUE(with);
  EXPECT_NE(with, stack_name(named("a-b")));
  EXPECT_TRUE(with->starts_with("instantstart-a-b-")) << *with;
  EXPECT_EQ(with->find('_'), std::string::npos);
  EXPECT_NE(hyperpod_name(named("a-")), hyperpod_name(named("a_")));
  EXPECT_NE(hyperpod_name(named("a-")), hyperpod_name(named("a")));
}

TEST(DerivedNames, OneAtItsBudgetFitsAndOneOverIsRefusedWithTheLengthThatFits) {
  const std::string_view region = "us-gov-west-1";
  const std::size_t most = 64 - std::string("-us-gov-west-1-control-plane").size();
  EXPECT_EQ(role_name(named(std::string(most, 'x')), region, "control-plane")->size(), 64u);
  const auto over = role_name(named(std::string(most - 1, 'x') + "-x"), region, "control-plane");
  ASSERT_FALSE(over);
  ASSERT_EQ(over.error().problems.size(), 1u);
  const auto& problem = over.error().problems[0];
  EXPECT_EQ(problem.pointer, "/name");
  EXPECT_NE(problem.message.find(std::to_string(most)), std::string::npos) << problem.message;
  EXPECT_EQ(problem.nearest, std::string(most - 1, 'x')) << "never ends in a dash";
}

TEST(DerivedNames, AllBudgetsAreCheckedAtOnce) {
  EXPECT_TRUE(name_problems(named("demo"), "us-west-2").empty());
  EXPECT_EQ(name_problems(named(std::string(100, 'x')), "us-west-2").size(), 2u) << "roles and HyperPod";
}

}  // namespace
}  // namespace instantstart::domain
