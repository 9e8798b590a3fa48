// The directory that holds all state of one server: database, tokens, socket. Held by one process at a time.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/descriptor.h"

namespace instantstart::store {

/// Holds an exclusive lock (flock) while it lives, so whoever holds it knows that every earlier owner is
/// dead.
class StateDirectory {
 public:
  /// Makes the directory (mode 0700, parents too) if needed. `state_unusable` when it belongs to another
  /// user, is open to others, is a symbolic link, or another process holds it (detail "pid").
  static Result<StateDirectory> lock(const std::filesystem::path& path);

  StateDirectory(StateDirectory&&) noexcept = default;
  StateDirectory& operator=(StateDirectory&&) noexcept = default;
  ~StateDirectory() = default;

  const std::filesystem::path& path() const { return path_; }

  /// Writes a file of mode 0600 in one piece (temporary name, fsync, rename), never through a symbolic link:
  /// readers see the old content or the new, also after a power failure. One call at a time for a name.
  /// `name` is one plain name without separators (`invalid_request` otherwise). A failure is `state_unusable`
  /// and leaves the old content.
  Result<> write_private_file(std::string_view name, std::string_view content) const;

 private:
  StateDirectory(std::filesystem::path path, Descriptor directory, Descriptor lock)
      : path_(std::move(path)), directory_(std::move(directory)), lock_(std::move(lock)) {}

  std::filesystem::path path_;
  Descriptor directory_;  ///< Locked. Files are reached through it, so nobody can swap the directory behind
                          ///< our back.
  Descriptor lock_;
};

/// Reads a private file of any state directory, held or not: a regular file of this user without rights for
/// others, at most `max_bytes` long, in a directory like that. Errors `not_found`, `state_unusable`,
/// `invalid_request` (the name).
Result<std::string> read_private_file(const std::filesystem::path& directory, std::string_view name,
                                      std::size_t max_bytes = 64 * 1024);

}  // namespace instantstart::store
