// The selection of a new cluster, run by the engine in virtual time.
#include "capabilities/environments/environment_steps.h"
#include "operations/testing/engine_fixture.h"

namespace instantstart::capabilities {
namespace {

const std::string k_cluster = "demo.us-west-2.123456789012";

class SelectStep : public operations::testing::EngineFixture {
 protected:
  SelectStep() {
    EXPECT_TRUE(run(database_->migrate(access::SelectionStore::migrations())));
    EXPECT_TRUE(run(database_->migrate(fleet::Fleet::migrations())));
    kinds_.add(select_step(selections_, fleet_));
    begin();
  }

  /// The operation was asked for now; its control plane takes a quarter of an hour.
  operations::OperationView select(const std::function<void()>& meanwhile = {}) {
    auto step = operations::testing::planned("select", std::string(k_select_step));
    step.input = encode(SelectInput{k_cluster, to_rfc3339(time_.wall())}).as_object();
    time_.run_for(milliseconds(900'000));
    if (meanwhile) meanwhile();
    time_.run_for(milliseconds(1'000));
    auto key = domain::parse_cluster_key(k_cluster);
    EXPECT_TRUE(run(fleet_.put({.key = *key, .tag = "demo", .profile = {}, .created_at = time_.wall()})));
    return at_rest(started(operations::testing::planned({std::move(step)})));
  }

  std::optional<std::string> selected(std::string principal = "tester") {
    auto found = run(selections_.get(std::move(principal)));
    EXPECT_TRUE(found);
    return found ? *found : std::nullopt;
  }

  access::SelectionStore selections_{*database_, time_};
  fleet::Fleet fleet_{*database_};
};

TEST_F(SelectStep, SelectsForWhoStartedItAndForNobodyElse) {
  EXPECT_EQ(select().outputs.at("select"), (json::value{{"selected", true}}));
  EXPECT_EQ(selected(), k_cluster);
  EXPECT_EQ(selected("another"), std::nullopt);
}

TEST_F(SelectStep, WhatWasSelectedBeforeGivesWay) {
  ASSERT_TRUE(run(selections_.select("tester", "old.us-west-2.123456789012")));
  time_.run_for(milliseconds(1'000));
  select();
  EXPECT_EQ(selected(), k_cluster);
}

TEST_F(SelectStep, WhatIsSelectedMeanwhileStays) {
  const std::string other = "other.us-west-2.123456789012";
  const auto view = select([&] { ASSERT_TRUE(run(selections_.select("tester", other))); });
  EXPECT_EQ(view.state, operations::OperationState::succeeded);
  EXPECT_EQ(view.outputs.at("select"), (json::value{{"selected", false}}));
  EXPECT_EQ(selected(), other);
}

TEST_F(SelectStep, AClusterThatIsAskedForAgainDoesNotTakeBackALaterChoice) {
  select();
  const std::string other = "other.us-west-2.123456789012";
  time_.run_for(milliseconds(1'000));
  ASSERT_TRUE(run(selections_.select("tester", other)));
  time_.run_for(milliseconds(1'000));
  select();
  EXPECT_EQ(selected(), other);
}

TEST_F(SelectStep, WithTheClusterSelectedNothingIsWritten) {
  select();
  const auto again = select();
  EXPECT_EQ(again.steps.front().acts, 0);
}

}  // namespace
}  // namespace instantstart::capabilities
