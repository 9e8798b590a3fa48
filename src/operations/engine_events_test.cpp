// Events and waiting for them.
#include <boost/asio/co_spawn.hpp>

#include "operations/testing/engine_fixture.h"

namespace instantstart::operations::testing {
namespace {

class EngineEvents : public EngineFixture {
 protected:
  std::vector<Event> events(std::int64_t cursor, std::optional<std::string> id = {},
                            std::int32_t limit = 1000) {
    return run(engine_->events(cursor, std::move(id), limit)).value_or(std::vector<Event>{});
  }
};

TEST_F(EngineEvents, AreNumberedWithoutGapsAcrossOperations) {
  begin();
  std::vector<std::string> ids;
  for (int i = 0; i < 5; ++i)
    ids.push_back(started(planned({planned("s", "one")}, "cluster/" + std::to_string(i))));
  for (const auto& id : ids) at_rest(id);
  const auto all = events(0);
  ASSERT_GT(all.size(), 10U);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].sequence, static_cast<std::int64_t>(i) + 1);
}

TEST_F(EngineEvents, AReaderWithACursorSeesEachOnce) {
  begin();
  const auto id = started(planned({planned("s", "one")}));
  at_rest(id);
  std::vector<std::string> kinds;
  for (std::int64_t cursor = 0;;) {
    const auto page = events(cursor, id, 2);
    if (page.empty()) break;
    EXPECT_LE(page.size(), 2U);
    for (const auto& event : page) kinds.push_back(event.kind);
    cursor = page.back().sequence;
  }
  EXPECT_EQ(kinds, (std::vector<std::string>{"operation_started", "step_acting", "step_accepted", "step_done",
                                             "operation_succeeded"}));
}

TEST_F(EngineEvents, TheNewestIsTheLastThatAReaderSees) {
  begin();
  EXPECT_EQ(run(engine_->newest_event()).value_or(-1), 0);
  at_rest(started(planned({planned("s", "one")})));
  EXPECT_EQ(run(engine_->newest_event()).value_or(-1), events(0).back().sequence);
}

TEST_F(EngineEvents, TellWhatTheyAreAbout) {
  begin();
  const auto id = started(planned({planned("s", "one")}, "cluster/a/group/g"));
  at_rest(id);
  const auto done = events(0, id).at(3);
  EXPECT_EQ(done.operation_id, id);
  EXPECT_EQ(done.subject, "cluster/a/group/g");
  EXPECT_EQ(done.step_id, "s");
  EXPECT_EQ(done.detail.at("acts"), json::value(1));
  EXPECT_EQ(done.at, "2026-01-01T00:00:00.000Z");
  EXPECT_EQ(encode(done).at("kind").as_string(), "step_done");
}

TEST_F(EngineEvents, AWaitingReaderHearsOfTheNext) {
  begin();
  std::optional<std::vector<Event>> heard;
  asio::co_spawn(
      time_.context(), engine_->events(0, std::nullopt, 10, milliseconds(60'000)),
      [&](const std::exception_ptr&, Result<std::vector<Event>> found) { heard = std::move(*found); });
  time_.run_for(milliseconds(5'000));
  EXPECT_FALSE(heard.has_value());
  started(planned({planned("s", "one")}));
  time_.run_for(milliseconds(1));
  ASSERT_TRUE(heard.has_value());
  EXPECT_EQ(heard->front().kind, "operation_started");
}

TEST_F(EngineEvents, AWaitEndsWithItsTime) {
  begin();
  const auto begun = time_.steady();
  const auto found = run(engine_->events(0, std::nullopt, 10, milliseconds(30'000)));
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->empty());
  EXPECT_EQ(time_.steady() - begun, milliseconds(30'000));
}

TEST_F(EngineEvents, GetWaitsUntilSomebodyIsNeededOrTheTimeIsOver) {
  int looks = 0;
  one_.decide = [&](const StepContext&, const json::value&, const History&) -> Decision {
    if (++looks > 3) return Ask{{"Well?", {{"yes", "Yes"}}}};
    return Wait{milliseconds(30'000), "Look " + std::to_string(looks)};
  };
  begin();
  const auto id = started(planned({planned("s", "one")}));
  const auto begun = time_.steady();
  EXPECT_EQ(get(id, milliseconds(45'000)).state, OperationState::waiting);
  EXPECT_EQ(time_.steady() - begun, milliseconds(45'000));
  EXPECT_EQ(get(id, milliseconds(100'000)).state, OperationState::needs_input);
  EXPECT_EQ(time_.steady() - begun, milliseconds(90'000));
}

}  // namespace
}  // namespace instantstart::operations::testing
