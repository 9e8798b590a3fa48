#include "aws/clock_skew.h"

#include <gtest/gtest.h>

namespace instantstart::aws {
namespace {

constexpr WallTime k_time = std::chrono::sys_days(std::chrono::year(1994) / 11 / 6) + std::chrono::hours(8) +
                            std::chrono::minutes(49) + std::chrono::seconds(37);
constexpr auto k_date = "Sun, 06 Nov 1994 08:49:37 GMT";

TEST(ParseHttpDate, ReadsTheFixedForm) {
  EXPECT_EQ(parse_http_date(k_date), k_time);
  for (const auto text : {"", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 UTC",
                          "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
                          "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:4x:37 GMT"}) {
    EXPECT_EQ(parse_http_date(text), std::nullopt) << text;
  }
}

TEST(ClockSkew, IsTheDifferenceWhenTheRefusalIsAboutTime) {
  EXPECT_EQ(clock_skew("RequestTimeTooSkewed", k_date, k_time - std::chrono::minutes(20)),
            std::chrono::minutes(20));
  EXPECT_EQ(clock_skew("RequestInTheFuture", k_date, k_time + std::chrono::minutes(6)),
            std::chrono::minutes(-6));
}

TEST(ClockSkew, AWrongSignatureIsNotBlamedOnASmallDifference) {
  EXPECT_EQ(clock_skew("SignatureDoesNotMatch", k_date, k_time - std::chrono::minutes(3)), std::nullopt);
  EXPECT_EQ(clock_skew("InvalidSignatureException", k_date, k_time - std::chrono::minutes(5)),
            std::chrono::minutes(5));
  EXPECT_EQ(clock_skew("RequestExpired", k_date, k_time - std::chrono::seconds(1)), std::nullopt);
}

TEST(ClockSkew, OtherRefusalsAndMissingDatesSayNothing) {
  EXPECT_EQ(clock_skew("AccessDenied", k_date, k_time - std::chrono::hours(1)), std::nullopt);
  EXPECT_EQ(clock_skew("RequestTimeTooSkewed", "", k_time), std::nullopt);
}

}  // namespace
}  // namespace instantstart::aws
