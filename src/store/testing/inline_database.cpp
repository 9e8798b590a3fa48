#include "store/testing/inline_database.h"

#include <stdexcept>
#include <utility>

#include <boost/asio/append.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "store/connection.h"
#include "store/migrations.h"

namespace instantstart::store {
namespace {

bool crashes(const std::function<Fate(std::uint64_t)>& hook, std::uint64_t n) {
  return hook && hook(n) == Fate::crash;
}

}  // namespace

MemoryStore::MemoryStore() {
  auto opened = Connection::open_in_memory();
  if (!opened) throw std::runtime_error(opened.error().message);
  connection_ = std::move(*opened);
}

MemoryStore::~MemoryStore() = default;

std::unique_ptr<MemoryStore> MemoryStore::copy() {
  auto made = std::make_unique<MemoryStore>();
  if (auto copied = connection_->copy_to(*made->connection_); !copied)
    throw std::runtime_error(copied.error().message);
  return made;
}

MemoryDatabase::MemoryDatabase(MemoryStore& store, MemoryHooks hooks)
    : store_(store), hooks_(std::move(hooks)) {}

MemoryDatabase::~MemoryDatabase() = default;

Task<> MemoryDatabase::migrate(std::span<const Migration> migrations) {
  return start(Mode::write,
               [migrations](Connection& connection) { return apply_migrations(connection, migrations); });
}

Task<> MemoryDatabase::run_untyped(Mode mode, std::function<Result<>(Transaction&)> work) {
  return start(mode, std::move(work));
}

Task<> MemoryDatabase::start(Mode mode, Work work) {
  auto begin = [this, mode](auto handler, const Work& now) {
    Result<> outcome;
    if (!crashed_) outcome = mode == Mode::write ? run_write(now) : run_read(now);
    if (crashed_) {
      abandoned_.emplace_back(std::move(handler));
    } else {
      asio::post(asio::append(std::move(handler), std::move(outcome)));
    }
  };
  return asio::async_initiate<const asio::use_awaitable_t<>, void(Result<>)>(
      std::move(begin), asio::use_awaitable, std::move(work));
}

Result<> MemoryDatabase::run_read(const Work& work) {
  auto& connection = store_.connection();
  if (auto begun = connection.begin_read(); !begun) return begun;
  auto outcome = connection.attempt(work, Connection::Access::read_only);
  connection.roll_back();
  return outcome;
}

Result<> MemoryDatabase::run_write(const Work& work) {
  auto& connection = store_.connection();
  if (auto begun = connection.begin_write(); !begun) return begun;
  auto outcome = connection.attempt(work, Connection::Access::read_write);
  if (!outcome) {
    connection.roll_back();
    return outcome;
  }
  const auto n = ++commits_;
  crashed_ = crashes(hooks_.before_commit, n);
  if (crashed_) {
    connection.roll_back();
    return {};
  }
  if (auto committed = connection.commit(); !committed) return committed;
  crashed_ = crashes(hooks_.after_commit, n);
  return {};
}

}  // namespace instantstart::store
