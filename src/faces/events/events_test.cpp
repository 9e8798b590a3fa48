// The events socket as a client meets it, in virtual time.
#include "faces/events/events.h"

#include <memory>
#include <random>

#include <gtest/gtest.h>

#include "faces/events/testing/events_fixture.h"

namespace instantstart::faces::testing {
namespace {

using Events = EventsFixture;

std::string problem_code(const net::Response& response) {
  return std::string(parse_json(std::get<std::string>(response.body)).value().at("code").as_string());
}

TEST_F(Events, AreReplayedFromACursorAndGoOnAsTheyHappen) {
  for (int i = 0; i < 3; ++i) happen();
  begin();
  Client& client = follow("operations", 4);
  EXPECT_EQ(client.frames("subscribed").at(0).at("cursor"), json::value(4));
  EXPECT_EQ(client.sequences(), numbers(5, 9));
  happen();
  settle();
  EXPECT_EQ(client.sequences(), numbers(5, 12));
}

TEST_F(Events, WithoutACursorOnlyNewOnesCome) {
  happen();
  begin();
  Client& client = follow("operations", std::nullopt);
  EXPECT_EQ(client.frames("subscribed").at(0).at("cursor"), json::value(3));
  happen();
  settle();
  EXPECT_EQ(client.sequences(), numbers(4, 6));
}

TEST_F(Events, ACursorOfAnotherStoreIsRefused) {
  happen();
  begin();
  Client& client = follow("operations", 4);
  EXPECT_EQ(client.errors(), std::vector<std::string>{"invalid_request"});
  EXPECT_EQ(client.frames("error").at(0).at("channel"), json::value(1));
}

TEST_F(Events, NoMoreFramesComeThanThereIsCredit) {
  for (int i = 0; i < 3; ++i) happen();
  begin({.feed = {.events_a_frame = 2}});
  Client& client = follow("operations", 0, 2);
  EXPECT_EQ(client.sequences(), numbers(1, 4));
  client.socket.say(R"({"type":"credit","channel":1,"credit":1})");
  settle();
  EXPECT_EQ(client.sequences(), numbers(1, 6));
}

TEST_F(Events, CreditIsBounded) {
  begin();
  Client& client = follow("operations", 0, k_most_credit);
  client.socket.say(R"({"type":"credit","channel":1,"credit":1})");
  settle();
  EXPECT_EQ(client.errors(), std::vector<std::string>{"invalid_request"});
}

TEST_F(Events, ASlowReaderHoldsNobodyAndMissesNothing) {
  begin({.feed = {.kept_bytes = 1'000}});
  Client& slow = follow("operations", 0);
  Client& quick = follow("operations", 0);
  slow.socket.hold(true);
  for (int i = 0; i < 30; ++i) {
    happen();
    settle(milliseconds(150));
  }
  EXPECT_EQ(quick.sequences(), numbers(1, 90));
  EXPECT_LT(slow.sequences().size(), 4U);
  slow.socket.hold(false);
  settle();
  EXPECT_EQ(slow.sequences(), numbers(1, 90));
}

TEST_F(Events, FollowersOfATopicGetTheSameFrame) {
  begin();
  Client& one = follow("operations", 0);
  Client& other = follow("operations", 0);
  happen();
  settle();
  EXPECT_EQ(one.socket.told, other.socket.told);
  EXPECT_EQ(one.sequences(), numbers(1, 3));
}

TEST_F(Events, WhateverTheClientsDoEachGetsEachOnceAndInOrder) {
  std::mt19937_64 random(7);
  const auto below = [&](std::uint64_t bound) { return random() % bound; };
  begin({.feed = {.events_a_frame = 5, .kept_bytes = 3'000}});
  std::vector<std::pair<Client*, std::int64_t>> followed;
  for (int i = 0; i < 120; ++i) {
    happen();
    if (i % 10 == 0) {
      const auto cursor = static_cast<std::int64_t>(below(static_cast<std::uint64_t>(3 * i + 1)));
      followed.emplace_back(&follow("operations", cursor, 1), cursor);
    }
    for (const auto& [client, cursor] : followed) {
      if (below(4) == 0) client->socket.hold(below(2) == 0);
      if (below(3) == 0) client->socket.say(R"({"type":"credit","channel":1,"credit":3})");
    }
    settle(milliseconds(30));
  }
  for (const auto& [client, cursor] : followed) {
    client->socket.hold(false);
    client->socket.say(R"({"type":"credit","channel":1,"credit":1000})");
  }
  settle();
  for (const auto& [client, cursor] : followed) EXPECT_EQ(client->sequences(), numbers(cursor + 1, 360));
}

TEST_F(Events, AnOperationIsFollowedWithItsEventsAndAFreshView) {
  happen();
  const auto id = happen();
  happen();
  begin();
  Client& client = follow("operation/" + id, 0);
  EXPECT_EQ(client.sequences("operation/" + id), numbers(4, 6));
  const auto views = client.frames("view");
  ASSERT_EQ(views.size(), 1U);
  EXPECT_EQ(views[0].at("view").at("id").as_string(), id);
  EXPECT_EQ(views[0].at("view").at("state").as_string(), "succeeded");
}

TEST_F(Events, AViewFollowsWhatMoves) {
  contract::Plan plan;
  plan.kind = "book_print";
  plan.subject = "shelf/a";
  plan.summary = "Print a book.";
  plan.steps.push_back({.id = "plates", .kind = "plates_make", .title = "Make plates"});
  begin();
  // Before the engine's loop has had its turn.
  const auto started = house_.wait(house_.engine.start({.plan = plan, .input = {}, .principal = "ann"}));
  Client& client = follow("operation/" + started->operation_id, 0);
  EXPECT_EQ(client.sequences("operation/" + started->operation_id), numbers(1, 3));
  EXPECT_EQ(client.frames("view").back().at("view").at("state").as_string(), "succeeded");
}

TEST_F(Events, OfAnUnknownOperationAreRefusedByName) {
  begin();
  Client& client = follow("operation/0193-none", std::nullopt);
  EXPECT_EQ(client.errors(), std::vector<std::string>{"not_found"});
  EXPECT_EQ(follow("nonsense", std::nullopt).errors(), std::vector<std::string>{"not_found"});
}

TEST_F(Events, AfterUnsubscribingNothingComes) {
  begin();
  Client& client = follow("operations", 0);
  client.socket.say(R"({"type":"unsubscribe","channel":1})");
  settle();
  happen();
  settle();
  EXPECT_EQ(client.frames("unsubscribed").size(), 1U);
  EXPECT_TRUE(client.sequences().empty());
  client.socket.say(R"({"type":"subscribe","channel":1,"topic":"operations","cursor":0,"credit":9})");
  settle();
  EXPECT_EQ(client.sequences(), numbers(1, 3));
}

TEST_F(Events, WrongFramesAreAnsweredAndTheSocketLives) {
  begin({.socket = {.channels = 2}});
  Client& client = follow("operations", 0);
  for (const char* text :
       {"{", R"({"type":"subscribe","channel":1,"topic":"operation/x"})",
        R"({"type":"subscribe","channel":2,"topic":"operations"})",
        R"({"type":"credit","channel":9,"credit":1})", R"({"type":"unsubscribe","channel":9})"}) {
    client.socket.say(text);
  }
  settle();
  EXPECT_EQ(client.errors(), (std::vector<std::string>{"invalid_json", "invalid_request", "conflict",
                                                       "invalid_request", "invalid_request"}));
  happen();
  settle();
  EXPECT_EQ(client.sequences(), numbers(1, 3));
}

TEST_F(Events, ChannelsAreBounded) {
  const auto id = happen();
  const auto other = happen();
  begin({.socket = {.channels = 2}});
  Client& client = follow("operations", 0);
  client.socket.say(R"({"type":"subscribe","channel":2,"topic":"operation/)" + id + R"("})");
  client.socket.say(R"({"type":"subscribe","channel":3,"topic":"operation/)" + other + R"("})");
  settle();
  EXPECT_EQ(client.errors(), std::vector<std::string>{"rate_limited"});
}

TEST_F(Events, AClientThatDoesNotTakeAnswersIsHeldBack) {
  begin();
  Client& client = connect();
  client.socket.hold(true);
  for (int i = 0; i < 100; ++i) client.socket.say("{");
  settle();
  client.socket.hold(false);
  settle();
  EXPECT_EQ(client.errors().size(), 100U);
}

TEST_F(Events, BinaryFramesOfAClientEndTheSocket) {
  begin();
  Client& client = connect();
  client.socket.say_binary("x");
  settle();
  EXPECT_EQ(client.socket.closed, net::WebSocketClose::unsupported_data);
}

TEST_F(Events, WhoFollowsNothingIsLetGo) {
  begin();
  Client& idle = connect();
  Client& follower = follow("operations", 0);
  settle(milliseconds(66'000));
  EXPECT_EQ(idle.socket.closed, net::WebSocketClose::policy_violation);
  EXPECT_TRUE(idle.ended);
  EXPECT_FALSE(follower.ended);
}

TEST_F(Events, ARevokedTokenEndsTheSocketWithinTenSeconds) {
  begin();
  Client& client = follow("operations", 0);
  settle(milliseconds(20'000));
  EXPECT_FALSE(client.ended);
  ASSERT_TRUE(house_.wait(house_.credentials.revoke_tokens("ann")));
  settle(milliseconds(10'000));
  EXPECT_EQ(client.socket.closed, k_close_unauthenticated);
  EXPECT_TRUE(client.ended);
}

TEST_F(Events, ASocketIsTakenOnlyWithItsSubprotocolAndOnItsPath) {
  begin();
  const net::Headers known{{"Authorization", "Bearer " + token_}};
  EXPECT_EQ(problem_code(ask(request(known))), "bad_request");
  auto elsewhere = request(known);
  elsewhere.target = "/ws/x";
  EXPECT_EQ(problem_code(ask(elsewhere)), "not_found");
}

TEST_F(Events, ASessionOpensSocketsOnlyFromOurOwnPage) {
  begin();
  const net::Headers session{{"Cookie", "instantstart_session=s"},
                             {"Sec-WebSocket-Protocol", "instantstart.v1"}};
  EXPECT_EQ(problem_code(ask(request(session))), "bad_origin");
  net::Headers page = session;
  page.add("Origin", "http://localhost");
  EXPECT_TRUE(ask(request(page)).websocket);
}

TEST_F(Events, SocketsAreBounded) {
  begin({.sockets = 1});
  Client& first = connect();
  settle();
  const auto another = [&] {
    return ask(
        request({{"Authorization", "Bearer " + token_}, {"Sec-WebSocket-Protocol", "instantstart.v1"}}));
  };
  EXPECT_EQ(another().status, 503);
  first.socket.go_away();
  settle();
  EXPECT_TRUE(another().websocket);
}

TEST(EndByRights, OnlyWhoHasAtLeastTheRightsItCameWithStays) {
  using contract::Role;
  const contract::Caller ann{.principal = "ann", .role = Role::operator_};
  const auto code = [&](Result<access::Principal> now) -> std::optional<net::WebSocketClose> {
    const auto end = end_by_rights(ann, now);
    return end ? std::optional(end->code) : std::nullopt;
  };
  EXPECT_EQ(code(access::Principal{.id = "ann", .role = Role::operator_}), std::nullopt);
  EXPECT_EQ(code(access::Principal{.id = "ann", .role = Role::admin}), std::nullopt);
  EXPECT_EQ(code(access::Principal{.id = "ann", .role = Role::viewer}), k_close_forbidden);
  EXPECT_EQ(code(access::Principal{.id = "bob", .role = Role::operator_}), k_close_forbidden);
  EXPECT_EQ(code(fail("unauthenticated", "")), k_close_unauthenticated);
  EXPECT_EQ(code(fail("state_unusable", "")), net::WebSocketClose::try_again_later);
}

}  // namespace
}  // namespace instantstart::faces::testing
