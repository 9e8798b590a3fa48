// SQLite's result codes in our words: the one place that decides what a failure of the store means.
#pragma once

#include "base/error.h"

struct sqlite3;

namespace instantstart::store {

/// The error of the last call on `connection`, which must have failed; it may be null only if SQLite ran out
/// of memory. Codes as promised by Transaction::query; detail "sqlite_code" is the extended result code
/// (https://www.sqlite.org/rescode.html).
Error sqlite_error(sqlite3* connection);

}  // namespace instantstart::store
