// Where the database file is, and who may read it.
#pragma once

#include <filesystem>

#include "base/result.h"

namespace instantstart::store {

/// Makes the file (mode 0600, empty, durable) if it isn't there. Returns its path without symbolic links in
/// the directories, as SQLITE_OPEN_NOFOLLOW wants it. Error `state_unusable` when the name is anything but a
/// regular file. An existing file is not opened: closing it would drop the POSIX locks that this process
/// holds on it (https://www.sqlite.org/howtocorrupt.html, 2.2).
Result<std::filesystem::path> ensure_database_file(const std::filesystem::path& file);

}  // namespace instantstart::store
