#include "store/connection.h"

#include <exception>
#include <utility>

#include <fmt/core.h>
#include <sqlite3.h>

#include "base/error_codes.h"
#include "store/database_file.h"
#include "store/sqlite_error.h"

namespace instantstart::store {
namespace {

constexpr int k_busy_timeout_ms = 5000;

/// SQL is constant text, so a process has a few hundred at most; more means that somebody builds SQL.
constexpr std::size_t k_statement_limit = 1000;

constexpr std::string_view k_settings = R"sql(
  PRAGMA foreign_keys = ON;
  PRAGMA trusted_schema = OFF;      -- A schema that somebody planted can't call functions with side effects.
  PRAGMA cell_size_check = ON;      -- Notice damaged pages before they are used.
  PRAGMA temp_store = MEMORY;       -- No copies of our rows in /tmp.
)sql";

constexpr std::string_view k_file_settings = R"sql(
  PRAGMA synchronous = FULL;             -- In WAL mode: fsync at every commit.
  PRAGMA journal_size_limit = 67108864;  -- A WAL that grew under a burst shrinks to 64 MiB again.
)sql";

/// Exceptions end here: neither a thread of the store nor the next work sees them.
Result<> run_guarded(const Work& work, Connection& connection) {
  try {
    return work(connection);
  } catch (const std::exception& exception) {
    return fail(codes::internal, fmt::format("Work on the store threw: {}", exception.what()));
  } catch (...) {
    return fail(codes::internal, "Work on the store threw something that is no exception.");
  }
}

}  // namespace

void Connection::Close::operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }

