// The journal's tables.
#pragma once

#include <span>

#include "store/database.h"

namespace instantstart::operations {

/// Room "operations". Texts are in the dialect of SQLite; what PostgreSQL spells otherwise (no STRICT, BIGINT
/// for INTEGER) is for the store to replace.
std::span<const store::Migration> journal_migrations();

}  // namespace instantstart::operations
