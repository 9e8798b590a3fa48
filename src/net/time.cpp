#include "net/time.h"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace instantstart::net {

namespace {

/// Asio's timers stand still while the machine is suspended and SteadyTime does not, so long sleeps look at
/// the clock this often: after a resume nobody is later than this.
constexpr milliseconds k_longest_nap{30'000};

}  // namespace

asio::awaitable<void> SystemTimekeeper::sleep_until(SteadyTime when) {
  auto executor = co_await asio::this_coro::executor;
  asio::steady_timer timer(executor);
  for (milliseconds left = when - steady(); left > milliseconds::zero(); left = when - steady()) {
    timer.expires_after(std::min(left, k_longest_nap));
    co_await timer.async_wait(asio::use_awaitable);
  }
}

}  // namespace instantstart::net
