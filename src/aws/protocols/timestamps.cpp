#include "aws/protocols/timestamps.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <span>

#include <fmt/format.h>

#include "aws/protocols/scalars.h"

namespace instantstart::aws {
namespace {

using std::chrono::microseconds;
using std::chrono::sys_days;

// Python's datetime, and so botocore, knows the years 1 to 9999.
constexpr double k_latest_epoch = 253402300799.999999;
constexpr double k_earliest_epoch = -62135596800.0;
constexpr std::array<std::string_view, 7> k_days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> k_months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

struct Parts {
  std::chrono::year_month_day date;
  std::int64_t seconds;  // of the day
  std::int64_t micros;   // of the second
};

Parts parts_of(Timestamp time) {
  const auto day = std::chrono::floor<std::chrono::days>(time.time);
  const std::int64_t micros = (time.time - day).count();
  return {day, micros / 1'000'000, micros % 1'000'000};
}

std::string iso8601(Timestamp time) {
  const Parts parts = parts_of(time);
  std::string text =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(parts.date.year()),
                  static_cast<unsigned>(parts.date.month()), static_cast<unsigned>(parts.date.day()),
                  parts.seconds / 3600, parts.seconds / 60 % 60, parts.seconds % 60);
  if (parts.micros != 0) text += fmt::format(".{:06}", parts.micros);
  return text + "Z";
}

std::string rfc822(Timestamp time) {
  const Parts parts = parts_of(time);
  const std::chrono::weekday weekday{sys_days(parts.date)};
  return fmt::format(
      "{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", k_days[weekday.c_encoding()],
      static_cast<unsigned>(parts.date.day()), k_months[static_cast<unsigned>(parts.date.month()) - 1],
      static_cast<int>(parts.date.year()), parts.seconds / 3600, parts.seconds / 60 % 60, parts.seconds % 60);
}

std::string epoch(Timestamp time) {
  const std::int64_t micros = time.time.time_since_epoch().count();
  if (micros % 1'000'000 == 0) return fmt::format("{}", micros / 1'000'000);
  return number_text(static_cast<double>(micros) / 1e6);
}

/// Reads from the front of a text; after a failure everything fails.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool ok() const { return ok_; }
  bool done() const { return ok_ && rest_.empty(); }
  char next() const { return rest_.empty() ? '\0' : rest_.front(); }

  int digits(std::size_t count) {
    int number = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const char c = take();
      if (c < '0' || c > '9') ok_ = false;
      number = number * 10 + (c - '0');
    }
    return ok_ ? number : 0;
  }
  bool skip(std::string_view any_of) {
    if (rest_.empty() || any_of.find(rest_.front()) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(std::string_view any_of) {
    if (!skip(any_of)) ok_ = false;
  }
  std::size_t word(std::span<const std::string_view> words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (rest_.starts_with(words[i])) {
        rest_.remove_prefix(words[i].size());
        return i;
      }
    }
    ok_ = false;
    return 0;
  }
  /// Up to nine digits of a second; what is below a microsecond is cut.
  std::int64_t fraction() {
    std::int64_t micros = 0;
    std::int64_t unit = 100'000;
    std::size_t count = 0;
    for (; next() >= '0' && next() <= '9'; ++count, unit /= 10) micros += (take() - '0') * unit;
    if (count == 0 || count > 9) ok_ = false;
    return micros;
  }

 private:
  char take() {
    if (rest_.empty()) {
      ok_ = false;
      return '0';
    }
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  std::string_view rest_;
  bool ok_ = true;
};

std::optional<Timestamp> moment(int year, int month, int day, std::int64_t seconds, std::int64_t micros) {
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return Timestamp{sys_days(date) + std::chrono::seconds(seconds) + microseconds(micros)};
}

/// "19:35:29" → seconds of the day; a leap second counts as the next second.
std::int64_t clock_time(Reader& reader, bool& in_range) {
  const int hour = reader.digits(2);
  reader.expect(":");
  const int minute = reader.digits(2);
  int second = 0;
  if (reader.skip(":")) second = reader.digits(2);
  in_range = in_range && hour < 24 && minute < 60 && second <= 60;
  return hour * 3600 + minute * 60 + second;
}

std::optional<Timestamp> parse_iso8601(std::string_view text) {
  Reader reader(text);
  bool in_range = true;
  const int year = reader.digits(4);
  reader.expect("-");
  const int month = reader.digits(2);
  reader.expect("-");
  const int day = reader.digits(2);
  std::int64_t seconds = 0;
  std::int64_t micros = 0;
  if (reader.skip("Tt ")) {
    seconds = clock_time(reader, in_range);
    if (reader.skip(".,")) micros = reader.fraction();
    if (reader.next() == '+' || reader.next() == '-') {
      const std::int64_t sign = reader.next() == '+' ? -1 : 1;
      reader.skip("+-");
      const int hours = reader.digits(2);
      reader.skip(":");
      const int minutes = reader.done() ? 0 : reader.digits(2);
      in_range = in_range && hours < 24 && minutes < 60;
      seconds += sign * (hours * 3600 + minutes * 60);
    } else {
      reader.skip("Zz");
    }
  }
  if (!reader.done() || !in_range) return std::nullopt;
  return moment(year, month, day, seconds, micros);
}

std::optional<Timestamp> parse_rfc822(std::string_view text) {
  Reader reader(text);
  bool in_range = true;
  reader.word(k_days);
  reader.expect(",");
  reader.expect(" ");
  const int day = reader.digits(2);
  reader.expect(" -");
  const int month = static_cast<int>(reader.word(k_months)) + 1;
  reader.expect(" -");
  const int year = reader.digits(4);
  reader.expect(" ");
  const std::int64_t seconds = clock_time(reader, in_range);
  static constexpr std::array<std::string_view, 3> zones{" GMT", " UTC", " +0000"};
  reader.word(zones);
  if (!reader.done() || !in_range) return std::nullopt;
  return moment(year, month, day, seconds, 0);
}

}  // namespace

std::string timestamp_text(Timestamp time, TimestampFormat format) {
  switch (format) {
    case TimestampFormat::rfc822: return rfc822(time);
    case TimestampFormat::epoch_seconds: return epoch(time);
    case TimestampFormat::iso8601:
    case TimestampFormat::by_protocol: break;
  }
  return iso8601(time);
}

std::optional<Timestamp> parse_timestamp(std::string_view text) {
  if (auto time = parse_iso8601(text)) return time;
  if (auto time = parse_rfc822(text)) return time;
  const auto seconds = parse_number(text);
  return seconds ? timestamp_from_epoch(*seconds) : std::nullopt;
}

std::optional<Timestamp> timestamp_from_epoch(double seconds) {
  if (!(seconds >= k_earliest_epoch && seconds <= k_latest_epoch)) return std::nullopt;
  // The whole part apart: a double near today's epoch has only some 0.2 microseconds of precision to lose.
  const double whole = std::floor(seconds);
  const auto micros = static_cast<std::int64_t>(std::nearbyint((seconds - whole) * 1e6));
  return Timestamp{std::chrono::sys_seconds(std::chrono::seconds(static_cast<std::int64_t>(whole))) +
                   microseconds(micros)};
}

}  // namespace instantstart::aws
