// Virtual time for tests and simulations: sleeping costs nothing, order is exact, a seed repeats.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include <boost/asio/io_context.hpp>

#include "net/time.h"

namespace instantstart::net {

/// Owns the loop that its coroutines run on. Single thread. Timers due at one instant fire in the order they
/// were set, each with all that follows from it before the next. Whoever waits for ever (SteadyTime::max())
/// is never due.
class VirtualTime final : public Timekeeper {
 public:
  explicit VirtualTime(WallTime start = WallTime(std::chrono::sys_days(std::chrono::year(2026) / 1 / 1)));
  ~VirtualTime() override;

  WallTime wall() const override;
  SteadyTime steady() const override;
  asio::awaitable<void> sleep_until(SteadyTime when) override;

  asio::io_context& context() { return context_; }

  /// Runs all that is ready, then jumps to the next timer, until nothing is left to do or `until` is reached.
  /// With real sockets, bytes still under way in the kernel do not hold time back: wait for them with
  /// context().run_one() first.
  void run(SteadyTime until = SteadyTime::max());
  void run_for(milliseconds duration);
  /// Runs until `done` returns true (asked after each ready handler); false when it ran dry first.
  bool run_until(const std::function<bool()>& done);

  /// Moves the wall clock alone, as an operator or NTP would.
  void shift_wall(milliseconds by);

 private:
  bool step(SteadyTime until);

  WallTime wall_start_;
  SteadyTime now_{};
  milliseconds wall_shift_{};
  std::uint64_t order_ = 0;
  std::map<std::pair<SteadyTime, std::uint64_t>, std::function<void()>> timers_;
  // Last, so that it goes first: coroutines still suspended in it may look at the rest.
  asio::io_context context_{1};
};

}  // namespace instantstart::net
