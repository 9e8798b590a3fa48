// Files that only their owner may touch, reached through the descriptor of their directory (openat), so that
// a path that is swapped for a symbolic link between a check and its use changes nothing.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/descriptor.h"

namespace instantstart::store {

/// What went wrong with `file` in words, with the kernel's reason.
Error file_error(const std::filesystem::path& file, std::string_view what, int reason);

/// A directory of this user without rights for others, not a symbolic link. Errors `not_found`,
/// `state_unusable`.
Result<Descriptor> open_private_directory(const std::filesystem::path& path);

/// Opens an existing or (with O_CREAT, mode 0600) new regular file of this user without rights for others.
/// `path` is the directory's, for messages. Errors `not_found`, `state_unusable`.
Result<Descriptor> open_private_file(const Descriptor& directory, const std::filesystem::path& path,
                                     std::string_view name, int flags);

/// At most `max_bytes`; `state_unusable` when there is more.
Result<std::string> read_all(const Descriptor& file, const std::filesystem::path& path,
                             std::size_t max_bytes);
Result<> write_all(const Descriptor& file, const std::filesystem::path& path, std::string_view content);

}  // namespace instantstart::store
