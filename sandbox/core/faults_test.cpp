#include "sandbox/core/faults.h"

#include "sandbox/core/testing/world_fixture.h"

namespace instantstart::sandbox {
namespace {

class FaultPlanTest : public WorldFixture {
 protected:
  FaultPlanTest() { restart(); }
  void restart(WorldOptions options = {}) {
    plan.reset();
    start(std::move(options));
    plan.emplace(process->world());
    EXPECT_TRUE(process->load());
  }
  /// "x" for each of so many calls that is hit, "." for each that passes.
  std::string calls(int count, std::string_view operation = "CreateSubnet",
                    const json::object& request = {}) {
    std::string pattern;
    for (int i = 0; i < count; ++i) pattern += plan->hit("ec2", operation, request) ? 'x' : '.';
    return pattern;
  }

  std::optional<FaultPlan> plan;
};

FaultRule rule(std::string operation = "CreateSubnet") {
  return {.service = "ec2", .operation = std::move(operation), .kind = FaultKind::throttle};
}

TEST_F(FaultPlanTest, AnEmptyPlanHitsNothing) { EXPECT_EQ(calls(3), "..."); }

TEST_F(FaultPlanTest, ARuleHitsOnceUnlessItSaysOtherwise) {
  plan->replace({rule()});
  EXPECT_EQ(calls(3), "x..");
  EXPECT_TRUE(plan->rules().empty());
}

TEST_F(FaultPlanTest, SomeCallsPassThenSomeAreHit) {
  auto some = rule();
  some.skip = 2;
  some.times = 3;
  plan->replace({some});
  EXPECT_EQ(calls(3), "..x");
  ASSERT_EQ(plan->rules().size(), 1u);
  EXPECT_EQ(plan->rules()[0].skip, 0);
  EXPECT_EQ(plan->rules()[0].times, 2);
  EXPECT_EQ(calls(5), "xx...");
}

TEST_F(FaultPlanTest, NoTimesMeansAll) {
  auto all = rule();
  all.times = 0;
  plan->replace({all});
  EXPECT_EQ(calls(20), std::string(20, 'x'));
  EXPECT_EQ(plan->rules()[0].times, 0);
}

TEST_F(FaultPlanTest, RulesAreForTheirCallsOnly) {
  auto any = rule("*");
  any.contains = "10.1.0.0/16";
  any.times = 0;
  plan->replace({any});
  EXPECT_EQ(calls(1, "CreateSubnet", {{"CidrBlock", "10.0.0.0/16"}}), ".");
  EXPECT_EQ(calls(1, "CreateVpc", {{"CidrBlock", "10.1.0.0/16"}}), "x");
  EXPECT_FALSE(plan->hit("eks", "CreateCluster", {{"CidrBlock", "10.1.0.0/16"}}));
}

TEST_F(FaultPlanTest, TheFirstRuleThatHitsWins) {
  auto first = rule();
  first.code = "First";
  auto second = rule("*");
  second.code = "Second";
  plan->replace({first, second});
  EXPECT_EQ(plan->hit("ec2", "CreateSubnet", {})->code, "First");
  EXPECT_EQ(plan->hit("ec2", "CreateSubnet", {})->code, "Second");
  EXPECT_FALSE(plan->hit("ec2", "CreateSubnet", {}));
}

TEST_F(FaultPlanTest, GoesOnAfterARestart) {
  auto some = rule();
  some.skip = 1;
  some.times = 3;
  plan->replace({some});
  EXPECT_EQ(calls(2), ".x");
  ASSERT_TRUE(process->run(process->world().commit()));
  restart();
  EXPECT_EQ(calls(4), "xx..");
}

TEST_F(FaultPlanTest, ChanceIsTheSeedsAndTheSameAcrossARestart) {
  auto sometimes = rule();
  sometimes.times = 0;
  sometimes.probability = 0.3;
  plan->replace({sometimes});
  const std::string whole = calls(200);
  const auto hits = std::ranges::count(whole, 'x');
  EXPECT_GT(hits, 30);
  EXPECT_LT(hits, 90);

  plan->replace({sometimes});
  const std::string begun = calls(100);
  ASSERT_TRUE(process->run(process->world().commit()));
  restart();
  EXPECT_EQ(begun + calls(100), whole);

  restart({.seed = 2});
  plan->replace({sometimes});
  EXPECT_NE(calls(200), whole);
}

TEST_F(FaultPlanTest, AResetEndsThePlan) {
  auto all = rule();
  all.times = 0;
  plan->replace({all});
  ASSERT_TRUE(process->run(process->world().reset()));
  EXPECT_EQ(calls(2), "..");
}

TEST(FaultRuleTest, AKindAsksForWhatItNeeds) {
  const auto decoded = [](std::string_view text) { return decode<FaultRule>(parse_json(text).value()); };
  EXPECT_FALSE(decoded(R"({"service":"ec2","operation":"*","kind":"error"})"));
  EXPECT_TRUE(decoded(R"({"service":"ec2","operation":"*","kind":"error","code":"A"})"));
  EXPECT_FALSE(decoded(R"({"service":"ec2","operation":"*","kind":"slow"})"));
  EXPECT_TRUE(decoded(R"({"service":"ec2","operation":"*","kind":"slow","delay_ms":5})"));
  EXPECT_FALSE(decoded(R"({"service":"ec2","operation":"*","kind":"throttle","probability":2})"));
  EXPECT_FALSE(decoded(R"({"service":"ec2","operation":"*","kind":"explode"})"));
}

}  // namespace
}  // namespace instantstart::sandbox
