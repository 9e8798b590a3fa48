#include "aws/clock_skew.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace instantstart::aws {
namespace {

constexpr auto k_about_time =
    std::to_array<std::string_view>({"RequestTimeTooSkewed", "RequestInTheFuture", "RequestExpired"});
constexpr auto k_about_signature =
    std::to_array<std::string_view>({"InvalidSignatureException", "SignatureDoesNotMatch", "AuthFailure"});
constexpr auto k_months = std::to_array<std::string_view>(
    {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"});
/// Less is no reason for a refusal, so another one is to blame.
constexpr std::chrono::minutes k_least_skew{4};
/// A Date has whole seconds and the answer took time: below this the clocks agree.
constexpr std::chrono::seconds k_agreement{2};

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

}  // namespace

std::optional<WallTime> parse_http_date(std::string_view text) {
  // "Sun, 06 Nov 1994 08:49:37 GMT"
  if (text.size() != 29 || text.substr(3, 2) != ", " || text.substr(25) != " GMT" || text[7] != ' ' ||
      text[11] != ' ' || text[16] != ' ' || text[19] != ':' || text[22] != ':') {
    return std::nullopt;
  }
  const auto month = std::ranges::find(k_months, text.substr(8, 3));
  const auto day = number(text.substr(5, 2));
  const auto year = number(text.substr(12, 4));
  const auto hour = number(text.substr(17, 2));
  const auto minute = number(text.substr(20, 2));
  const auto second = number(text.substr(23, 2));
  if (month == k_months.end() || !day || !year || !hour || !minute || !second) return std::nullopt;
  const std::chrono::year_month_day date(
      std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(month - k_months.begin()) + 1),
      std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  return WallTime(std::chrono::sys_days(date) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
                  std::chrono::seconds(*second));
}

std::optional<milliseconds> clock_skew(std::string_view aws_code, std::string_view date_header,
                                       WallTime signed_at) {
  const bool about_time = std::ranges::find(k_about_time, aws_code) != k_about_time.end();
  const bool about_signature = std::ranges::find(k_about_signature, aws_code) != k_about_signature.end();
  if (!about_time && !about_signature) return std::nullopt;
  const auto date = parse_http_date(date_header);
  if (!date) return std::nullopt;
  const milliseconds skew = *date - signed_at;
  const milliseconds least = about_time ? milliseconds(k_agreement) : milliseconds(k_least_skew);
  return std::chrono::abs(skew) >= least ? std::optional(skew) : std::nullopt;
}

}  // namespace instantstart::aws
