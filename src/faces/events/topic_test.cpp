#include "faces/events/topic.h"

#include <gtest/gtest.h>

#include "net/testing/virtual_time.h"

namespace instantstart::faces {
namespace {

using Kind = Topic::Next::Kind;

SharedFrame frame(std::string text) { return std::make_shared<const std::string>(std::move(text)); }

TEST(Topic, AFollowerThatHasAllGetsNothing) {
  Topic topic("operations", std::nullopt, 10, 100);
  EXPECT_EQ(topic.next(10).kind, Kind::nothing);
  topic.add(11, 12, frame("a"));
  EXPECT_EQ(topic.next(12).kind, Kind::nothing);
}

TEST(Topic, AFrameIsSharedAndSentWholeToWhoHasNoneOfIt) {
  Topic topic("operation/x", "x", 10, 100);
  const auto sent = frame("a");
  topic.add(14, 16, sent);
  for (const std::int64_t cursor : {10, 12, 13}) {  // 11 to 13 are of other operations
    EXPECT_EQ(topic.next(cursor).kind, Kind::frame) << cursor;
    EXPECT_EQ(topic.next(cursor).frame, sent);
    EXPECT_EQ(topic.next(cursor).last, 16);
  }
}

TEST(Topic, AFollowerInTheMiddleOfAFrameReadsTheRestFromTheJournal) {
  Topic topic("operations", std::nullopt, 10, 100);
  topic.add(11, 15, frame("a"));
  EXPECT_EQ(topic.next(13).kind, Kind::read);
  EXPECT_EQ(topic.next(13).last, 15);
}

TEST(Topic, AFollowerBehindWhatIsKeptReadsUpToIt) {
  Topic topic("operations", std::nullopt, 10, 6);
  EXPECT_EQ(topic.next(3).kind, Kind::read);
  EXPECT_EQ(topic.next(3).last, 10);
  topic.add(11, 12, frame("aaa"));
  topic.add(13, 14, frame("bbb"));
  topic.add(15, 16, frame("ccc"));
  EXPECT_EQ(topic.next(10).kind, Kind::read);
  EXPECT_EQ(topic.next(10).last, 12);
  EXPECT_EQ(*topic.next(12).frame, "bbb");
}

TEST(Topic, OneFrameIsKeptHoweverLarge) {
  Topic topic("operations", std::nullopt, 0, 1);
  topic.add(1, 1, frame("large"));
  EXPECT_EQ(topic.next(0).kind, Kind::frame);
}

TEST(Topic, WakesItsFollowersAndNobodyWhoLeft) {
  net::VirtualTime time;
  net::Signal stays(time);
  net::Signal leaves(time);
  Topic topic("operation/x", "x", 0, 100);
  topic.follow(stays);
  topic.follow(leaves);
  topic.forget(leaves);
  topic.add(1, 1, frame("a"));
  topic.set_view(frame("v"));
  EXPECT_EQ(stays.generation(), 2U);
  EXPECT_EQ(leaves.generation(), 0U);
}

}  // namespace
}  // namespace instantstart::faces
