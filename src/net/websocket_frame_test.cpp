#include "net/websocket_frame.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "net/testing/websocket_frames.h"
#include "net/websocket_handshake.h"

namespace instantstart::net {
namespace {

using Kind = WebSocketEvent::Kind;
using Events = std::vector<WebSocketEvent>;

constexpr std::size_t k_limit = 1'000;

/// Everything that `bytes` says, fed in pieces of at most `step` new bytes.
Events decode(std::string_view bytes, std::size_t step) {
  WebSocketDecoder decoder(k_limit);
  Events events;
  std::size_t taken = 0;
  for (std::size_t end = 0; end < bytes.size();) {
    end = std::min(bytes.size(), end + step);
    while (true) {
      auto fed = decoder.feed(bytes.substr(taken, end - taken));
      taken += fed.taken;
      if (!fed.event) break;
      events.push_back(std::move(*fed.event));
    }
  }
  return events;
}

/// The same however the bytes are cut.
Events decode(std::string_view bytes) {
  auto whole = decode(bytes, bytes.size());
  for (const std::size_t step : {1U, 2U, 7U}) EXPECT_EQ(decode(bytes, step), whole);
  return whole;
}

void expect_violation(const std::string& bytes, WebSocketClose code) {
  const auto events = decode(bytes + client_frame({.payload = "more"}));
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events.back().kind, Kind::violation) << events.back().data;
  EXPECT_EQ(events.back().code, code) << events.back().data;
}

void expect_broken_rule(const std::string& bytes) { expect_violation(bytes, WebSocketClose::protocol_error); }

TEST(WebSocketFrame, TextAndBinaryOfEverySizeComeOutUnmasked) {
  for (const std::size_t size : {0U, 1U, 5U, 125U, 126U, 127U, 1'000U}) {
    const std::string text(size, 'x');
    EXPECT_EQ(
        decode(client_frame({.opcode = 1, .payload = text}) + client_frame({.opcode = 2, .payload = text})),
        (Events{{.text = true, .data = text}, {.text = false, .data = text}}));
  }
}

TEST(WebSocketFrame, FragmentsMakeOneMessageWithControlFramesBetween) {
  const auto bytes = client_frame({.opcode = 1, .payload = "a\xC3", .final = false}) +
                     client_frame({.opcode = 9, .payload = "?"}) +
                     client_frame({.opcode = 0, .payload = "", .final = false}) +
                     client_frame({.opcode = 0, .payload = "\xA4z"}) + client_frame({.opcode = 10});
  EXPECT_EQ(decode(bytes), (Events{{.kind = Kind::ping, .data = "?"},
                                   {.text = true, .data = "a\xC3\xA4z"},
                                   {.kind = Kind::pong}}));
}

TEST(WebSocketFrame, AClientMustMask) { expect_broken_rule(client_frame({.payload = "a", .masked = false})); }

TEST(WebSocketFrame, ReservedBitsAndOpcodesAreRefused) {
  for (const int bit : {0x40, 0x20, 0x10}) {
    expect_broken_rule(client_frame({.payload = "a", .reserved = static_cast<std::uint8_t>(bit)}));
  }
  for (const int opcode : {3, 4, 5, 6, 7, 11, 12, 13, 14, 15}) {
    expect_broken_rule(client_frame({.opcode = static_cast<std::uint8_t>(opcode)}));
  }
}

TEST(WebSocketFrame, MessagesDoNotOverlap) {
  expect_broken_rule(client_frame({.opcode = 0, .payload = "a"}));
  expect_broken_rule(client_frame({.payload = "a", .final = false}) + client_frame({.payload = "b"}));
  expect_broken_rule(client_frame({.payload = "a"}) + client_frame({.opcode = 0, .payload = "b"}));
}

TEST(WebSocketFrame, ControlFramesAreShortAndWhole) {
  EXPECT_EQ(decode(client_frame({.opcode = 9, .payload = std::string(125, 'x')})).front().kind, Kind::ping);
  expect_broken_rule(client_frame({.opcode = 9, .payload = std::string(126, 'x')}));
  expect_broken_rule(client_frame({.opcode = 8, .payload = close_payload(1000), .final = false}));
}

TEST(WebSocketFrame, SizesAreInTheirShortestForm) {
  expect_broken_rule(std::string("\x81\xFE\x00\x05", 4) + "mask12345");
  expect_broken_rule(std::string("\x81\xFF\x00\x00\x00\x00\x00\x00\xFF\xFF", 10) + "mask");
  expect_broken_rule(std::string("\x81\xFF\x80\x00\x00\x00\x00\x00\x00\x00", 10) + "mask");
}

TEST(WebSocketFrame, AMessagePastTheLimitIsRefusedByItsHeadAlone) {
  const auto large = client_frame({.payload = std::string(k_limit + 1, 'x')});
  expect_violation(large.substr(0, 8), WebSocketClose::too_large);
  expect_violation(client_frame({.payload = std::string(k_limit, 'x'), .final = false}) +
                       client_frame({.opcode = 0, .payload = "x"}),
                   WebSocketClose::too_large);
  EXPECT_EQ(decode(client_frame({.payload = std::string(k_limit, 'x')})).size(), 1U);
}

TEST(WebSocketFrame, TextIsUtf8AndBinaryIsAnything) {
  for (const char* bad : {"\xFF", "\xC3", "\xED\xA0\x80", "\xC0\x80", "\xF4\x90\x80\x80"}) {
    expect_violation(client_frame({.payload = bad}), WebSocketClose::invalid_text);
    EXPECT_EQ(decode(client_frame({.opcode = 2, .payload = bad})).front().data, bad);
  }
}

TEST(WebSocketFrame, CloseFramesSayWhyInKnownWords) {
  EXPECT_EQ(decode(client_frame({.opcode = 8})), (Events{{.kind = Kind::close}}));
  for (const int code : {1000, 1001, 1003, 1007, 1011, 3000, 4999}) {
    const auto number = static_cast<std::uint16_t>(code);
    EXPECT_EQ(decode(client_frame({.opcode = 8, .payload = close_payload(number, "why")})),
              (Events{{.kind = Kind::close, .data = "why", .code = static_cast<WebSocketClose>(code)}}));
  }
  for (const int code : {0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65'535}) {
    expect_broken_rule(
        client_frame({.opcode = 8, .payload = close_payload(static_cast<std::uint16_t>(code))}));
  }
  expect_broken_rule(client_frame({.opcode = 8, .payload = "x"}));
  expect_violation(client_frame({.opcode = 8, .payload = close_payload(1000, "\xFF")}),
                   WebSocketClose::invalid_text);
}

TEST(WebSocketFrame, OurHeadsAreReadAsMeant) {
  for (const std::size_t size : {0U, 125U, 126U, 65'535U, 65'536U}) {
    const std::string payload(size, 'x');
    const auto frame = read_server_frame(websocket_frame_head(WebSocketOpcode::binary, size) + payload);
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->opcode, 2);
    EXPECT_TRUE(frame->final);
    EXPECT_FALSE(frame->masked);
    EXPECT_EQ(frame->payload, payload);
  }
}

TEST(WebSocketFrame, OurReasonsFitAControlFrame) {
  EXPECT_EQ(websocket_close_payload(WebSocketClose::normal, "bye"), close_payload(1000, "bye"));
  EXPECT_EQ(websocket_close_payload(WebSocketClose::no_status, "bye"), "");
  EXPECT_LE(websocket_close_payload(WebSocketClose::normal, std::string(500, 'x')).size(), 125U);
}

Request offer_request() {
  return {.method = "GET",
          .target = "/ws",
          .headers = {{"upgrade", "WebSocket"},
                      {"Connection", "keep-alive, Upgrade"},
                      {"Sec-WebSocket-Version", "13"},
                      {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="},
                      {"Sec-WebSocket-Protocol", "a.v1, b"},
                      {"Sec-WebSocket-Protocol", "c"}}};
}

TEST(WebSocketHandshake, TheExampleOfTheRfc) {
  EXPECT_EQ(websocket_accept("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  const auto offer = read_websocket_offer(offer_request());
  ASSERT_TRUE(offer);
  EXPECT_EQ(offer->subprotocols, (std::vector<std::string>{"a.v1", "b", "c"}));
  EXPECT_EQ(websocket_switch_head(*offer, "b"),
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nSec-WebSocket-Protocol: b\r\n\r\n");
  EXPECT_FALSE(websocket_switch_head(*offer, "").contains("Protocol:"));
}

TEST(WebSocketHandshake, WhatIsNotARequestForOneIsRefused) {
  const auto status = [](auto change) {
    Request request = offer_request();
    change(request);
    const auto offer = read_websocket_offer(request);
    return offer ? 101 : offer.error().status;
  };
  EXPECT_EQ(status([](Request& r) { r.headers.remove("Upgrade"); }), 426);
  EXPECT_EQ(status([](Request& r) { r.headers.set("Upgrade", "h2c"); }), 426);
  EXPECT_EQ(status([](Request& r) { r.headers.set("Sec-WebSocket-Version", "8"); }), 426);
  EXPECT_EQ(status([](Request& r) { r.headers.set("Connection", "keep-alive"); }), 400);
  EXPECT_EQ(status([](Request& r) { r.method = "POST"; }), 400);
  EXPECT_EQ(status([](Request& r) { r.body = "x"; }), 400);
  EXPECT_EQ(status([](Request& r) { r.headers.set("Sec-WebSocket-Key", "c2hvcnQ="); }), 400);
  EXPECT_EQ(status([](Request& r) { r.headers.add("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="); }), 400);
  EXPECT_EQ(status([](Request& r) { r.headers.set("Sec-WebSocket-Protocol", "a b"); }), 400);
}

}  // namespace
}  // namespace instantstart::net
