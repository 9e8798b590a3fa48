#include "workload_logs/log_keeper.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error_codes.h"
#include "net/signal.h"
#include "net/task_group.h"
#include "workload_logs/kept_log.h"
#include "workload_logs/kept_reader.h"
#include "workload_logs/log_follower.h"
#include "workload_logs/log_rows.h"

namespace instantstart::workload_logs {

struct LogKeeper::Impl {
  Impl(LogParts given, Random& generator)
      : parts(std::move(given)),
        random(generator),
        changed(parts.time),
        group(parts.loop, parts.time, parts.log) {}

  LogParts parts;
  Random& random;
  net::Signal changed;
  std::map<LogName, std::unique_ptr<LogFollower>> followers;
  std::map<LogName, std::weak_ptr<KeptLog>> known;  ///< Of which there is one object at most.
  std::set<LogName> busy;                           ///< Being begun or ended.
  bool stopped = false;
  net::TaskGroup group;

  /// Nobody else begins or ends this one while it lives.
  struct Turn {
    Impl* impl = nullptr;
    LogName name;
    Turn(Impl& of, LogName whose) : impl(&of), name(std::move(whose)) { impl->busy.insert(name); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
      impl->busy.erase(name);
      impl->changed.notify();
    }
  };
  asio::awaitable<std::unique_ptr<Turn>> turn(LogName name) {
    while (busy.contains(name)) co_await changed.wait(net::Deadline::never());
    co_return std::make_unique<Turn>(*this, std::move(name));
  }

