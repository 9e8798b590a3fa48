#include "faces/mcp/exchange.h"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "net/testing/virtual_time.h"

namespace instantstart::faces {
namespace {

using Events = std::vector<std::string>;

asio::awaitable<void> read_all(std::shared_ptr<Exchange> exchange, std::size_t seen, Events& events) {
  const auto stream = exchange_stream(std::move(exchange), seen);
  while (auto event = co_await stream->next()) events.push_back(std::move(*event));
  events.emplace_back("end");
}

asio::awaitable<void> ask(Exchange& exchange, std::optional<McpOutcome>& outcome) {
  outcome = co_await exchange.ask("roots/list", {});
}

struct ExchangeTest : testing::Test {
  void start(asio::awaitable<void> task) {
    asio::co_spawn(time.context(), std::move(task), asio::detached);
    time.context().poll();
  }

  std::shared_ptr<Exchange> exchange(bool resumable = false) {
    return std::make_shared<Exchange>(time, "x", resumable);
  }

  Events read(const std::shared_ptr<Exchange>& from, std::size_t seen = 0) {
    Events events;
    start(read_all(from, seen, events));
    time.run();
    return events;
  }

  net::VirtualTime time;
};

TEST_F(ExchangeTest, AnAnswerWithNothingBeforeItStandsAlone) {
  const auto one = exchange();
  start(one->finish({{"id", 1}}));
  ASSERT_TRUE(one->sole_answer());
  EXPECT_EQ(to_text(*one->sole_answer()), R"({"id":1})");
}

TEST_F(ExchangeTest, WhatIsSaidBeforeTheAnswerComesAsEventsInOrder) {
  const auto one = exchange();
  one->notify("notifications/progress", {{"progress", 1}});
  start(one->finish({{"id", 1}}));
  EXPECT_FALSE(one->sole_answer());
  EXPECT_EQ(read(one),
            (Events{"event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\","
                    "\"params\":{\"progress\":1}}\n\n",
                    "event: message\ndata: {\"id\":1}\n\n", "end"}));
}

TEST_F(ExchangeTest, AQuestionHasTheIdThatItsAnswerNames) {
  const auto one = exchange();
  std::optional<McpOutcome> outcome;
  start(ask(*one, outcome));
  EXPECT_FALSE(one->reply(2, json::object()));
  EXPECT_TRUE(one->reply(1, json::object{{"roots", json::array()}}));
  EXPECT_FALSE(one->reply(1, json::object())) << "it is answered once";
  time.run();
  ASSERT_TRUE(outcome && *outcome);
  EXPECT_TRUE((*outcome)->contains("roots"));
  start(one->finish({{"id", 1}}));
  EXPECT_NE(read(one).front().find(R"("id":"x.1")"), std::string::npos);
}

TEST_F(ExchangeTest, AQuestionThatNobodyAnswersEndsInAnError) {
  const auto one = exchange();
  std::optional<McpOutcome> outcome;
  start(ask(*one, outcome));
  time.run();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->error().code, rpc::internal_error);
}

TEST_F(ExchangeTest, AfterAHangUpTheClientComesBackForWhatItHasNotSeen) {
  const auto one = exchange(true);
  one->notify("first", {});
  one->hang_up();
  start(one->finish({{"id", 1}}));
  Events events = read(one, 1);
  EXPECT_EQ(events, (Events{"event: message\nid: x.2\ndata: {\"id\":1}\n\n", "end"}));
}

TEST_F(ExchangeTest, AHangUpEndsTheStreamThatIsOpen) {
  const auto one = exchange(true);
  Events events;
  start(read_all(one, 0, events));
  one->hang_up();
  time.context().poll();
  EXPECT_EQ(events, (Events{"id: x.0\nretry: 500\ndata: \n\n", "end"}));
}

TEST_F(ExchangeTest, AQuietStreamIsKeptOpenByComments) {
  const auto one = exchange();
  Events events;
  start(read_all(one, 0, events));
  time.run_for(seconds(31));
  EXPECT_EQ(events, (Events{": waiting\n\n", ": waiting\n\n"}));
  start(one->finish({{"id", 1}}));
}

TEST(ExchangePoint, IsAnIdAndANumber) {
  EXPECT_EQ(parse_exchange_point("a.b.12")->exchange, "a.b");
  EXPECT_EQ(parse_exchange_point("a.b.12")->number, 12u);
  EXPECT_FALSE(parse_exchange_point("a"));
  EXPECT_FALSE(parse_exchange_point("a."));
  EXPECT_FALSE(parse_exchange_point("a.1x"));
}

}  // namespace
}  // namespace instantstart::faces
