#include "net/watchdog.h"

#include <utility>

namespace instantstart::net {

Watchdog::Limit::Limit(Watchdog& watchdog, std::function<void()> on_expiry)
    : watchdog_(watchdog), on_expiry_(std::move(on_expiry)) {
  entry_ = watchdog_.limits_.insert(watchdog_.limits_.end(), this);
}

Watchdog::Limit::~Limit() { watchdog_.limits_.erase(entry_); }

void Watchdog::Limit::set(milliseconds duration) {
  expired_ = false;
  at_ = later(watchdog_.time_.steady(), duration);
  if (at_ >= watchdog_.alarm_) return;
  watchdog_.alarm_ = at_;
  watchdog_.earlier_.notify();
}

asio::awaitable<void> Watchdog::run() {
  while (true) {
    const std::uint64_t generation = earlier_.generation();
    const SteadyTime now = time_.steady();
    alarm_ = SteadyTime::max();
    for (Limit* limit : limits_) {
      if (limit->at_ <= now) {
        limit->clear();
        limit->expired_ = true;
        limit->on_expiry_();
      } else {
        alarm_ = std::min(alarm_, limit->at_);
      }
    }
    co_await earlier_.wait_after(generation, Deadline{alarm_});
  }
}

}  // namespace instantstart::net
