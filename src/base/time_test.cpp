#include "base/time.h"

#include <gtest/gtest.h>

#include "base/error_codes.h"

namespace instantstart {
namespace {

std::string again(std::string_view text) {
  const auto time = parse_rfc3339(text);
  return time ? to_rfc3339(*time) : time.error().code;
}

TEST(ParseRfc3339, ReadsOffsets) {
  EXPECT_EQ(again("2026-11-30T19:35:29Z"), "2026-11-30T19:35:29.000Z");
  EXPECT_EQ(again("2026-11-30t19:35:29z"), "2026-11-30T19:35:29.000Z");
  EXPECT_EQ(again("2026-11-30T19:35:29+02:30"), "2026-11-30T17:05:29.000Z");
  EXPECT_EQ(again("2026-11-30T19:35:29-23:59"), "2026-12-01T19:34:29.000Z");
  EXPECT_EQ(again("2026-01-01T00:30:00+01:00"), "2025-12-31T23:30:00.000Z");
  EXPECT_EQ(again("2026-11-30T19:35:29-00:00"), "2026-11-30T19:35:29.000Z");
}

TEST(ParseRfc3339, CutsFractionsToMilliseconds) {
  EXPECT_EQ(again("2026-11-30T19:35:29.5Z"), "2026-11-30T19:35:29.500Z");
  EXPECT_EQ(again("2026-11-30T19:35:29.012Z"), "2026-11-30T19:35:29.012Z");
  EXPECT_EQ(again("2026-11-30T19:35:29.999999999Z"), "2026-11-30T19:35:29.999Z");
  EXPECT_EQ(again("1969-12-31T23:59:59.250Z"), "1969-12-31T23:59:59.250Z");
}

TEST(ParseRfc3339, KnowsLeapDays) {
  EXPECT_EQ(again("2024-02-29T12:00:00Z"), "2024-02-29T12:00:00.000Z");
  EXPECT_EQ(again("2000-02-29T12:00:00Z"), "2000-02-29T12:00:00.000Z");
  EXPECT_EQ(again("2023-02-29T12:00:00Z"), codes::invalid_request);
  EXPECT_EQ(again("1900-02-29T12:00:00Z"), codes::invalid_request);
  EXPECT_EQ(again("2024-03-01T00:00:00+00:01"), "2024-02-29T23:59:00.000Z");
}

TEST(ParseRfc3339, CountsFrom1970) {
  EXPECT_EQ(parse_rfc3339("1970-01-01T00:00:00Z")->time_since_epoch().count(), 0);
  EXPECT_EQ(parse_rfc3339("2001-09-09T01:46:40Z")->time_since_epoch().count(), 1'000'000'000'000);
}

TEST(ParseRfc3339, RefusesEverythingElse) {
  for (const std::string_view text : {
           "",
           "2026",
           "2026-11-30",
           "2026-11-30T19:35Z",
           "2026-11-30T19:35:29",
           "2026-11-30 19:35:29Z",
           "2026-11-30T19:35:29.Z",
           "2026-11-30T19:35:29.1234567890Z",
           "2026-11-30T19:35:29,5Z",
           "2026-13-01T00:00:00Z",
           "2026-00-01T00:00:00Z",
           "2026-11-31T00:00:00Z",
           "2026-11-00T00:00:00Z",
           "2026-11-30T24:00:00Z",
           "2026-11-30T23:60:00Z",
           "2026-11-30T23:59:60Z",
           "2026-11-30T19:35:29+2:00",
           "2026-11-30T19:35:29+24:00",
           "2026-11-30T19:35:29+02:60",
           "2026-11-30T19:35:29+0200",
           "2026-11-30T19:35:29Zx",
           " 2026-11-30T19:35:29Z",
           "+2026-11-30T19:35:29Z",
           "-026-11-30T19:35:29Z",
           "26-11-30T19:35:29Z",
           "12026-11-30T19:35:29Z",
           "2026-1-30T19:35:29Z",
           "2026-11-30T19:35:2\xd9\xa9Z",
       }) {
    EXPECT_EQ(again(text), codes::invalid_request) << text;
  }
}

TEST(ParseRfc3339, ShowsForeignTextHarmlessly) {
  EXPECT_EQ(parse_rfc3339("\x1b[31mnow").error().message,
            "'now' is not an RFC 3339 time such as 2026-11-30T19:35:29Z.");
  EXPECT_LT(parse_rfc3339(std::string(100'000, 'x')).error().message.size(), 200u);
}

TEST(ToRfc3339, StaysWithinFourDigitsOfYear) {
  EXPECT_EQ(to_rfc3339(WallTime::max()), "9999-12-31T23:59:59.999Z");
  EXPECT_EQ(to_rfc3339(WallTime::min()), "0000-01-01T00:00:00.000Z");
  EXPECT_EQ(to_rfc3339(*parse_rfc3339("0001-01-01T00:00:00Z")), "0001-01-01T00:00:00.000Z");
}

TEST(SystemClock, SteadyTimeNeverGoesBack) {
  const SystemClock clock;
  SteadyTime last = clock.steady();
  for (int i = 0; i < 1000; ++i) {
    const SteadyTime now = clock.steady();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(SystemClock, WallTimeIsThatOfTheStandardLibrary) {
  const auto before = std::chrono::floor<milliseconds>(std::chrono::system_clock::now());
  const WallTime wall = SystemClock().wall();
  EXPECT_GE(wall, before);
  EXPECT_LE(wall, std::chrono::system_clock::now());
}

}  // namespace
}  // namespace instantstart
