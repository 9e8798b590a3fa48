// Time is injected: nothing else in the product reads a clock.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/result.h"

namespace instantstart {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// UTC wall time, in milliseconds since 1970.
using WallTime = std::chrono::sys_time<milliseconds>;
/// A clock that never goes back and runs through suspend (CLOCK_BOOTTIME); only differences mean something.
struct SteadyClock {
  using duration = milliseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<SteadyClock>;
  static constexpr bool is_steady = true;
};
using SteadyTime = SteadyClock::time_point;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual WallTime wall() const = 0;
  virtual SteadyTime steady() const = 0;
};

class SystemClock final : public Clock {
 public:
  WallTime wall() const override;
  SteadyTime steady() const override;
};

/// RFC 3339 in UTC with milliseconds: "2026-11-30T19:35:29.000Z".
std::string to_rfc3339(WallTime time);
/// Any offset, "Z" or "z", 0 to 9 digits of fraction (cut to milliseconds). Error `invalid_request`.
Result<WallTime> parse_rfc3339(std::string_view text);

}  // namespace instantstart
