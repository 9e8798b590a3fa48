// One prepared statement of one SQLite connection.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <vector>

#include "store/database.h"

struct sqlite3;
struct sqlite3_stmt;

namespace instantstart::store {

/// Belongs to the thread that uses its connection, and must be gone before that is closed.
class Statement {
 public:
  /// `sql` is exactly one statement whose parameters are $1 … $n. Error `internal` otherwise.
  static Result<Statement> prepare(sqlite3* connection, std::string_view sql);

  /// True when it can't change the database file.
  bool reads_only() const;

  /// Runs it to its end and leaves it ready for the next run, whatever happens. Errors as Transaction::query.
  Result<std::vector<Row>> run(std::initializer_list<Value> parameters);

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  using Handle = std::unique_ptr<sqlite3_stmt, Finalize>;

  Statement(Handle handle, std::vector<std::size_t> numbers);

  Result<> bind(std::initializer_list<Value> parameters);
  Result<Row> row() const;
  Error last_error() const;

  Handle handle_;
  std::vector<std::size_t> numbers_;  ///< numbers_[i] is n when SQLite's parameter i + 1 is named "$n".
};

}  // namespace instantstart::store