  Task<std::shared_ptr<KeptLog>> load(LogName name);
  std::shared_ptr<KeptLog> find(const LogName& name) const {
    const auto at = known.find(name);
    return at == known.end() ? nullptr : at->second.lock();
  }
  Task<> follow(LogSubject subject);
  void begin(const LogName& name, std::shared_ptr<KeptLog> log);
  asio::awaitable<void> let_go(LogName name);
  asio::awaitable<void> sweep();
};

/// nullptr when it is not known.
Task<std::shared_ptr<KeptLog>> LogKeeper::Impl::load(LogName name) {
  if (auto log = find(name)) co_return log;
  auto stored = co_await parts.database.read<std::optional<StoredLog>>(
      [&name](store::Transaction& transaction) { return load_log(transaction, name); });
  if (!stored) co_return fail(stored.error());
  // Another may have come first.
  if (auto log = find(name)) co_return log;
  if (!*stored) co_return nullptr;
  auto log = std::make_shared<KeptLog>(parts, std::move(**stored));
  std::erase_if(known, [](const auto& entry) { return entry.second.expired(); });
  known[name] = log;
  co_return log;
}

void LogKeeper::Impl::begin(const LogName& name, std::shared_ptr<KeptLog> log) {
  // The store has it: the next start goes on.
  if (stopped) return;
  auto follower = std::make_unique<LogFollower>(parts, std::move(log), [this] { changed.notify(); });
  follower->start();
  followers[name] = std::move(follower);
}

asio::awaitable<void> LogKeeper::Impl::let_go(LogName name) {
  const auto at = followers.find(name);
  if (at == followers.end()) co_return;
  co_await at->second->stop();
  followers.erase(name);
}

Task<> LogKeeper::Impl::follow(LogSubject subject) {
  if (parts.options.folder.empty()) {
    co_return fail(codes::state_unusable, "This server has no folder for logs.");
  }
  const LogName name = subject.id;
  const auto held = co_await turn(name);
  const auto at = followers.find(name);
  if (at != followers.end() && at->second->has_ended()) co_await let_go(name);
  auto log = co_await load(name);
  if (!log) co_return fail(log.error());
  if (!*log) {
    LogRow row{.key = make_uuid7(parts.time, random), .subject = std::move(subject)};
    auto put = co_await parts.database.write<bool>([&row](store::Transaction& transaction) -> Result<bool> {
      if (auto done = put_log(transaction, row); !done) return fail(done.error());
      return true;
    });
    if (!put) co_return fail(within("Keep a log", put.error()));
    auto made = std::make_shared<KeptLog>(parts, StoredLog{.log = std::move(row), .streams = {}});
    known[name] = made;
    begin(name, std::move(made));
    co_return Result<>{};
  }
  const auto& row = (*log)->row();
  const auto& now = row.subject;
  const bool same =
      now.selector == subject.selector && now.owner == subject.owner && now.profile == subject.profile;
  if (row.following && !row.finishing && same && followers.contains(name)) co_return Result<>{};
  auto taken = co_await (*log)->take_up(std::move(subject));
  if (!taken) co_return fail(within("Keep a log", taken.error()));
  if (const auto follower = followers.find(name); follower != followers.end()) {
    follower->second->look_again();
  } else {
    begin(name, std::move(*log));
  }
  co_return Result<>{};
}

/// Takes away followers that have ended.
asio::awaitable<void> LogKeeper::Impl::sweep() {
  while (true) {
    const auto seen = changed.generation();
    std::vector<LogName> ended;
    for (const auto& [name, follower] : followers) {
      if (follower->has_ended() && !busy.contains(name)) ended.push_back(name);
    }
    for (const auto& name : ended) {
      const auto held = co_await turn(name);
      const auto at = followers.find(name);
      if (at != followers.end() && at->second->has_ended()) co_await let_go(name);
    }
    if (ended.empty()) co_await changed.wait_after(seen, net::Deadline::never());
  }
}

LogKeeper::LogKeeper(asio::any_io_executor loop, asio::any_io_executor files, net::Timekeeper& time,
                     Random& random, Log log, store::Database& database, OpenCluster open_cluster,
                     LogKeeperOptions options)
    : impl_(std::make_unique<Impl>(LogParts{.loop = std::move(loop),
                                            .files = std::move(files),
                                            .time = time,
                                            .log = std::move(log),
                                            .database = database,
                                            .open_cluster = std::move(open_cluster),
                                            .options = std::move(options)},
                                   random)) {}

LogKeeper::~LogKeeper() = default;

std::span<const store::Migration> LogKeeper::migrations() { return log_migrations(); }

Task<> LogKeeper::start() {
  impl_->group.spawn("logs that ended", impl_->sweep());
  if (impl_->parts.options.folder.empty()) co_return Result<>{};
  auto names = co_await impl_->parts.database.read<std::vector<LogName>>(followed_logs);
  if (!names) co_return fail(within("Read which logs are followed", names.error()));
  for (const auto& name : *names) {
    const auto held = co_await impl_->turn(name);
    auto log = co_await impl_->load(name);
    if (!log) co_return fail(log.error());
    if (*log && !impl_->followers.contains(name)) impl_->begin(name, std::move(*log));
  }
  co_return Result<>{};
}

asio::awaitable<void> LogKeeper::stop() {
  impl_->stopped = true;
  co_await impl_->group.stop();
  for (auto& [name, follower] : impl_->followers) co_await follower->stop();
  impl_->followers.clear();
}

Task<> LogKeeper::follow(LogSubject subject) { return impl_->follow(std::move(subject)); }

Task<> LogKeeper::finish(LogName name) {
  const auto held = co_await impl_->turn(name);
  auto log = co_await impl_->load(name);
  if (!log) co_return fail(log.error());
  if (!*log || !(*log)->row().following) co_return Result<>{};
  auto finishing = co_await (*log)->set_finishing();
  if (!finishing) co_return finishing;
  if (const auto at = impl_->followers.find(name); at != impl_->followers.end()) at->second->look_again();
  co_return Result<>{};
}

Task<> LogKeeper::forget(LogName name) {
  const auto held = co_await impl_->turn(name);
  auto log = co_await impl_->load(name);
  if (!log) co_return fail(log.error());
  if (!*log) co_return Result<>{};
  co_await impl_->let_go(name);
  const std::string key = (*log)->row().key;
  auto gone =
      co_await impl_->parts.database.write<bool>([&key](store::Transaction& transaction) -> Result<bool> {
        if (auto done = delete_log(transaction, key); !done) return fail(done.error());
        return true;
      });
  if (!gone) co_return fail(within("Forget a log", gone.error()));
  (*log)->forget();
  impl_->known.erase(name);
  co_return co_await run_on(impl_->parts.files,
                            [folder = (*log)->folder()] { return remove_folder(folder); });
}

Task<std::optional<LogView>> LogKeeper::look(LogName name) {
  auto log = co_await impl_->load(std::move(name));
  if (!log) co_return fail(log.error());
  if (!*log) co_return std::nullopt;
  co_return std::optional((*log)->view());
}

Task<std::unique_ptr<LogReader>> LogKeeper::open(LogName name, LogChoice choice,
                                                 std::optional<std::int64_t> offset) {
  auto log = co_await impl_->load(name);
  if (!log) co_return fail(log.error());
  if (!*log) co_return fail(codes::not_found, fmt::format("No log of {} is kept.", name.name));
  auto which = (*log)->choose(choice);
  if (!which) co_return fail(which.error());
  auto place = place_in(**log, *which, offset);
  if (!place) co_return fail(place.error());
  co_return read_kept(impl_->parts.time, impl_->parts.files, std::move(*log), *which, *place);
}

}  // namespace instantstart::workload_logs
