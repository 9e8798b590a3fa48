#include "operations/testing/made_up_process.h"

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include "base/error_codes.h"

namespace instantstart::operations::testing {

void throw_dead() { throw boost::system::system_error(asio::error::operation_aborted); }

WallTime ProcessTime::wall() const { return process_.world_time().wall(); }

SteadyTime ProcessTime::steady() const {
  return SteadyTime(process_.world_time().steady() - process_.born());
}

asio::awaitable<void> ProcessTime::sleep_until(SteadyTime when) {
  const auto instant = when == SteadyTime::max() ? when : process_.born() + when.time_since_epoch();
  return process_.wait_until(instant);
}

Task<> ProcessDatabase::run_untyped(Mode mode, std::function<Result<>(store::Transaction&)> work) {
  co_await process_.gate();
  if (mode == Mode::read) {
    auto outcome = co_await inner_.read<void>(std::move(work));
    co_await process_.gate();
    co_return outcome;
  }
  const auto n = ++commits_;
  const WriteFate fate = hooks_.before(process_, n);
  co_await process_.gate();
  if (fate == WriteFate::fails) co_return fail(codes::state_unusable, "The disk is full.");
  auto outcome = co_await inner_.write<void>(std::move(work));
  hooks_.after(process_, n);
  co_await process_.gate();
  if (fate == WriteFate::fails_afterwards && outcome)
    co_return fail(codes::unavailable, "The connection broke.");
  co_return outcome;
}

void MadeUpProcess::die() {
  dead_ = true;
  changed_.notify();
}

void MadeUpProcess::pause_for(milliseconds duration) {
  paused_until_ = std::max(paused_until_, world_time_.steady() + duration);
}

asio::awaitable<void> MadeUpProcess::gate() { return wait_until(world_time_.steady()); }

asio::awaitable<void> MadeUpProcess::wait_until(SteadyTime world_instant) {
  while (true) {
    if (dead_) throw_dead();
    const auto until = std::max(world_instant, paused_until_);
    if (until <= world_time_.steady()) co_return;
    const auto seen = changed_.generation();
    co_await changed_.wait_after(seen, net::Deadline{until});
  }
}

}  // namespace instantstart::operations::testing
