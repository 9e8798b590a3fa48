// Time that coroutines can wait for. Everything that waits takes one of these, so a whole server runs in
// virtual time.
#pragma once

#include <algorithm>

#include <boost/asio/awaitable.hpp>

#include "base/time.h"

namespace instantstart::net {

namespace asio = boost::asio;

/// `from` + `duration` without overflow: for ever stays for ever.
inline SteadyTime later(SteadyTime from, milliseconds duration) {
  return duration > SteadyTime::max() - from ? SteadyTime::max() : from + duration;
}

/// The instant after which nobody waits for the answer any more. Passed down by value.
struct Deadline {
  SteadyTime at = SteadyTime::max();

  static Deadline never() { return {}; }
  static Deadline in(const Clock& clock, milliseconds duration) { return {later(clock.steady(), duration)}; }

  bool passed(const Clock& clock) const { return clock.steady() >= at; }
  milliseconds left(const Clock& clock) const {
    return at == SteadyTime::max() ? milliseconds::max()
                                   : std::max(milliseconds::zero(), at - clock.steady());
  }
  Deadline sooner(Deadline other) const { return {std::min(at, other.at)}; }
};

/// A clock whose instants can be awaited. Coroutines of one loop only; the clock part is thread-safe.
class Timekeeper : public Clock {
 public:
  /// Returns at `when`, or at once if it has passed. On cancellation it throws operation_aborted, as all of
  /// Asio does.
  virtual asio::awaitable<void> sleep_until(SteadyTime when) = 0;

  asio::awaitable<void> sleep(milliseconds duration) { return sleep_until(later(steady(), duration)); }
};

/// The system's clocks and timers.
class SystemTimekeeper final : public Timekeeper {
 public:
  WallTime wall() const override { return clock_.wall(); }
  SteadyTime steady() const override { return clock_.steady(); }
  asio::awaitable<void> sleep_until(SteadyTime when) override;

 private:
  SystemClock clock_;
};

}  // namespace instantstart::net
