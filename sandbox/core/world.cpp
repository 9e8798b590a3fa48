#include "sandbox/core/world.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/error_codes.h"
#include "net/signal.h"
#include "sandbox/core/world_store.h"

namespace instantstart::sandbox {
namespace {

/// Rows of calls that changed nothing wait for the next commit, but not more of them than this.
constexpr std::size_t k_most_noted = 1000;
/// How long timers rest after their changes could not be written.
constexpr milliseconds k_retry_pause{1'000};

}  // namespace

struct World::Impl {
  Impl(store::Database& the_database, net::Timekeeper& time, Log the_log)
      : database(the_database), log(std::move(the_log)), written(time), timer_set(time) {}

  void touch() { ++changes; }
  void queue(AuditEntry entry) {
    entry.sequence = ++last_sequence;
    open.audit.push_back(std::move(entry));
  }
  Task<> write_open();

  store::Database& database;
  Log log;
  std::map<std::string, CollectionBase*, std::less<>> collections;
  std::vector<std::function<void()>> new_account_makers;

  // Commits are counted by changes: `changes` have been made, those up to `durable` are on disk, those in
  // `open` (and, while `writing`, in the batch on its way) are not.
  ChangeSet open;
  std::uint64_t changes = 0;
  std::uint64_t durable = 0;
  std::uint64_t failed = 0;  ///< The last write that failed had the changes up to here.
  Error failure;
  bool writing = false;
  net::Signal written;
  std::int64_t last_sequence = 0;

