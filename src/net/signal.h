// A wake-up call between coroutines of one loop: "something changed, look again".
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "net/time.h"

namespace instantstart::net {

/// Loop thread only. May be destroyed while somebody waits: they go on waiting until their deadline or
/// cancellation.
class Signal {
 public:
  explicit Signal(Timekeeper& time) : time_(time) {}
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;

  /// Wakes everybody who waits now, in the order they came.
  void notify();

  /// Returns true when notified after this call, false when the deadline passed first. The call itself
  /// counts, not the first resumption: what is notified between `auto w = signal.wait(d)` and `co_await
  /// std::move(w)` is not lost.
  asio::awaitable<bool> wait(Deadline deadline);

  /// Counts notifications: read it before looking at the state, pass it to `wait_after`, and no wake-up is
  /// lost between.
  std::uint64_t generation() const { return generation_; }
  asio::awaitable<bool> wait_after(std::uint64_t seen, Deadline deadline);

 private:
  struct Waiter;
  void add(const std::shared_ptr<Waiter>& waiter);

  Timekeeper& time_;
  std::uint64_t generation_ = 0;
  std::size_t sweep_at_ = 16;
  std::vector<std::weak_ptr<Waiter>> waiters_;
};

}  // namespace instantstart::net
