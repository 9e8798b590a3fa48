#include "store/sqlite_error.h"

#include <system_error>

#include <fmt/core.h>
#include <sqlite3.h>

#include "base/error_codes.h"

namespace instantstart::store {
namespace {

std::string_view constraint_kind(int code) {
  switch (code) {
    case SQLITE_CONSTRAINT_UNIQUE: return "unique";
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_ROWID: return "primary_key";
    case SQLITE_CONSTRAINT_CHECK: return "check";
    case SQLITE_CONSTRAINT_FOREIGNKEY: return "foreign_key";
    case SQLITE_CONSTRAINT_TRIGGER: return "trigger";
    default: return "other";
  }
}

/// SQLite's text is "UNIQUE constraint failed: t.a, t.b" or "CHECK constraint failed: its_name"; foreign keys
/// have no name.
std::string constraint_name(std::string_view text) {
  const auto colon = text.find(": ");
  return colon == std::string_view::npos ? "" : std::string(text.substr(colon + 2));
}

Error constraint_error(int code, const std::string& text) {
  // NULL in a NOT NULL column or text in an INTEGER one depends on no other row: no state of the store would
  // accept it.
  if (code == SQLITE_CONSTRAINT_NOTNULL || code == SQLITE_CONSTRAINT_DATATYPE) {
    return {.code = std::string(codes::internal), .message = text};
  }
  return {.code = std::string(codes::conflict),
          .message = text,
          .detail = {{"kind", constraint_kind(code)}, {"constraint", constraint_name(text)}}};
}

Error unusable(std::string message) {
  return {.code = std::string(codes::state_unusable), .message = std::move(message)};
}

std::string file_of(sqlite3* connection) {
  const char* file = sqlite3_db_filename(connection, "main");
  return file == nullptr || *file == '\0' ? "The store in memory" : fmt::format("The store {}", file);
}

/// "Input/output error" behind SQLite's own text, when the kernel gave a reason.
std::string with_reason(sqlite3* connection, const std::string& text) {
  const int reason = sqlite3_system_errno(connection);
  return reason == 0 ? text : fmt::format("{}, {}", text, std::generic_category().message(reason));
}

Error error_of(sqlite3* connection, int code) {
  const std::string text = sqlite3_errmsg(connection);
  const auto file = file_of(connection);
  switch (code & 0xff) {  // The low byte is the primary code.
    case SQLITE_CONSTRAINT: return constraint_error(code, text);
    case SQLITE_FULL: {
      auto error = unusable(file + " can't grow: the disk is full. Nothing was stored; free some space.");
      error.retryable = true;
      return error;
    }
    case SQLITE_READONLY:
      return unusable(
          file +
          " is read-only: check the rights of the file and of its directory, and how the disk is mounted.");
    case SQLITE_CORRUPT: return unusable(file + " is damaged. Restore it from a backup.");
    case SQLITE_NOTADB:
      return unusable(file + " is not a database: something else has this name, or it is damaged.");
    case SQLITE_CANTOPEN:
      return unusable(fmt::format("{} can't be opened: {}.", file, with_reason(connection, text)));
    case SQLITE_IOERR:
      return unusable(fmt::format("{} can't be read or written: {}.", file, with_reason(connection, text)));
    case SQLITE_PERM: return unusable(file + " can't be opened: its rights don't allow it.");
    case SQLITE_BUSY:
    case SQLITE_LOCKED: {
      return {.code = std::string(codes::unavailable),
              .message = file + " is held by another program.",
              .retryable = true};
    }
    default: return {.code = std::string(codes::internal), .message = fmt::format("SQLite: {}.", text)};
  }
}

}  // namespace

Error sqlite_error(sqlite3* connection) {
  if (connection == nullptr)
    return {.code = std::string(codes::internal), .message = "SQLite: out of memory."};
  const int code = sqlite3_extended_errcode(connection);
  auto error = error_of(connection, code);
  error.detail["sqlite_code"] = code;
  return error;
}

}  // namespace instantstart::store
