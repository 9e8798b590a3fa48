#include "store/state_directory.h"

#include <cerrno>
#include <charconv>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error_codes.h"
#include "store/private_file.h"

namespace instantstart::store {
namespace {

constexpr std::string_view k_lock_name = "lock";

/// NAME_MAX is 255 (Linux); the temporary name needs a few more characters.
constexpr std::size_t k_max_name = 200;

Result<> check_name(std::string_view name) {
  const bool plain = !name.empty() && name.size() <= k_max_name && name != "." && name != ".." &&
                     name.find_first_of(std::string_view("/\0", 2)) == std::string_view::npos;
  if (plain && name != k_lock_name) return {};
  return fail(codes::invalid_request,
              "A file in the state directory needs one plain name without '/', other than 'lock'.");
}

/// Without "." and a trailing slash, through which O_NOFOLLOW would follow a symbolic link.
std::filesystem::path without_trailing_slash(const std::filesystem::path& path) {
  auto absolute = std::filesystem::absolute(path).lexically_normal();
  return absolute.has_filename() ? absolute : absolute.parent_path();
}

/// As the XDG base directory specification wants it: 0700 for each directory that is missing.
Result<> make_directories(const std::filesystem::path& path) {
  std::filesystem::path made;
  for (const auto& part : path) {
    made /= part;
    if (::mkdir(made.c_str(), 0700) == 0) {
      const Descriptor parent(::open(made.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      if (!parent || ::fsync(parent.get()) != 0)
        return fail(file_error(made, "can't be made durable", errno));
    } else if (errno != EEXIST) {
      // Parents that are there may be on read-only disks or not ours; only what is missing counts.
      const int reason = errno;
      struct stat facts = {};
      if (::stat(made.c_str(), &facts) != 0) return fail(file_error(made, "can't be made", reason));
    }
  }
  return {};
}

std::optional<std::int64_t> pid_in(const Descriptor& file, const std::filesystem::path& path) {
  const auto text = read_all(file, path, 32);
  std::int64_t pid = 0;
  if (!text) return std::nullopt;
  const auto [end, failure] = std::from_chars(text->data(), text->data() + text->size(), pid);
  return failure == std::errc{} && pid > 0 ? std::optional(pid) : std::nullopt;
}

Error held(const std::filesystem::path& path, std::optional<std::int64_t> pid) {
  Error error{.code = std::string(codes::state_unusable),
              .message = fmt::format("The state directory {} is in use by another process.", path.string())};
  if (pid) {
    error.message = fmt::format("The state directory {} is in use by process {}.", path.string(), *pid);
    error.detail["pid"] = *pid;
  }
  return error;
}

/// True when `file` is locked now, false when another process has it.
Result<bool> try_lock(const Descriptor& file, const std::filesystem::path& path) {
  while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno == EWOULDBLOCK) return false;
    return fail(file_error(path, "can't be locked", errno));
  }
  return true;
}

/// People delete lock files that look forgotten, so the directory itself is locked too. NFS locks nothing
/// that is open for reading only (EBADF, flock(2)): there the lock file has to do.
Result<bool> try_lock_directory(const Descriptor& directory, const std::filesystem::path& path) {
  auto locked = try_lock(directory, path);
  if (!locked && locked.error().detail["errno"] == EBADF) return true;
  return locked;
}

Result<Descriptor> take_lock(const Descriptor& directory, const std::filesystem::path& path) {
  const auto file = path / k_lock_name;
  const auto alone = try_lock_directory(directory, path);
  if (!alone) return fail(alone.error());
  auto opened = open_private_file(directory, path, k_lock_name, *alone ? O_RDWR | O_CREAT : O_RDONLY);
  if (!*alone) return fail(held(path, opened ? pid_in(*opened, file) : std::nullopt));
  if (!opened) return opened;

  const auto locked = try_lock(*opened, file);
  if (!locked) return fail(locked.error());
  if (!*locked) return fail(held(path, pid_in(*opened, file)));
  if (::ftruncate(opened->get(), 0) != 0) return fail(file_error(file, "can't be written", errno));
  if (auto written = write_all(*opened, file, fmt::format("{}\n", ::getpid())); !written)
    return fail(written.error());
  return opened;
}

/// Everything up to the rename; the caller removes the temporary file when it fails.
Result<> write_and_rename(const Descriptor& directory, const std::filesystem::path& path,
                          const std::string& temporary, const std::string& name, std::string_view content) {
  const auto file = open_private_file(directory, path, temporary, O_WRONLY | O_CREAT | O_EXCL);
  if (!file) return fail(file.error());
  // The umask may have taken rights from us too.
  if (::fchmod(file->get(), 0600) != 0)
    return fail(file_error(path / temporary, "can't be made private", errno));
  if (auto written = write_all(*file, path / temporary, content); !written) return written;
  if (::fsync(file->get()) != 0) return fail(file_error(path / temporary, "can't be made durable", errno));
  if (::renameat(directory.get(), temporary.c_str(), directory.get(), name.c_str()) != 0) {
    return fail(file_error(path / name, "can't be replaced", errno));
  }
  return {};
}

}  // namespace

Result<StateDirectory> StateDirectory::lock(const std::filesystem::path& path) {
  auto plain = without_trailing_slash(path);
  if (auto made = make_directories(plain); !made) return fail(std::move(made.error()));
  auto directory = open_private_directory(plain);
  if (!directory) return fail(within("State directory", std::move(directory.error())));
  auto lock = take_lock(*directory, plain);
  if (!lock) return fail(std::move(lock.error()));
  return StateDirectory(std::move(plain), std::move(*directory), std::move(*lock));
}

Result<> StateDirectory::write_private_file(std::string_view name, std::string_view content) const {
  if (auto checked = check_name(name); !checked) return checked;
  // The directory is ours alone, so what has the temporary name was left behind by a process that died.
  const auto temporary = fmt::format(".{}.new", name);
  if (::unlinkat(directory_.get(), temporary.c_str(), 0) != 0 && errno != ENOENT) {
    return fail(file_error(path_ / temporary, "can't be removed", errno));
  }
  if (auto done = write_and_rename(directory_, path_, temporary, std::string(name), content); !done) {
    ::unlinkat(directory_.get(), temporary.c_str(), 0);
    return done;
  }
  if (::fsync(directory_.get()) != 0) return fail(file_error(path_, "can't be made durable", errno));
  return {};
}

Result<std::string> read_private_file(const std::filesystem::path& directory, std::string_view name,
                                      std::size_t max_bytes) {
  if (auto checked = check_name(name); !checked) return fail(std::move(checked.error()));
  const auto path = without_trailing_slash(directory);
  const auto opened = open_private_directory(path);
  if (!opened) return fail(opened.error());
  const auto file = open_private_file(*opened, path, name, O_RDONLY);
  if (!file) return fail(file.error());
  return read_all(*file, path / name, max_bytes);
}

}  // namespace instantstart::store
