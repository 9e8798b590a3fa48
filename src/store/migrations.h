// Schema versions, one number a room.
#pragma once

#include <span>

#include "store/connection.h"

namespace instantstart::store {

/// Runs what is missing, as Database::migrate says. To be called inside a transaction, which the caller rolls
/// back when it fails.
Result<> apply_migrations(Connection& connection, std::span<const Migration> migrations);

}  // namespace instantstart::store
