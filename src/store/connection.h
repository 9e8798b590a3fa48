// One SQLite connection with its prepared statements: what both Database implementations are made of.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "store/database.h"
#include "store/statement.h"

struct sqlite3;

namespace instantstart::store {

class Connection;

/// What runs inside a transaction: a caller's function or a migration.
using Work = std::function<Result<>(Connection&)>;

/// Used by one thread at a time.
class Connection final : public Transaction {
 public:
  enum class Access { read_write, read_only };

  /// The file is made with mode 0600 if it isn't there; its directory must exist. A commit is on the disk
  /// when it returns (WAL with synchronous=FULL). Waits up to 5 s for other programs that hold the file.
  static Result<std::unique_ptr<Connection>> open(const std::filesystem::path& file, Access access);

  /// A database that lives as long as this object.
  static Result<std::unique_ptr<Connection>> open_in_memory();

  Result<std::vector<Row>> query(std::string_view sql, std::initializer_list<Value> parameters) override;
  Result<std::int64_t> execute(std::string_view sql, std::initializer_list<Value> parameters) override;

  /// Statements without parameters and rows, separated by semicolons.
  Result<> run_script(std::string_view sql);

  Result<> begin_write();
  Result<> begin_read();
  Result<> commit();
  void roll_back();

  /// Makes `target` hold what this database holds, at one instant; what it held is lost. Error
  /// `state_unusable`.
  Result<> copy_to(Connection& target);

  /// False again when SQLite gave up the whole transaction by itself after a disk error.
  bool in_transaction() const;

  /// Runs work inside the open transaction. When it returns an error or throws (`internal`), its changes are
  /// undone and those of earlier work stay, as long as `in_transaction` stays true. With `read_only`,
  /// statements that could change something are refused as `internal`.
  Result<> attempt(const Work& work, Access access);

 private:
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  using Handle = std::unique_ptr<sqlite3, Close>;
  struct TextHash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  using Statements = std::unordered_map<std::string, Statement, TextHash, std::equal_to<>>;

  explicit Connection(Handle handle) : handle_(std::move(handle)) {}

  static Result<std::unique_ptr<Connection>> open_handle(const std::string& name, int flags);
  static int allow(void* self, int action, const char*, const char*, const char*, const char*);

  Result<> use_wal();
  Result<Statement*> prepared(Statements& cache, std::string_view sql);
  Result<> control(std::string_view sql);

  Handle handle_;
  std::optional<Access> work_;     ///< What the running work may do; absent between works.
  Statements work_statements_;     ///< Prepared while `allow` forbids to touch the transaction.
  Statements control_statements_;  ///< BEGIN, SAVEPOINT …
};

}  // namespace instantstart::store
