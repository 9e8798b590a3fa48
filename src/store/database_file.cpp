#include "store/database_file.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include "base/error_codes.h"
#include "store/descriptor.h"

namespace instantstart::store {
namespace {

std::unexpected<Error> unusable(const std::filesystem::path& file, std::string_view what) {
  return fail(codes::state_unusable, fmt::format("The store {} {}", file.string(), what));
}

std::unexpected<Error> failed(const std::filesystem::path& file, int reason) {
  return unusable(file, fmt::format("can't be made: {}.", std::generic_category().message(reason)));
}

Result<> make(const std::filesystem::path& file) {
  const Descriptor made(::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!made) return failed(file, errno);
  const Descriptor directory(::open(file.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory || ::fsync(made.get()) != 0 || ::fsync(directory.get()) != 0) return failed(file, errno);
  return {};
}

}  // namespace

Result<std::filesystem::path> ensure_database_file(const std::filesystem::path& file) {
  std::error_code failure;
  const auto directory = std::filesystem::canonical(std::filesystem::absolute(file).parent_path(), failure);
  if (failure) return failed(file, failure.value());
  auto path = directory / file.filename();

  struct stat facts = {};
  if (::lstat(path.c_str(), &facts) == 0) {
    if (!S_ISREG(facts.st_mode)) return unusable(path, "is not a regular file.");
    return path;
  }
  if (errno != ENOENT) return failed(path, errno);
  if (auto made = make(path); !made) return fail(std::move(made.error()));
  return path;
}

}  // namespace instantstart::store
