// The durable store behind one narrow interface: SQL with bound parameters, inside transactions.
//
// SQL is constant text in the dialect that SQLite and PostgreSQL share; parameters are $1, $2 … in order.
// Every room that stores something brings its own migrations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "net/task.h"

namespace instantstart::store {

using Value = std::variant<std::nullptr_t, std::int64_t, double, std::string>;

/// A parameter that may be absent: NULL then.
Value or_null(std::optional<std::string> text);
Value or_null(std::optional<std::int64_t> integer);

/// Asking for another type than the column has, or for a column that isn't there, throws: the schema is ours,
/// so that is a broken invariant. It ends as `internal`.
class Row {
 public:
  explicit Row(std::vector<Value> values) : values_(std::move(values)) {}

  std::size_t size() const { return values_.size(); }
  bool is_null(std::size_t column) const {
    return std::holds_alternative<std::nullptr_t>(values_.at(column));
  }
  std::int64_t integer(std::size_t column) const { return std::get<std::int64_t>(values_.at(column)); }
  double number(std::size_t column) const { return std::get<double>(values_.at(column)); }
  const std::string& text(std::size_t column) const { return std::get<std::string>(values_.at(column)); }
  std::optional<std::string> optional_text(std::size_t column) const;
  std::optional<std::int64_t> optional_integer(std::size_t column) const;

 private:
  std::vector<Value> values_;
};

/// Valid only inside the function that it was handed to, on that thread. A call takes one statement; each of
/// its parameters $1 … $n must be used at least once, and n values must be given. Statements that begin or
/// end transactions or attach databases are refused.
class Transaction {
 public:
  virtual ~Transaction() = default;

  /// Rows of a SELECT or of RETURNING. Errors: `conflict` for a broken UNIQUE, PRIMARY KEY, CHECK or FOREIGN
  /// KEY constraint (detail "kind": "unique", "primary_key", "check", "foreign_key"; "constraint": its name
  /// or columns), `state_unusable` for a full disk, a read-only or damaged file, `unavailable` when another
  /// program holds the store, `internal` for anything that is our mistake (bad SQL, wrong type, NULL where
  /// none may be). A statement that fails changed nothing; what was done before it in the same function still
  /// stands.
  virtual Result<std::vector<Row>> query(std::string_view sql,
                                         std::initializer_list<Value> parameters = {}) = 0;

  /// The number of rows changed. Errors as above.
  virtual Result<std::int64_t> execute(std::string_view sql,
                                       std::initializer_list<Value> parameters = {}) = 0;
};

struct Migration {
  std::string_view room;  ///< "operations"
  int version;            ///< 1, 2, … without gaps within a room, in this order.
  std::string_view sql;   ///< One or more statements. On SQLite every table must be STRICT.
};

/// Loop thread only; the work itself may run on another thread.
///
/// Work that was handed over always runs and its task always ends with its outcome: cancellation doesn't stop
/// it half way and doesn't hide whether it was committed. It shows at the next co_await of the caller, as
/// everywhere in Asio. So work may refer to the frame of the coroutine that awaits it.
class Database {
 public:
  virtual ~Database() = default;

  /// Commits when the function returns a value, rolls back when it returns an error or throws (`internal`).
  /// The task ends after the commit is durable. Functions that arrive together may share one commit; each
  /// still fails alone, unless the commit itself fails: then all of them get its error, and after a disk
  /// error in it (not a full disk) it isn't known whether a restart will find the changes.
  template <class T>
  Task<T> write(std::function<Result<T>(Transaction&)> work) {
    return run<T>(Mode::write, std::move(work));
  }

  /// Sees one consistent state, with every write that has ended; changes are refused.
  template <class T>
  Task<T> read(std::function<Result<T>(Transaction&)> work) {
    return run<T>(Mode::read, std::move(work));
  }

  /// Brings the schema of the rooms in the list up to date, in one transaction; the texts must live until the
  /// task ends. Error `state_unusable` when a room was written by a newer version: nothing is touched then.
  virtual Task<> migrate(std::span<const Migration> migrations) = 0;

 protected:
  enum class Mode { read, write };

  /// `work` refers to the awaiting frame: an implementation must not end the task before the work has run or
  /// can't run any more, whatever is cancelled meanwhile.
  virtual Task<> run_untyped(Mode mode, std::function<Result<>(Transaction&)> work) = 0;

 private:
  template <class T>
  Task<T> run(Mode mode, std::function<Result<T>(Transaction&)> work) {
    std::optional<Result<T>> outcome;
    std::function<Result<>(Transaction&)> untyped = [&outcome, &work](Transaction& transaction) -> Result<> {
      outcome.emplace(work(transaction));
      if (!*outcome) return std::unexpected(outcome->error());
      return {};
    };
    auto done = co_await run_untyped(mode, std::move(untyped));
    if (!done) co_return std::unexpected(done.error());
    co_return std::move(*outcome);
  }
};

}  // namespace instantstart::store
