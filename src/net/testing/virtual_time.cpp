#include "net/testing/virtual_time.h"

#include <memory>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

namespace instantstart::net {

namespace {

/// A timer that never ends by itself: whoever fires it cancels it. Owned by the sleeping coroutine alone, so
/// a frame that is thrown away leaves only an entry that does nothing.
struct Sleeper {
  explicit Sleeper(const asio::any_io_executor& executor)
      : timer(executor, asio::steady_timer::time_point::max()) {}

  asio::steady_timer timer;
  bool fired = false;
};

}  // namespace

VirtualTime::VirtualTime(WallTime start) : wall_start_(start) {}

VirtualTime::~VirtualTime() = default;

WallTime VirtualTime::wall() const { return wall_start_ + now_.time_since_epoch() + wall_shift_; }

SteadyTime VirtualTime::steady() const { return now_; }

asio::awaitable<void> VirtualTime::sleep_until(SteadyTime when) {
  if (when <= now_) co_return;
  auto executor = co_await asio::this_coro::executor;
  auto sleeper = std::make_shared<Sleeper>(executor);
  const auto key = std::pair(when, order_++);
  if (when != SteadyTime::max()) {
    timers_.emplace(key, [weak = std::weak_ptr(sleeper)] {
      if (auto alive = weak.lock()) {
        alive->fired = true;
        alive->timer.cancel();
      }
    });
  }
  boost::system::error_code error;
  co_await sleeper->timer.async_wait(asio::redirect_error(asio::use_awaitable, error));
  if (sleeper->fired) co_return;
  timers_.erase(key);
  throw boost::system::system_error(error);
}

bool VirtualTime::step(SteadyTime until) {
  if (timers_.empty()) return false;
  auto next = timers_.begin();
  if (next->first.first > until) return false;
  now_ = std::max(now_, next->first.first);
  const auto fire = std::move(next->second);
  timers_.erase(next);
  fire();
  return true;
}

void VirtualTime::run(SteadyTime until) {
  do {
    context_.restart();
    context_.poll();
  } while (step(until));
  if (until != SteadyTime::max()) now_ = std::max(now_, until);
}

void VirtualTime::run_for(milliseconds duration) { run(later(now_, duration)); }

bool VirtualTime::run_until(const std::function<bool()>& done) {
  while (!done()) {
    context_.restart();
    if (context_.poll_one() == 0 && !step(SteadyTime::max())) return false;
  }
  return true;
}

void VirtualTime::shift_wall(milliseconds by) { wall_shift_ += by; }

}  // namespace instantstart::net
