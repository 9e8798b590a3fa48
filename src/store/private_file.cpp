#include "store/private_file.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include "base/error_codes.h"

namespace instantstart::store {
namespace {

constexpr mode_t k_rights_of_others = S_IRWXG | S_IRWXO;

Result<> check_private(const Descriptor& opened, const std::filesystem::path& path) {
  struct stat facts = {};
  if (::fstat(opened.get(), &facts) != 0) return fail(file_error(path, "can't be examined", errno));
  if (facts.st_uid != ::geteuid()) {
    return fail(codes::state_unusable,
                fmt::format("{} belongs to another user (id {}).", path.string(), facts.st_uid));
  }
  if ((facts.st_mode & k_rights_of_others) != 0) {
    return fail(codes::state_unusable,
                fmt::format("{} is open to other users (mode {:04o}). Take their rights away: chmod go-rwx.",
                            path.string(), facts.st_mode & 07777U));
  }
  return {};
}

Result<> check_regular(const Descriptor& opened, const std::filesystem::path& path) {
  struct stat facts = {};
  if (::fstat(opened.get(), &facts) != 0) return fail(file_error(path, "can't be examined", errno));
  if (S_ISREG(facts.st_mode)) return {};
  return fail(codes::state_unusable, fmt::format("{} is not a regular file.", path.string()));
}

Error open_error(const std::filesystem::path& path, int reason) {
  if (reason == ENOENT) {
    return {.code = std::string(codes::not_found),
            .message = fmt::format("{} doesn't exist.", path.string())};
  }
  // What O_NOFOLLOW answers for a symbolic link; with O_DIRECTORY it is ENOTDIR.
  if (reason == ELOOP) {
    return {.code = std::string(codes::state_unusable),
            .message = fmt::format("{} is a symbolic link; none is followed here.", path.string())};
  }
  if (reason == ENOTDIR) {
    return {.code = std::string(codes::state_unusable),
            .message = fmt::format("{} is not a directory, or is a symbolic link; none is followed here.",
                                   path.string())};
  }
  return file_error(path, "can't be opened", reason);
}

}  // namespace

Error file_error(const std::filesystem::path& file, std::string_view what, int reason) {
  return {.code = std::string(codes::state_unusable),
          .message = fmt::format("{} {}: {}.", file.string(), what, std::generic_category().message(reason)),
          .detail = {{"errno", reason}}};
}

Result<Descriptor> open_private_directory(const std::filesystem::path& path) {
  Descriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!directory) return fail(open_error(path, errno));
  if (auto checked = check_private(directory, path); !checked) return fail(std::move(checked.error()));
  return directory;
}

Result<Descriptor> open_private_file(const Descriptor& directory, const std::filesystem::path& path,
                                     std::string_view name, int flags) {
  const auto file = path / name;
  // O_NONBLOCK: opening a FIFO that somebody put there must not wait for a writer.
  Descriptor opened(::openat(directory.get(), std::string(name).c_str(),
                             flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
  if (!opened) return fail(open_error(file, errno));
  if (auto checked = check_regular(opened, file); !checked) return fail(std::move(checked.error()));
  if (auto checked = check_private(opened, file); !checked) return fail(std::move(checked.error()));
  return opened;
}

Result<std::string> read_all(const Descriptor& file, const std::filesystem::path& path,
                             std::size_t max_bytes) {
  std::string content;
  char buffer[4096];
  for (;;) {
    const auto count = ::read(file.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(file_error(path, "can't be read", errno));
    if (count == 0) return content;
    content.append(buffer, static_cast<std::size_t>(count));
    if (content.size() > max_bytes) {
      return fail(codes::state_unusable,
                  fmt::format("{} is larger than {} bytes.", path.string(), max_bytes));
    }
  }
}

Result<> write_all(const Descriptor& file, const std::filesystem::path& path, std::string_view content) {
  while (!content.empty()) {
    const auto count = ::write(file.get(), content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(file_error(path, "can't be written", errno));
    content.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

}  // namespace instantstart::store