  std::map<std::string, std::function<void(const std::string&)>, std::less<>> timer_kinds;
  TimerQueue timers;
  net::Signal timer_set;
};

World::World(store::Database& database, net::Timekeeper& time, Random& random, Log log, WorldOptions options)
    : impl_(std::make_unique<Impl>(database, time, std::move(log))),
      time_(time),
      random_(random),
      options_(std::move(options)) {
  options_.scale = std::max<std::int64_t>(1, options_.scale);
}

World::~World() = default;

std::span<const store::Migration> World::migrations() { return world_migrations(); }

void World::add(const std::string& name, CollectionBase& collection) {
  if (!impl_->collections.emplace(name, &collection).second) {
    throw std::logic_error("Two collections are named " + name);
  }
}

void World::on_new_account(std::function<void()> make) {
  impl_->new_account_makers.push_back(std::move(make));
}

Task<> World::load() {
  std::function<Result<StoredWorld>(store::Transaction&)> read = &read_world;
  auto stored = co_await impl_->database.read(std::move(read));
  if (!stored) co_return std::unexpected(std::move(stored.error()));
  if (!stored->account) co_return co_await reset();
  if (*stored->account != options_.account) {
    co_return fail(codes::state_unusable, fmt::format("The state is that of account {}, not of {}.",
                                                      *stored->account, options_.account));
  }
  for (auto& record : stored->records) {
    const auto collection = impl_->collections.find(record.collection);
    if (collection == impl_->collections.end()) {
      co_return fail(codes::state_unusable,
                     fmt::format("The state holds {}, which this version does not know.", record.collection));
    }
    auto loaded = collection->second->load(record.id, record.body);
    if (loaded) continue;
    Error error = within(fmt::format("{} {}", record.collection, record.id), std::move(loaded.error()));
    error.code = codes::state_unusable;
    co_return fail(std::move(error));
  }
  for (auto& [name, due] : stored->timers) {
    if (!impl_->timer_kinds.contains(name.kind)) {
      co_return fail(codes::state_unusable,
                     fmt::format("The state holds a timer {}, which this version does not know.", name.kind));
    }
    impl_->timers.set(std::move(name),
                      net::later(time_.steady(), std::max(milliseconds(0), due - time_.wall())));
  }
  impl_->last_sequence = stored->last_sequence;
  co_return Result<>();
}

Task<> World::reset() {
  impl_->open = ChangeSet{.new_account = options_.account};
  impl_->touch();
  for (const auto& [name, collection] : impl_->collections) collection->reset();
  impl_->timers.clear();
  impl_->last_sequence = 0;
  for (const auto& make : impl_->new_account_makers) make();
  co_return co_await commit();
}

void World::changed(const std::string& collection, std::string_view id, json::object body) {
  impl_->open.records.insert_or_assign({collection, std::string(id)}, std::move(body));
  impl_->touch();
}

void World::erased(const std::string& collection, std::string_view id) {
  impl_->open.records.insert_or_assign({collection, std::string(id)}, std::nullopt);
  impl_->touch();
}

void World::note(AuditEntry entry) {
  impl_->queue(std::move(entry));
  if (impl_->open.audit.size() > k_most_noted) impl_->touch();
}

Task<> World::commit(std::vector<AuditEntry> audit) {
  for (auto& entry : audit) {
    impl_->queue(std::move(entry));
    impl_->touch();
  }
  const auto mine = impl_->changes;
  const auto failed_before = impl_->failed;
  while (impl_->durable < mine) {
    if (impl_->failed != failed_before && impl_->failed >= mine) co_return fail(impl_->failure);
    if (impl_->writing) {
      co_await impl_->written.wait(net::Deadline::never());
    } else {
      auto done = co_await impl_->write_open();
      if (!done) co_return done;
    }
  }
  co_return Result<>();
}

Task<> World::flush() {
  if (!impl_->open.audit.empty()) impl_->touch();
  return commit();
}

/// Writes all that is open, for everybody who waits.
Task<> World::Impl::write_open() {
  writing = true;
  const auto upto = changes;
  ChangeSet batch = std::exchange(open, {});
  std::function<Result<>(store::Transaction&)> write = [&batch](store::Transaction& transaction) {
    return write_changes(transaction, batch);
  };
  Result<> done;
  try {
    done = co_await database.write(std::move(write));
  } catch (...) {  // Cancelled before it began.
    writing = false;
    open.put_before(std::move(batch));
    written.notify();
    throw;
  }
  writing = false;
  if (done) {
    durable = upto;
  } else {
    open.put_before(std::move(batch));
    failed = upto;
    failure = done.error();
    log.error("A change of the world could not be written.", {{"reason", failure.message}});
  }
  written.notify();
  co_return done;
}

void World::on_timer(std::string kind, std::function<void(const std::string& key)> run) {
  if (!impl_->timer_kinds.emplace(kind, std::move(run)).second) {
    throw std::logic_error("Two kinds of timers are named " + kind);
  }
}

void World::set_timer(std::string_view kind, std::string_view key, milliseconds after) {
  if (!impl_->timer_kinds.contains(kind)) {
    throw std::logic_error(fmt::format("There is no timer kind {}", kind));
  }
  TimerName name{std::string(kind), std::string(key)};
  // Never shorter than the clock's tick, so that a timer which sets itself again lets time go on.
  const milliseconds scaled = std::max(milliseconds(1), after / options_.scale);
  impl_->open.timers.insert_or_assign(name, time_.wall() + scaled);
  impl_->touch();
  impl_->timers.set(std::move(name), net::later(time_.steady(), scaled));
  impl_->timer_set.notify();
}

void World::cancel_timer(std::string_view kind, std::string_view key) {
  TimerName name{std::string(kind), std::string(key)};
  if (!impl_->timers.cancel(name)) return;
  impl_->open.timers.insert_or_assign(std::move(name), std::nullopt);
  impl_->touch();
}

asio::awaitable<void> World::run_timers() {
  while (true) {
    const auto seen = impl_->timer_set.generation();
    const net::Deadline next{impl_->timers.next_due()};
    if (!next.passed(time_)) {
      co_await impl_->timer_set.wait_after(seen, next);
      continue;
    }
    for (auto& name : impl_->timers.take_due(time_.steady())) {
      // Before the function runs: it may set the same timer again.
      impl_->open.timers.insert_or_assign(name, std::nullopt);
      impl_->touch();
      impl_->timer_kinds.find(name.kind)->second(name.key);
    }
    const auto committed = co_await commit();
    if (!committed) co_await time_.sleep(k_retry_pause);
  }
}

Task<std::vector<AuditEntry>> World::audit_after(std::int64_t sequence, std::int32_t limit) {
  return read_audit([sequence, limit](store::Transaction& transaction) {
    return read_audit_after(transaction, sequence, limit);
  });
}

Task<std::vector<AuditEntry>> World::audit_before(std::int64_t sequence, std::int32_t limit) {
  return read_audit([sequence, limit](store::Transaction& transaction) {
    return read_audit_before(transaction, sequence, limit);
  });
}

Task<std::vector<AuditEntry>> World::read_audit(ReadAudit read) {
  auto flushed = co_await flush();
  if (!flushed) co_return std::unexpected(std::move(flushed.error()));
  co_return co_await impl_->database.read(std::move(read));
}

std::string World::make_id(std::string_view prefix) {
  std::array<std::uint8_t, 8> bytes{};
  random_.fill(bytes);
  return fmt::format("{}-0{}", prefix, to_hex(bytes));
}

std::string World::make_capital_id(std::string_view prefix, std::size_t length) {
  constexpr std::string_view k_letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  std::string id(prefix);
  while (id.size() < length) id += k_letters[random_.next() % k_letters.size()];
  return id;
}

std::string World::make_request_id() {
  std::array<std::uint8_t, 16> bytes{};
  random_.fill(bytes);
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0F) | 0x40);  // RFC 9562 5.4: version 4
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3F) | 0x80);
  const std::string hex = to_hex(bytes);
  const std::string_view text = hex;
  return fmt::format("{}-{}-{}-{}-{}", text.substr(0, 8), text.substr(8, 4), text.substr(12, 4),
                     text.substr(16, 4), text.substr(20));
}

}  // namespace instantstart::sandbox
