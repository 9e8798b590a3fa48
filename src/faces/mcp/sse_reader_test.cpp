#include "faces/mcp/sse_reader.h"

#include <gtest/gtest.h>

namespace instantstart::faces {
namespace {

using Events = std::vector<std::string>;

TEST(SseReader, GivesTheDataOfEachEventInPiecesOfAnySize) {
  const std::string_view stream = "event: message\r\ndata: {\"a\":1}\r\n\r\n: ping\n\ndata:b\rdata: c\r\r";
  for (std::size_t step = 1; step <= stream.size(); ++step) {
    SseReader reader(100);
    Events all;
    for (std::size_t at = 0; at < stream.size(); at += step) {
      auto events = reader.feed(stream.substr(at, step));
      ASSERT_TRUE(events.has_value());
      all.insert(all.end(), events->begin(), events->end());
    }
    EXPECT_EQ(all, (Events{R"({"a":1})", "b\nc"})) << step;
  }
}

TEST(SseReader, AnEventThatIsNotEndedIsNotGiven) {
  SseReader reader(100);
  EXPECT_EQ(*reader.feed("data: a\n"), Events{});
  EXPECT_EQ(*reader.feed("\n"), Events{"a"});
}

TEST(SseReader, AnEventIsBounded) {
  SseReader reader(20);
  EXPECT_TRUE(reader.feed("data: 0123456789\n").has_value());
  const auto refused = reader.feed("data: 0123456789\n");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, "body_too_large");
}

}  // namespace
}  // namespace instantstart::faces
