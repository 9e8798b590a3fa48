// Time limits for many connections with one sleeper. Setting and clearing a limit, which happens several
// times a request, costs a clock reading; waking the sleeper happens only when a limit comes before all
// others it knew.
#pragma once

#include <functional>
#include <list>

#include "net/signal.h"
#include "net/time.h"

namespace instantstart::net {

/// Loop thread only. Outlives its limits.
class Watchdog {
 public:
  explicit Watchdog(Timekeeper& time) : time_(time), earlier_(time) {}

  /// One limit at a time: from `set` until `clear` or the next `set`.
  class Limit {
   public:
    /// `on_expiry` must not end the life of any limit; cancelling a socket is what it is for.
    Limit(Watchdog& watchdog, std::function<void()> on_expiry);
    ~Limit();
    Limit(const Limit&) = delete;
    Limit& operator=(const Limit&) = delete;

    void set(milliseconds duration);
    void clear() { at_ = SteadyTime::max(); }
    /// Whether the last limit that was set ran out.
    bool expired() const { return expired_; }

   private:
    friend class Watchdog;

    Watchdog& watchdog_;
    std::function<void()> on_expiry_;
    SteadyTime at_ = SteadyTime::max();
    bool expired_ = false;
    std::list<Limit*>::iterator entry_;
  };

  /// Fires limits until it is cancelled.
  asio::awaitable<void> run();

 private:
  Timekeeper& time_;
  Signal earlier_;
  SteadyTime alarm_ = SteadyTime::max();
  std::list<Limit*> limits_;
};

}  // namespace instantstart::net
