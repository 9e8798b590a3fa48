#include "kube/watch_decoder.h"

#include <string>

#include <gtest/gtest.h>

#include "base/error_codes.h"

namespace instantstart::kube {
namespace {

using Kind = WatchEvent::Kind;

constexpr std::string_view k_stream =
    R"({"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"1"},"spec":{"x":1,"y":[2]}}})"
    "\n"
    R"({"object":{"metadata":{"name":"a","resourceVersion":"2"},"spec":{"x":3}},"type":"MODIFIED"})"
    "\n"
    R"({"type":"DELETED","object":{"metadata":{"name":"a","resourceVersion":"3"}}})"
    "\n"
    R"({"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"4","annotations":{"k8s.io/initial-events-end":"true"}}}})"
    "\n"
    R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}})"
    "\n";

TEST(WatchDecoder, ReadsEventsOfEveryKind) {
  WatchDecoder decoder({"/spec/x"});
  const auto events = decoder.feed(k_stream);
  ASSERT_TRUE(events) << events.error().message;
  ASSERT_EQ(events->size(), 5U);
  EXPECT_EQ((*events)[0].kind, Kind::added);
  EXPECT_EQ(to_text((*events)[0].object),
            R"({"metadata":{"name":"a","resourceVersion":"1"},"spec":{"x":1}})");
  EXPECT_EQ((*events)[1].kind, Kind::modified);
  EXPECT_EQ((*events)[1].resource_version(), "2");
  EXPECT_EQ((*events)[2].kind, Kind::deleted);
  EXPECT_TRUE((*events)[3].ends_initial_events());
  ASSERT_TRUE((*events)[4].status);
  EXPECT_TRUE((*events)[4].status->expired());
  EXPECT_TRUE(decoder.between_events());
}

TEST(WatchDecoder, SplittingAnywhereLosesNothing) {
  for (std::size_t at = 0; at <= k_stream.size(); ++at) {
    WatchDecoder decoder({"/spec/x"});
    const auto first = decoder.feed(k_stream.substr(0, at));
    const auto second = decoder.feed(k_stream.substr(at));
    ASSERT_TRUE(first && second) << at;
    ASSERT_EQ(first->size() + second->size(), 5U) << at;
  }
}

TEST(WatchDecoder, KnowsWhenAStreamBrokeWithinAnEvent) {
  WatchDecoder decoder(FieldSelection{});
  ASSERT_TRUE(decoder.feed(k_stream.substr(0, 20)));
  EXPECT_FALSE(decoder.between_events());
}

TEST(WatchDecoder, RefusesWhatIsNoEvent) {
  for (const auto* text :
       {R"({"type":"NEWS","object":{"metadata":{"resourceVersion":"1"}}})", R"({"type":"ADDED"})",
        R"({"type":"ADDED","object":[]})", R"({"type":"ADDED","object":{"metadata":{}}})", "{}", "gone",
        R"({"kind":"Status"})"}) {
    WatchDecoder decoder(FieldSelection{});
    const auto events = decoder.feed(text);
    ASSERT_FALSE(events) << text;
    EXPECT_EQ(events.error().code, codes::upstream_error);
  }
}

TEST(WatchDecoder, AnOversizeEventIsRefused) {
  WatchDecoder decoder(FieldSelection{}, {.max_kept_bytes = 100});
  const auto events =
      decoder.feed(R"({"type":"ADDED","object":{"metadata":{"name":")" + std::string(200, 'a') + "\"}}}");
  ASSERT_FALSE(events);
  EXPECT_EQ(events.error().detail.at("reason"), "too_large");
}

}  // namespace
}  // namespace instantstart::kube
