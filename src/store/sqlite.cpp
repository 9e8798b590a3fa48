#include "store/sqlite.h"

#include <span>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <boost/asio/async_result.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/error_codes.h"
#include "store/connection.h"
#include "store/job_queue.h"
#include "store/migrations.h"

namespace instantstart::store {
namespace {

using Connections = std::vector<std::unique_ptr<Connection>>;

/// Runs jobs in one transaction until all have run or SQLite gives it up, commits, and sets their outcomes.
/// Returns how many jobs are settled, at least one.
std::size_t commit_together(Connection& connection, std::span<Job> jobs, const Log& log) {
  auto transaction = connection.begin_write();
  std::size_t settled = transaction ? 0 : jobs.size();
  while (transaction && settled < jobs.size()) {
    auto& job = jobs[settled++];
    job.outcome = connection.attempt(job.work, Connection::Access::read_write);
    if (!connection.in_transaction()) transaction = fail(job.outcome.error());
  }
  if (transaction) transaction = connection.commit();
  if (transaction) return settled;

  log.error("store: a commit failed", {{"writes", settled}, {"reason", transaction.error().message}});
  for (auto& job : jobs.first(settled)) {
    if (job.outcome) job.outcome = transaction;
  }
  return settled;
}

Result<> read_once(Connection& connection, const Work& work) {
  if (auto begun = connection.begin_read(); !begun) return begun;
  auto outcome = connection.attempt(work, Connection::Access::read_only);
  connection.roll_back();
  return outcome;
}

class SqliteDatabase final : public Database {
 public:
  SqliteDatabase(asio::any_io_executor executor, Log log, std::size_t group_limit,
                 std::unique_ptr<Connection> writer, Connections readers)
      : executor_(std::move(executor)),
        log_(std::move(log)),
        group_limit_(group_limit),
        writer_(std::move(writer)),
        readers_(std::move(readers)) {}

  ~SqliteDatabase() override {
    reads_.close();
    writes_.close();
    threads_.clear();  // Joins them.
  }

  /// Not in the constructor: when a thread can't be started, the destructor has to stop those before it.
  void start() {
    for (auto& reader : readers_) threads_.emplace_back([this, &reader] { run_reads(*reader); });
    threads_.emplace_back([this] { run_writes(); });
  }

  Task<> migrate(std::span<const Migration> migrations) override {
    return enqueue(writes_,
                   [migrations](Connection& connection) { return apply_migrations(connection, migrations); });
  }

 protected:
  Task<> run_untyped(Mode mode, std::function<Result<>(Transaction&)> work) override {
    return enqueue(mode == Mode::write ? writes_ : reads_, std::move(work));
  }

 private:
  // The handler's cancellation slot is left alone on purpose: that makes the wait uncancellable without
  // touching the cancellation state, which belongs to the whole thread of coroutines and not to this one
  // (this_coro::reset_cancellation_state would leave it changed for the caller).
  Task<> enqueue(JobQueue& queue, Work work) {
    auto start = [this, &queue](auto handler, Work handed_over) {
      auto loop = asio::prefer(executor_, asio::execution::outstanding_work.tracked);
      queue.push({std::move(handed_over), std::move(handler), std::move(loop), {}});
    };
    return asio::async_initiate<const asio::use_awaitable_t<>, void(Result<>)>(
        std::move(start), asio::use_awaitable, std::move(work));
  }

  // Jobs must be gone before the next wait: they keep the loop running.
  void run_writes() {
    for (;;) {
      auto jobs = writes_.take(group_limit_);
      if (jobs.empty()) return;
      std::span<Job> rest(jobs);
      while (!rest.empty()) {
        const auto settled = commit_together(*writer_, rest, log_);
        for (auto& job : rest.first(settled)) job.complete();
        rest = rest.subspan(settled);
      }
    }
  }

  void run_reads(Connection& connection) {
    for (;;) {
      auto jobs = reads_.take(1);
      if (jobs.empty()) return;
      jobs.front().outcome = read_once(connection, jobs.front().work);
      jobs.front().complete();
    }
  }

  asio::any_io_executor executor_;
  Log log_;
  std::size_t group_limit_;
  std::unique_ptr<Connection> writer_;
  Connections readers_;
  JobQueue writes_;
  JobQueue reads_;
  std::vector<std::jthread> threads_;
};

}  // namespace

Result<std::unique_ptr<Database>> open_sqlite(asio::any_io_executor executor, Log log,
                                              const SqliteOptions& options) {
  if (options.readers == 0 || options.group_limit == 0) {
    return fail(codes::internal, "A store needs at least one reader and groups of at least one write.");
  }
  auto writer = Connection::open(options.file, Connection::Access::read_write);
  if (!writer) return fail(std::move(writer.error()));
  Connections readers;
  while (readers.size() < options.readers) {
    auto reader = Connection::open(options.file, Connection::Access::read_only);
    if (!reader) return fail(std::move(reader.error()));
    readers.push_back(std::move(*reader));
  }
  try {
    auto database = std::make_unique<SqliteDatabase>(std::move(executor), std::move(log), options.group_limit,
                                                     std::move(*writer), std::move(readers));
    database->start();
    return database;
  } catch (const std::system_error& failure) {
    return fail(codes::unavailable, fmt::format("The store's threads can't be started: {}.", failure.what()));
  }
}

}  // namespace instantstart::store
