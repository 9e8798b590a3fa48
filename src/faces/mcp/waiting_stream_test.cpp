// Calls that wait: progress while they do, the result at the end.
#include <functional>

#include "access/testing/house.h"
#include "base/describe.h"
#include "faces/mcp/methods.h"
#include "faces/mcp/sse_reader.h"

namespace instantstart::faces {
namespace {

struct WatchGet {
  std::string what;
  std::int32_t wait_seconds = 0;
};
Type describe(WatchGet*) {
  return object_type<WatchGet>(
      "WatchGet", "What to watch.",
      {field<&WatchGet::what>("what", "Its name."),
       field<&WatchGet::wait_seconds>("wait_seconds", "How long to wait for it.",
                                      {.defaulted = true, .rule = {.min = 0, .max = 45}})});
}

struct WatchView {
  std::string state;
};
Type describe(WatchView*) {
  return object_type<WatchView>("WatchView", "How far it is.",
                                {field<&WatchView::state>("state", "Its state.")});
}

/// Counts seconds from its start as its state, and is done after some of them.
class Watch {
 public:
  Watch(net::VirtualTime& time, seconds done_after) : time_(time), end_(time.steady() + done_after) {}

  Task<WatchView> get(WatchGet request) {
    ++calls;
    if (request.what == "nothing") co_return fail("not_found", "There is no such watch.");
    co_await time_.sleep_until(std::min(end_, time_.steady() + seconds(request.wait_seconds)));
    const bool done = time_.steady() >= end_;
    co_return WatchView{done ? "done" : state(time_.steady())};
  }

  std::function<std::string(SteadyTime)> state = [](SteadyTime) { return "running"; };
  int calls = 0;

 private:
  net::VirtualTime& time_;
  SteadyTime end_;
};

class WaitingStreamTest : public ::testing::Test {
 protected:
  static std::vector<contract::Action> actions(Watch& watch) {
    std::vector<contract::Action> all;
    all.push_back(contract::read_action<WatchGet, WatchView>(
        {.name = "watch_get",
         .path = "/watches/{what}",
         .summary = "One watch.",
         .doc = "Waits.",
         .errors = {"not_found"},
         .example = {{"what", "a"}}},
        [&watch](contract::Caller, WatchGet request) { return watch.get(std::move(request)); }));
    return all;
  }

  static RpcMessage request(json::value wait, json::object meta = {{"progressToken", "p"}}) {
    return {.id = 9,
            .method = "tools/call",
            .params = {{"name", "watch_get"},
                       {"arguments", {{"what", "a"}, {"wait_seconds", std::move(wait)}}},
                       {"_meta", std::move(meta)}}};
  }

  McpCaller caller() const { return {.revision = Revision::r2026_07_28, .caller = house_.caller()}; }

  /// All messages until the stream ends; comments are counted.
  std::vector<json::object> all_of(net::BodyStream& stream) {
    std::vector<json::object> messages;
    SseReader reader(100'000);
    while (auto piece = house_.wait(stream.next())) {
      if (piece->starts_with(':')) ++comments_;
      const auto events = reader.feed(*piece);
      for (const auto& event : *events) messages.push_back(parse_json(event)->as_object());
    }
    return messages;
  }

  access::testing::House house_;
  Watch watch_{house_.time, seconds(29)};
  contract::ActionTable table_{actions(watch_)};
  access::Dispatcher dispatcher_{table_,         house_.engine,     house_.confirmations,
                                 house_.answers, house_.selections, Log()};
  Methods methods_{table_, dispatcher_, house_.time, Log(), "1.2.3"};
  int comments_ = 0;
};

TEST_F(WaitingStreamTest, OnlyCallsThatWaitAndHaveAProgressTokenAreStreamed) {
  EXPECT_TRUE(methods_.waiting_call(caller(), request(45)));
  EXPECT_TRUE(methods_.waiting_call(caller(), request("45")));
  EXPECT_FALSE(methods_.waiting_call(caller(), request(45, {})));
  for (const json::value& wait :
       {json::value(0), json::value(46), json::value("soon"), json::value(nullptr)}) {
    EXPECT_FALSE(methods_.waiting_call(caller(), request(wait))) << to_text(wait);
  }
}

TEST_F(WaitingStreamTest, ProgressIsToldWhenSomethingMovesAndTheResultComesLast) {
  watch_.state = [begin = house_.time.steady()](SteadyTime now) {
    return now - begin < seconds(9) ? "early" : "late";
  };
  auto waiting = methods_.waiting_call(caller(), request(45));
  auto stream = methods_.stream(caller(), 9, std::move(*waiting));
  const SteadyTime begin = house_.time.steady();
  const auto messages = all_of(*stream);
  EXPECT_EQ(house_.time.steady() - begin, seconds(29)) << "it ends when there is nothing left to wait for";
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_EQ(messages[0].at("method"), "notifications/progress");
  EXPECT_EQ(messages[0].at("params").at("message"), "early");
  EXPECT_EQ(messages[0].at("params").at("progressToken"), "p");
  EXPECT_EQ(messages[1].at("params").at("message"), "late");
  EXPECT_EQ(messages[2].at("id"), 9);
  EXPECT_EQ(messages[2].at("result").at("structuredContent").at("state"), "done");
  EXPECT_EQ(messages[2].at("result").at("resultType"), "complete");
}

TEST_F(WaitingStreamTest, TheWaitThatWasAskedForIsTheLongest) {
  auto waiting = methods_.waiting_call(caller(), request(20));
  auto stream = methods_.stream(caller(), 9, std::move(*waiting));
  const SteadyTime begin = house_.time.steady();
  const auto messages = all_of(*stream);
  EXPECT_EQ(house_.time.steady() - begin, seconds(20));
  EXPECT_EQ(messages.back().at("result").at("structuredContent").at("state"), "running");
  EXPECT_EQ(comments_, 1) << "a sign of life after 15 quiet seconds";
}

TEST_F(WaitingStreamTest, AnErrorEndsItAtOnce) {
  RpcMessage message = request(45);
  message.params["arguments"].as_object()["what"] = "nothing";
  auto waiting = methods_.waiting_call(caller(), message);
  auto stream = methods_.stream(caller(), 9, std::move(*waiting));
  const auto messages = all_of(*stream);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0].at("result").at("structuredContent").at("code"), "not_found");
}

}  // namespace
}  // namespace instantstart::faces
