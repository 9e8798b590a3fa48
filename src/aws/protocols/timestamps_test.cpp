#include "aws/protocols/timestamps.h"

#include <gtest/gtest.h>

namespace instantstart::aws {
namespace {

Timestamp at(std::int64_t micros) {
  return Timestamp{std::chrono::sys_time<std::chrono::microseconds>(std::chrono::microseconds(micros))};
}

constexpr std::int64_t k_moment = 1796067329000000;  // 2026-11-30T19:35:29Z

TEST(TimestampText, FollowsBotocoreInEveryFormat) {
  EXPECT_EQ(timestamp_text(at(k_moment), TimestampFormat::iso8601), "2026-11-30T19:35:29Z");
  EXPECT_EQ(timestamp_text(at(k_moment + 123000), TimestampFormat::iso8601), "2026-11-30T19:35:29.123000Z");
  EXPECT_EQ(timestamp_text(at(k_moment + 123000), TimestampFormat::rfc822), "Mon, 30 Nov 2026 19:35:29 GMT");
  EXPECT_EQ(timestamp_text(at(k_moment), TimestampFormat::epoch_seconds), "1796067329");
  EXPECT_EQ(timestamp_text(at(k_moment + 123000), TimestampFormat::epoch_seconds), "1796067329.123");
}

TEST(TimestampText, GoesDownBeforeTheEpoch) {
  EXPECT_EQ(timestamp_text(at(-1), TimestampFormat::iso8601), "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(timestamp_text(at(-1), TimestampFormat::rfc822), "Wed, 31 Dec 1969 23:59:59 GMT");
}

TEST(ParseTimestamp, TakesAnyFormat) {
  for (const auto text :
       {"2026-11-30T19:35:29Z", "2026-11-30T19:35:29", "2026-11-30 19:35:29.000Z",
        "2026-11-30T21:05:29+01:30", "2026-11-30T14:35:29-0500", "Mon, 30 Nov 2026 19:35:29 GMT",
        "Mon, 30-Nov-2026 19:35:29 GMT", "1796067329", "1796067329.0", "1.796067329e9"}) {
    ASSERT_TRUE(parse_timestamp(text)) << text;
    EXPECT_EQ(*parse_timestamp(text), at(k_moment)) << text;
  }
  EXPECT_EQ(parse_timestamp("2026-11-30"), at(k_moment - (19 * 3600 + 35 * 60 + 29) * 1000000LL));
  EXPECT_EQ(parse_timestamp("2026-11-30T19:35:29.1234567Z"), at(k_moment + 123456));
  EXPECT_EQ(parse_timestamp("1796067329.123"), at(k_moment + 123000));
}

TEST(ParseTimestamp, RefusesWhatIsNoTime) {
  for (const auto text :
       {"", "never", "2026-13-01", "2026-02-30T00:00:00Z", "2026-11-30T24:00:00Z", "2026-11-30T19:35:29.Z",
        "2026-11-30T19:35:29Zjunk", "Mon, 30 Nov 2026 19:35:29 PST", "nan", "Infinity", "1e300",
        "99999999999999", "2026-11-30T19:35:29+"}) {
    EXPECT_FALSE(parse_timestamp(text)) << text;
  }
}

TEST(TimestampFromEpoch, KeepsMicroseconds) {
  EXPECT_EQ(timestamp_from_epoch(1796067329.123457), at(k_moment + 123457));
  EXPECT_EQ(timestamp_from_epoch(-0.5), at(-500000));
  EXPECT_EQ(timestamp_from_epoch(0.9999999), at(1000000));
}

}  // namespace
}  // namespace instantstart::aws
