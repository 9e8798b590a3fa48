#include "net/signal.h"

#include <utility>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

namespace instantstart::net {

/// Owned by the waiting coroutine and its alarm clock. The signal may be gone before either, so neither looks
/// back.
struct Signal::Waiter {
  explicit Waiter(const asio::any_io_executor& executor)
      : timer(executor, asio::steady_timer::time_point::max()) {}

  /// Ends the wait that is under way, and one that has not begun yet.
  void wake() { timer.expires_at(asio::steady_timer::time_point::min()); }

  asio::steady_timer timer;
  asio::cancellation_signal cancel_alarm;
  bool notified = false;
  bool expired = false;
};

void Signal::notify() {
  ++generation_;
  for (const auto& waiter : std::exchange(waiters_, {})) {
    if (auto alive = waiter.lock()) {
      alive->notified = true;
      alive->wake();
    }
  }
}

asio::awaitable<bool> Signal::wait(Deadline deadline) { return wait_after(generation_, deadline); }

asio::awaitable<bool> Signal::wait_after(std::uint64_t seen, Deadline deadline) {
  if (generation_ != seen) co_return true;
  if (deadline.passed(time_)) co_return false;

  auto executor = co_await asio::this_coro::executor;
  auto waiter = std::make_shared<Waiter>(executor);
  add(waiter);
  const bool timed = deadline.at != SteadyTime::max();
  if (timed) {
    auto ring = [waiter](const std::exception_ptr& error) {
      waiter->expired = error == nullptr;
      waiter->wake();
    };
    asio::co_spawn(executor, time_.sleep_until(deadline.at),
                   asio::bind_cancellation_slot(waiter->cancel_alarm.slot(), std::move(ring)));
  }
  // Below here `this` may be gone.
  boost::system::error_code error;
  co_await waiter->timer.async_wait(asio::redirect_error(asio::use_awaitable, error));
  if (timed && !waiter->expired) waiter->cancel_alarm.emit(asio::cancellation_type::terminal);
  if (waiter->notified) co_return true;
  if (waiter->expired) co_return false;
  throw boost::system::system_error(asio::error::operation_aborted);
}

void Signal::add(const std::shared_ptr<Waiter>& waiter) {
  // Waits that timed out or were cancelled leave an empty entry behind; this keeps those fewer than the
  // living.
  if (waiters_.size() >= sweep_at_) {
    std::erase_if(waiters_, [](const auto& entry) { return entry.expired(); });
    sweep_at_ = 2 * waiters_.size() + 16;
  }
  waiters_.push_back(waiter);
}

}  // namespace instantstart::net
