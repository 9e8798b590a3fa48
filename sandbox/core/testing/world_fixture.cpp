#include "sandbox/core/testing/world_fixture.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>

namespace instantstart::sandbox {

TestWorld::TestWorld(store::MemoryStore& store, net::VirtualTime& time, Random& random, WorldOptions options,
                     store::MemoryHooks hooks)
    : time_(time),
      database_(store, std::move(hooks)),
      world_(database_, time, random, {}, std::move(options)) {}

TestWorld::~TestWorld() {
  stop_timers_.emit(asio::cancellation_type::terminal);
  time_.context().restart();
  time_.context().poll();
}

Result<> TestWorld::load() {
  if (auto migrated = run(database_.migrate(World::migrations())); !migrated) return migrated;
  return run(world_.load());
}

void TestWorld::start_timers() {
  asio::co_spawn(time_.context(), world_.run_timers(),
                 asio::bind_cancellation_slot(stop_timers_.slot(), [](const std::exception_ptr&) {}));
}

Task<std::optional<Reply<aws::ShapeValue>>> TestWorld::ask_untyped(Service& service,
                                                                   const aws::OperationInfo& operation,
                                                                   Call call, const void* input) {
  auto reply = co_await service.answer(operation, std::move(call), input);
  auto committed = co_await world_.commit();
  if (!committed) co_return std::unexpected(std::move(committed.error()));
  co_return reply;
}

}  // namespace instantstart::sandbox
