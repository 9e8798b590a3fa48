#include "faces/events/control_frames.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace instantstart::faces {
namespace {

std::string code_of(std::string_view text) {
  const auto frame = decode_client_frame(text);
  return frame ? "" : frame.error().code;
}

std::vector<std::string> wrong_places(std::string_view text) {
  std::vector<std::string> pointers;
  const auto frame = decode_client_frame(text);
  if (frame) return pointers;
  for (const auto& problem : frame.error().problems) pointers.push_back(problem.pointer);
  return pointers;
}

TEST(ClientFrame, EachKindIsRead) {
  const auto subscribe =
      decode_client_frame(R"({"type":"subscribe","channel":7,"topic":"operations","cursor":17,"credit":64})");
  ASSERT_TRUE(subscribe) << subscribe.error().message;
  const auto& wanted = std::get<Subscribe>(*subscribe);
  EXPECT_EQ(wanted.channel, 7);
  EXPECT_EQ(wanted.topic, "operations");
  EXPECT_EQ(wanted.cursor, 17);
  EXPECT_EQ(wanted.credit, 64);
  const auto credit = decode_client_frame(R"({"type":"credit","channel":7,"credit":5})");
  ASSERT_TRUE(credit);
  EXPECT_EQ(std::get<Credit>(*credit).credit, 5);
  const auto unsubscribe = decode_client_frame(R"({"channel":7,"type":"unsubscribe"})");
  ASSERT_TRUE(unsubscribe);
  EXPECT_EQ(std::get<Unsubscribe>(*unsubscribe).channel, 7);
}

TEST(ClientFrame, WithoutCreditNothingMayBeSentAndWithoutCursorOnlyWhatIsNew) {
  const auto frame = decode_client_frame(R"({"type":"subscribe","channel":1,"topic":"operations"})");
  ASSERT_TRUE(frame);
  EXPECT_EQ(std::get<Subscribe>(*frame).credit, 0);
  EXPECT_EQ(std::get<Subscribe>(*frame).cursor, std::nullopt);
}

TEST(ClientFrame, WhatIsWrongIsNamedAllAtOnce) {
  EXPECT_EQ(wrong_places(R"({"type":"subscribe","channel":0,"topic":"","cursor":-1,"credit":-1,"extra":1})"),
            (std::vector<std::string>{"/channel", "/topic", "/cursor", "/credit", "/extra"}));
  EXPECT_EQ(wrong_places(R"({"type":"subscripe","channel":1})"), std::vector<std::string>{"/type"});
  EXPECT_EQ(wrong_places(R"({"channel":1})"), std::vector<std::string>{"/type"});
  EXPECT_EQ(wrong_places(R"({"type":"credit","channel":65536,"credit":0})"),
            (std::vector<std::string>{"/channel", "/credit"}));
}

TEST(ClientFrame, ForeignTextIsRefused) {
  for (const char* text : {"", "x", "[]", "1", R"({"type":{}})", R"({"type":"credit","type":"credit"})"}) {
    EXPECT_NE(code_of(text), "") << text;
  }
  EXPECT_EQ(code_of(std::string(2'000, '[')), "invalid_json");
  EXPECT_EQ(code_of(std::string(k_client_frame_bytes + 1, ' ')), "body_too_large");
}

TEST(ClientFrame, TheChannelOfAWrongOneIsFound) {
  EXPECT_EQ(channel_of(R"({"type":"nonsense","channel":5})"), 5);
  EXPECT_EQ(channel_of(R"({"channel":"5"})"), std::nullopt);
  EXPECT_EQ(channel_of("{"), std::nullopt);
}

TEST(ServerFrame, BytesCarryTheirChannelMostSignificantByteFirst) {
  EXPECT_EQ(bytes_frame(0x0102, "ab"), std::string("\0\0\1\2ab", 6));
}

TEST(ServerFrame, EventsCarryTheCursorAfterThem) {
  const operations::Event event{.sequence = 9, .operation_id = "x", .kind = "step_done"};
  const auto frame = parse_json(events_frame("operations", {event})).value();
  EXPECT_EQ(frame.at("type").as_string(), "events");
  EXPECT_EQ(frame.at("topic").as_string(), "operations");
  EXPECT_EQ(frame.at("cursor"), json::value(9));
  EXPECT_EQ(frame.at("events").at(0).at("kind").as_string(), "step_done");
}

TEST(OperationTopic, IsAllOrOneOrAnotherKind) {
  EXPECT_EQ(operation_topic("operations").value()->operation_id, std::nullopt);
  EXPECT_EQ(operation_topic("operation/0193-x").value()->operation_id, "0193-x");
  EXPECT_FALSE(operation_topic("log/x").value().has_value());
  EXPECT_FALSE(operation_topic("operationsx").value().has_value());
  for (const char* topic : {"operation/", "operation/a/b", "operation/a b", "operation/\n"}) {
    EXPECT_FALSE(operation_topic(topic).has_value()) << topic;
  }
}

}  // namespace
}  // namespace instantstart::faces