Result<std::unique_ptr<Connection>> Connection::open_handle(const std::string& name, int flags) {
  sqlite3* raw = nullptr;
  // Without its own mutex: one thread at a time is the rule of this class.
  const int code =
      sqlite3_open_v2(name.c_str(), &raw, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  Handle handle(raw);
  if (code != SQLITE_OK) return fail(sqlite_error(raw));

  sqlite3_busy_timeout(raw, k_busy_timeout_ms);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  // "text" in double quotes is a column, as in PostgreSQL, never a string.
  sqlite3_db_config(raw, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
  std::unique_ptr<Connection> connection(new Connection(std::move(handle)));
  sqlite3_set_authorizer(raw, &Connection::allow, connection.get());
  if (auto set = connection->run_script(k_settings); !set) return fail(std::move(set.error()));
  return connection;
}

Result<std::unique_ptr<Connection>> Connection::open(const std::filesystem::path& file, Access access) {
  auto path = ensure_database_file(file);
  if (!path) return fail(std::move(path.error()));
  auto connection = open_handle(path->string(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW);
  if (!connection) return connection;

  // SQLite opens a file that it may not write without a complaint.
  if (sqlite3_db_readonly((*connection)->handle_.get(), "main") == 1) {
    return fail(codes::state_unusable,
                fmt::format("The store {} is read-only: check its rights and how the disk is mounted.",
                            path->string()));
  }
  if (auto wal = (*connection)->use_wal(); !wal) return fail(std::move(wal.error()));
  if (auto set = (*connection)->run_script(k_file_settings); !set) return fail(std::move(set.error()));
  if (access == Access::read_only) {
    if (auto set = (*connection)->run_script("PRAGMA query_only = ON"); !set)
      return fail(std::move(set.error()));
  }
  return connection;
}

Result<std::unique_ptr<Connection>> Connection::open_in_memory() {
  return open_handle(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
}

/// Also the first access to the file, so damage shows here.
Result<> Connection::use_wal() {
  auto mode = query("PRAGMA journal_mode = WAL", {});
  if (!mode) return fail(std::move(mode.error()));
  if (mode->empty() || mode->front().text(0) != "wal") {
    return fail(codes::state_unusable,
                "The store can't be kept on this file system: it has no shared memory for SQLite's WAL.");
  }
  return {};
}

Result<std::vector<Row>> Connection::query(std::string_view sql, std::initializer_list<Value> parameters) {
  const auto statement = prepared(work_statements_, sql);
  if (!statement) return fail(statement.error());
  if (work_ == Access::read_only && !(*statement)->reads_only()) {
    return fail(codes::internal, fmt::format("A read must not change the store: {}", sql));
  }
  return (*statement)->run(parameters);
}

Result<std::int64_t> Connection::execute(std::string_view sql, std::initializer_list<Value> parameters) {
  const auto before = sqlite3_total_changes64(handle_.get());
  const auto rows = query(sql, parameters);
  if (!rows) return fail(rows.error());
  // sqlite3_changes keeps the number of the statement before when this one was no INSERT, UPDATE or DELETE.
  return sqlite3_total_changes64(handle_.get()) == before ? 0 : sqlite3_changes64(handle_.get());
}

Result<> Connection::run_script(std::string_view sql) {
  const std::string terminated(sql);
  if (sqlite3_exec(handle_.get(), terminated.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return fail(sqlite_error(handle_.get()));
}

// Taken at the start, since a transaction that first reads can't always become a writing one
// (SQLITE_BUSY_SNAPSHOT).
Result<> Connection::begin_write() { return control("BEGIN IMMEDIATE"); }

Result<> Connection::begin_read() { return control("BEGIN DEFERRED"); }

Result<> Connection::commit() {
  auto done = control("COMMIT");
  if (!done) roll_back();
  return done;
}

void Connection::roll_back() {
  // It can only fail because there is no transaction any more, which is what is wanted.
  if (in_transaction()) static_cast<void>(control("ROLLBACK"));
}

Result<> Connection::copy_to(Connection& target) {
  sqlite3_backup* backup = sqlite3_backup_init(target.handle_.get(), "main", handle_.get(), "main");
  if (backup == nullptr) return fail(sqlite_error(target.handle_.get()));
  sqlite3_backup_step(backup, -1);  // Whatever goes wrong in it, `finish` says it too.
  if (sqlite3_backup_finish(backup) != SQLITE_OK) return fail(sqlite_error(target.handle_.get()));
  return {};
}

bool Connection::in_transaction() const { return sqlite3_get_autocommit(handle_.get()) == 0; }

Result<> Connection::attempt(const Work& work, Access access) {
  if (auto marked = control("SAVEPOINT work"); !marked) {
    roll_back();
    return marked;
  }
  work_ = access;
  auto outcome = run_guarded(work, *this);
  work_.reset();
  if (!in_transaction()) {
    if (!outcome) return outcome;
    return fail(codes::state_unusable,
                "The store undid the transaction after a disk error that the work ignored.");
  }
  Result<> undone;
  if (!outcome) undone = control("ROLLBACK TO work");
  auto released = control("RELEASE work");
  if (undone && released) return outcome;
  roll_back();
  return undone ? released : undone;
}

/// Called when a statement is prepared. Work must not end the transaction that others share.
int Connection::allow(void* self, int action, const char*, const char*, const char*, const char*) {
  if (!static_cast<Connection*>(self)->work_) return SQLITE_OK;
  switch (action) {
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT:
    case SQLITE_ATTACH:
    case SQLITE_DETACH: return SQLITE_DENY;
    default: return SQLITE_OK;
  }
}

Result<Statement*> Connection::prepared(Statements& cache, std::string_view sql) {
  if (const auto found = cache.find(sql); found != cache.end()) return &found->second;
  auto statement = Statement::prepare(handle_.get(), sql);
  if (!statement) return fail(std::move(statement.error()));
  if (cache.size() >= k_statement_limit)
    cache.clear();  // None of them is running: `run` always ends its run.
  return &cache.emplace(std::string(sql), std::move(*statement)).first->second;
}

Result<> Connection::control(std::string_view sql) {
  const auto statement = prepared(control_statements_, sql);
  if (!statement) return fail(statement.error());
  const auto rows = (*statement)->run({});
  if (!rows) return fail(rows.error());
  return {};
}

}  // namespace instantstart::store
