#include "store/statement.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/core.h>
#include <sqlite3.h>

#include "base/error_codes.h"
#include "base/text.h"
#include "store/sqlite_error.h"

namespace instantstart::store {
namespace {

Error our_mistake(std::string_view what, std::string_view sql) {
  return {.code = std::string(codes::internal), .message = fmt::format("{}: {}", what, shortened(sql, 200))};
}

/// 3 of "$3"; 0 of anything else, a parameter without a name included.
std::size_t number_of(const char* name) {
  const std::string_view text = name == nullptr ? "" : name;
  std::size_t number = 0;
  if (!text.starts_with('$')) return 0;
  const auto [end, failure] = std::from_chars(text.data() + 1, text.data() + text.size(), number);
  return failure == std::errc{} && end == text.data() + text.size() ? number : 0;
}

/// True when the distinct numbers are exactly 1 … n. SQLite gives every name one place, so they are distinct.
bool without_gaps(std::vector<std::size_t> numbers) {
  std::ranges::sort(numbers);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != i + 1) return false;
  }
  return true;
}

int bind_value(sqlite3_stmt* statement, int place, const Value& value) {
  struct Visitor {
    sqlite3_stmt* statement;
    int place;
    int operator()(std::nullptr_t) const { return sqlite3_bind_null(statement, place); }
    int operator()(std::int64_t integer) const { return sqlite3_bind_int64(statement, place, integer); }
    int operator()(double number) const { return sqlite3_bind_double(statement, place, number); }
    // Not copied: the caller's values outlive the run, and the bindings are cleared at its end.
    int operator()(const std::string& text) const {
      return sqlite3_bind_text64(statement, place, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
    }
  };
  return std::visit(Visitor{statement, place}, value);
}

/// Ends a run: gives up locks and forgets the parameters.
struct Reset {
  sqlite3_stmt* statement;
  explicit Reset(sqlite3_stmt* running) : statement(running) {}
  Reset(const Reset&) = delete;
  Reset& operator=(const Reset&) = delete;
  ~Reset() {
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
  }
};

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Statement::Statement(Handle handle, std::vector<std::size_t> numbers)
    : handle_(std::move(handle)), numbers_(std::move(numbers)) {}

Result<Statement> Statement::prepare(sqlite3* connection, std::string_view sql) {
  sqlite3_stmt* raw = nullptr;
  const char* tail = nullptr;
  const int code = sqlite3_prepare_v3(connection, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &raw, &tail);
  Handle handle(raw);
  if (code != SQLITE_OK)
    return fail(within(fmt::format("SQL '{}'", shortened(sql, 200)), sqlite_error(connection)));
  if (!handle) return fail(our_mistake("No statement in this SQL", sql));
  const auto rest = sql.substr(static_cast<std::size_t>(tail - sql.data()));
  if (rest.find_first_not_of(" \t\r\n;") != std::string_view::npos) {
    return fail(our_mistake("More than one statement in this SQL", sql));
  }

  std::vector<std::size_t> numbers;
  const int places = sqlite3_bind_parameter_count(raw);
  for (int place = 1; place <= places; ++place) {
    numbers.push_back(number_of(sqlite3_bind_parameter_name(raw, place)));
  }
  if (!without_gaps(numbers))
    return fail(our_mistake("Parameters must be $1, $2 … without gaps in this SQL", sql));
  return Statement(std::move(handle), std::move(numbers));
}

bool Statement::reads_only() const { return sqlite3_stmt_readonly(handle_.get()) != 0; }

Result<> Statement::bind(std::initializer_list<Value> parameters) {
  if (parameters.size() != numbers_.size()) {
    return fail(our_mistake(
        fmt::format("{} parameters given, {} expected by this SQL", parameters.size(), numbers_.size()),
        sqlite3_sql(handle_.get())));
  }
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    const Value& value = parameters.begin()[numbers_[i] - 1];
    if (bind_value(handle_.get(), static_cast<int>(i) + 1, value) != SQLITE_OK) return fail(last_error());
  }
  return {};
}

Result<Row> Statement::row() const {
  const int columns = sqlite3_data_count(handle_.get());
  std::vector<Value> values;
  values.reserve(static_cast<std::size_t>(columns));
  for (int column = 0; column < columns; ++column) {
    switch (sqlite3_column_type(handle_.get(), column)) {
      case SQLITE_NULL: values.emplace_back(nullptr); break;
      case SQLITE_INTEGER: values.emplace_back(sqlite3_column_int64(handle_.get(), column)); break;
      case SQLITE_FLOAT: values.emplace_back(sqlite3_column_double(handle_.get(), column)); break;
      case SQLITE_TEXT: {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column));
        if (text == nullptr) return fail(last_error());
        const auto bytes = static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column));
        values.emplace_back(std::in_place_type<std::string>, text, bytes);
        break;
      }
      default:
        return fail(
            our_mistake("A BLOB came from this SQL; only text is supported", sqlite3_sql(handle_.get())));
    }
  }
  return Row(std::move(values));
}

Result<std::vector<Row>> Statement::run(std::initializer_list<Value> parameters) {
  const Reset reset(handle_.get());
  if (auto bound = bind(parameters); !bound) return fail(std::move(bound.error()));
  std::vector<Row> rows;
  for (;;) {
    const int code = sqlite3_step(handle_.get());
    if (code == SQLITE_DONE) return rows;
    if (code != SQLITE_ROW) return fail(last_error());
    auto next = row();
    if (!next) return fail(std::move(next.error()));
    rows.push_back(std::move(*next));
  }
}

Error Statement::last_error() const { return sqlite_error(sqlite3_db_handle(handle_.get())); }

}  // namespace instantstart::store
