#include "base/time.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/text.h"

namespace instantstart {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;

milliseconds read_clock(clockid_t id) {
  timespec time{};
  if (clock_gettime(id, &time) != 0) {  // fails for an unknown id alone
    std::perror("clock_gettime");
    std::abort();
  }
  return seconds(time.tv_sec) + milliseconds(time.tv_nsec / 1'000'000);
}

/// Takes a text apart from the left; after the first mismatch everything fails.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  bool ok() const { return ok_; }
  bool done() const { return ok_ && rest_.empty(); }
  bool next_is(std::string_view any_of) const {
    return ok_ && !rest_.empty() && any_of.find(rest_.front()) != std::string_view::npos;
  }

  char take(std::string_view any_of) {
    ok_ = next_is(any_of);
    if (!ok_) return '\0';
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  int digits(int count, int max) {
    int number = 0;
    for (int i = 0; i < count; ++i) {
      const char c = take("0123456789");
      if (ok_) number = number * 10 + (c - '0');
    }
    ok_ = ok_ && number <= max;
    return number;
  }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

milliseconds fraction(Cursor& cursor) {
  constexpr int k_max_digits = 9;
  int thousandths = 0;
  int count = 0;
  do {
    const int digit = cursor.digits(1, 9);
    if (count < 3) thousandths = thousandths * 10 + digit;
    ++count;
  } while (count < k_max_digits && cursor.next_is("0123456789"));
  for (; count < 3; ++count) thousandths *= 10;
  return milliseconds(thousandths);
}

minutes offset(Cursor& cursor) {
  const char sign = cursor.take("Zz+-");
  if (sign != '+' && sign != '-') return minutes(0);
  const hours whole(cursor.digits(2, 23));
  cursor.take(":");
  const minutes part = whole + minutes(cursor.digits(2, 59));
  return sign == '-' ? -part : part;
}

std::optional<WallTime> parsed(std::string_view text) {
  Cursor cursor(text);
  const std::chrono::year year(cursor.digits(4, 9999));
  cursor.take("-");
  const std::chrono::month month(static_cast<unsigned>(cursor.digits(2, 12)));
  cursor.take("-");
  const std::chrono::day day(static_cast<unsigned>(cursor.digits(2, 31)));
  cursor.take("Tt");
  const hours hour(cursor.digits(2, 23));
  cursor.take(":");
  const minutes minute(cursor.digits(2, 59));
  cursor.take(":");
  const seconds second(cursor.digits(2, 59));
  milliseconds part(0);
  if (cursor.next_is(".")) {
    cursor.take(".");
    part = fraction(cursor);
  }
  const minutes east = offset(cursor);
  const std::chrono::year_month_day date(year, month, day);
  if (!cursor.done() || !date.ok()) return std::nullopt;
  return std::chrono::sys_days(date) + hour + minute + second + part - east;
}

}  // namespace

WallTime SystemClock::wall() const { return WallTime(read_clock(CLOCK_REALTIME)); }

SteadyTime SystemClock::steady() const { return SteadyTime(read_clock(CLOCK_BOOTTIME)); }

std::string to_rfc3339(WallTime time) {
  using namespace std::chrono_literals;
  // RFC 3339 has four digits for the year.
  constexpr WallTime k_first = std::chrono::sys_days(0y / 1 / 1);
  constexpr WallTime k_last = std::chrono::sys_days(9999y / 12 / 31) + days(1) - milliseconds(1);
  time = std::clamp(time, k_first, k_last);
  const auto day = std::chrono::floor<days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

Result<WallTime> parse_rfc3339(std::string_view text) {
  if (const auto time = parsed(text)) return *time;
  return fail(codes::invalid_request,
              fmt::format("'{}' is not an RFC 3339 time such as 2026-11-30T19:35:29Z.",
                          without_controls(shortened(text, 64))));
}

}  // namespace instantstart
