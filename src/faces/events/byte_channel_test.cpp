// Bytes over the events socket.
#include <algorithm>
#include <memory>

#include <gtest/gtest.h>

#include "faces/events/testing/events_fixture.h"

namespace instantstart::faces::testing {
namespace {

/// Text without end is "0123456789" again and again; it stands still while `held`.
struct Well {
  explicit Well(net::Timekeeper& time) : moved(time) {}

  std::size_t size = 0;
  std::size_t given = 0;
  std::size_t largest_ask = 0;
  bool held = false;
  bool broken = false;
  int open = 0;
  net::Signal moved;
};

char at(std::size_t offset) { return static_cast<char>('0' + offset % 10); }

class WellSource final : public ByteSource {
 public:
  WellSource(Well& well, std::size_t offset) : well_(well), offset_(offset) { ++well_.open; }
  ~WellSource() override { --well_.open; }

  Task<std::optional<std::string>> next(std::size_t most) override {
    while (well_.held) co_await well_.moved.wait(net::Deadline::never());
    if (well_.broken) co_return fail("upstream_error", "The well ran dry.");
    well_.largest_ask = std::max(well_.largest_ask, most);
    if (offset_ == well_.size) co_return std::optional<std::string>();
    std::string bytes;
    while (bytes.size() < most && offset_ < well_.size) bytes.push_back(at(offset_++));
    well_.given += bytes.size();
    co_return std::optional(std::move(bytes));
  }

 private:
  Well& well_;
  std::size_t offset_;
};

class Bytes : public EventsFixture {
 protected:
  ~Bytes() override {
    // The sources look at the well.
    for (const auto& client : clients_) client->socket.go_away();
    settle();
  }

  void begin_with_well(std::size_t size, contract::Role least = contract::Role::viewer) {
    begin();
    well_.size = size;
    face_->add_source("well/", least, [this](SourceRequest wanted) { return open(std::move(wanted)); });
  }

  Task<std::unique_ptr<ByteSource>> open(SourceRequest wanted) {
    if (wanted.topic == "well/none") co_return fail("not_found", "There is no such well.");
    co_return std::make_unique<WellSource>(well_, static_cast<std::size_t>(wanted.offset.value_or(0)));
  }

  Well well_{house_.time};
};

std::string text_of(std::size_t from, std::size_t to) {
  std::string text;
  while (from < to) text.push_back(at(from++));
  return text;
}

TEST_F(Bytes, ComeInOrderInFramesOfBoundedSizeAndThenAnEnd) {
  begin_with_well(200'000);
  Client& client = follow("well/a", std::nullopt, 1'000'000);
  EXPECT_EQ(client.bytes(1), text_of(0, 200'000));
  EXPECT_EQ(client.frames("ended").size(), 1U);
  EXPECT_EQ(well_.largest_ask, k_binary_frame_bytes - k_binary_head_bytes);
  EXPECT_EQ(well_.open, 0);
}

TEST_F(Bytes, BeginAtAnOffset) {
  begin_with_well(100);
  Client& client = follow("well/a", 93, 1'000);
  EXPECT_EQ(client.frames("subscribed").at(0).at("cursor"), json::value(93));
  EXPECT_EQ(client.bytes(1), "3456789");
}

TEST_F(Bytes, NoMoreAreReadThanThereIsCredit) {
  begin_with_well(1'000);
  Client& client = follow("well/a", std::nullopt, 10);
  EXPECT_EQ(well_.given, 10U);
  client.socket.say(R"({"type":"credit","channel":1,"credit":5})");
  settle();
  EXPECT_EQ(client.bytes(1), "012345678901234");
  EXPECT_EQ(well_.given, 15U);
}

TEST_F(Bytes, AFollowerThatDoesNotReadHoldsOneFrameAtMost) {
  begin_with_well(10'000'000);
  Client& client = connect();
  client.socket.hold(true);
  client.socket.say(R"({"type":"subscribe","channel":1,"topic":"well/a","credit":10000000})");
  settle();
  EXPECT_LE(well_.given, 2 * k_binary_frame_bytes);
}

TEST_F(Bytes, EventsOfOperationsGoFirst) {
  begin_with_well(10'000'000);
  Client& client = follow("operations", 0);
  client.socket.hold(true);
  client.socket.say(R"({"type":"subscribe","channel":2,"topic":"well/a","credit":10000000})");
  settle();
  const auto before = client.socket.told.size();
  happen();
  settle();
  client.socket.hold(false);
  settle(milliseconds(0));
  // What was under way when the event came, and the next frame is the event's.
  ASSERT_GT(client.socket.told.size(), before + 3);
  const auto begin = client.socket.told.begin() + static_cast<std::ptrdiff_t>(before);
  EXPECT_TRUE(std::any_of(begin, begin + 3, [](const auto& message) {
    return message.text && message.data.contains("operation_started");
  }));
}

TEST_F(Bytes, UnsubscribingEndsTheSourceThoughItWaits) {
  begin_with_well(100);
  well_.held = true;
  Client& client = follow("well/a", std::nullopt, 100);
  EXPECT_EQ(well_.open, 1);
  client.socket.say(R"({"type":"unsubscribe","channel":1})");
  settle();
  EXPECT_EQ(well_.open, 0);
  EXPECT_EQ(client.frames("unsubscribed").size(), 1U);
}

TEST_F(Bytes, ASourceThatFailsOrCanNotBeOpenedSaysWhy) {
  begin_with_well(100);
  EXPECT_EQ(follow("well/none", std::nullopt).errors(), std::vector<std::string>{"not_found"});
  well_.broken = true;
  Client& client = follow("well/a", std::nullopt);
  EXPECT_EQ(client.errors(), std::vector<std::string>{"upstream_error"});
  client.socket.say(R"({"type":"credit","channel":1,"credit":5})");
  settle();
  EXPECT_EQ(client.errors().size(), 2U) << "the channel is free again";
}

TEST_F(Bytes, ARoleIsNeededWhereTheSourceSaysSo) {
  begin_with_well(100, contract::Role::admin);
  EXPECT_EQ(follow("well/a", std::nullopt).errors(), std::vector<std::string>{"forbidden"});
}

TEST_F(Bytes, ASocketThatEndsTakesItsSourcesAlong) {
  begin_with_well(100);
  well_.held = true;
  Client& client = follow("well/a", std::nullopt, 100);
  client.socket.go_away();
  settle();
  EXPECT_TRUE(client.ended);
  EXPECT_EQ(well_.open, 0);
}

}  // namespace
}  // namespace instantstart::faces::testing
