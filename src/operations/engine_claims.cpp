// Who holds what: claims at the start and when another owner dies, and the lease that keeps others away.
#include "operations/engine_impl.h"

namespace instantstart::operations {

/// Absent before `begin`: what is accepted then waits for the claim.
std::optional<std::string> Engine::Impl::owner() const {
  if (parts.lease.owner().empty()) return std::nullopt;
  return parts.lease.owner();
}

Task<> Engine::Impl::begin() {
  auto owned = co_await parts.lease.acquire(make_uuid7(parts.time, parts.random));
  if (!owned) co_return owned;
  auto claimed = co_await claim();
  if (!claimed) co_return claimed;
  parts.group.spawn("operation timer", scheduler.run_timer());
  parts.group.spawn("operation watchdog", parts.watchdog.run());
  if (!parts.options.sole_owner) parts.group.spawn("operation lease", beat());
  co_return Result<>{};
}

/// The one way in which an operation that was begun elsewhere, or before a crash, goes on.
Task<> Engine::Impl::claim() {
  const std::string me = parts.lease.owner();
  const WallTime now = parts.time.wall();
  const SteadyTime steady = parts.time.steady();
  auto claimed = co_await parts.database.write<std::vector<journal::ClaimedOperation>>(
      [&](store::Transaction& transaction) { return journal::claim_free(transaction, me, now); });
  if (!claimed) {
    store_failed();
    co_return fail(std::move(claimed.error()));
  }
  if (!claimed->empty()) parts.log.info("operations claimed", {{"count", claimed->size()}});
  for (auto& operation : *claimed) {
    SteadyTime wake = steady;
    if (operation.state == OperationState::waiting)
      wake = net::later(steady, operation.wait.value_or(milliseconds::zero()));
    if (operation.state == OperationState::needs_input && !operation.wait) wake = SteadyTime::max();
    scheduler.adopt(std::move(operation.hold), wake);
  }
  co_return Result<>{};
}

asio::awaitable<void> Engine::Impl::beat() {
  while (true) {
    co_await parts.time.sleep(parts.lease.length() / 3);
    auto renewed = co_await parts.lease.renew();
    if (!renewed) {
      parts.log.error("the lease can't be renewed", {{"reason", renewed.error().message}});
      continue;
    }
    if (!*renewed) {
      co_await begin_again();
      continue;
    }
    auto buried = co_await parts.lease.bury_the_dead();
    if (!buried) {
      parts.log.error("other owners can't be looked at", {{"reason", buried.error().message}});
      continue;
    }
    for (const auto& dead : *buried) parts.log.warning("another owner has died", {{"owner", dead}});
    auto claimed = co_await claim();
    if (!claimed) parts.log.error("operations can't be claimed", {{"reason", claimed.error().message}});
  }
}

/// Declared dead while it was not: everything that was held belongs to others now. Whatever still runs is
/// refused by its epoch, so it is only waited for.
asio::awaitable<void> Engine::Impl::begin_again() {
  parts.log.warning("the lease was lost", {{"owner", parts.lease.owner()}});
  parts.stopping = true;
  co_await scheduler.drain();
  scheduler.forget_all();
  auto owned = co_await parts.lease.acquire(make_uuid7(parts.time, parts.random));
  parts.stopping = false;
  if (!owned) {
    parts.log.error("the lease can't be taken anew", {{"reason", owned.error().message}});
    co_return;
  }
  auto claimed = co_await claim();
  if (!claimed) parts.log.error("operations can't be claimed", {{"reason", claimed.error().message}});
  scheduler.wake_all();  // What was handed to us while nothing could run.
}

void Engine::Impl::store_failed() {
  ++store_failures;
  if (looks_at_everything) return;
  looks_at_everything = true;
  parts.group.spawn("operation check", look_at_everything());
}

/// What was written although the answer was an error may have given us operations, or changed those that we
/// hold.
asio::awaitable<void> Engine::Impl::look_at_everything() {
  constexpr milliseconds k_delay{1'000};
  std::uint64_t looked_after = 0;
  while (!parts.stopping && looked_after != store_failures) {
    const std::uint64_t failures = store_failures;
    co_await parts.time.sleep(k_delay);
    const std::string me = parts.lease.owner();
    auto found = co_await parts.database.read<std::vector<Hold>>(
        [&](store::Transaction& transaction) { return journal::holds(transaction, me); });
    if (!found) continue;
    for (auto& hold : *found) scheduler.adopt(std::move(hold), parts.time.steady());
    scheduler.wake_all();
    looked_after = failures;
  }
  looks_at_everything = false;
}

asio::awaitable<void> Engine::Impl::end() {
  parts.stopping = true;
  // An observe is given up; an act is waited for.
  for (auto* look : parts.looks) look->emit(asio::cancellation_type::terminal);
  co_await scheduler.drain();
  co_await parts.group.stop();
  scheduler.forget_all();
  auto released = co_await parts.lease.release();
  if (!released) parts.log.warning("operations can't be released", {{"reason", released.error().message}});
}

}  // namespace instantstart::operations
