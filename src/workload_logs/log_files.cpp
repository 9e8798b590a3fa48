#include "workload_logs/log_files.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "base/error_codes.h"
#include "store/private_file.h"

namespace instantstart::workload_logs {

Result<std::shared_ptr<LogFile>> LogFile::open(const std::filesystem::path& folder, const std::string& name) {
  const auto directory = store::open_private_directory(folder);
  if (!directory) return fail(directory.error());
  auto file = store::open_private_file(*directory, folder, name, O_RDWR | O_CREAT);
  if (!file) return fail(file.error());
  return std::shared_ptr<LogFile>(new LogFile(folder / name, std::move(*file)));
}

Result<> LogFile::write(std::int64_t at, std::string_view bytes) const {
  while (!bytes.empty()) {
    const auto count = ::pwrite(file_.get(), bytes.data(), bytes.size(), at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(store::file_error(path_, "can't be written", errno));
    bytes.remove_prefix(static_cast<std::size_t>(count));
    at += count;
  }
  if (::fdatasync(file_.get()) != 0) return fail(store::file_error(path_, "can't be written", errno));
  return {};
}

Result<std::string> LogFile::read(std::int64_t at, std::size_t most) const {
  std::string bytes(most, '\0');
  std::size_t have = 0;
  while (have < most) {
    const auto count =
        ::pread(file_.get(), bytes.data() + have, most - have, at + static_cast<std::int64_t>(have));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(store::file_error(path_, "can't be read", errno));
    if (count == 0) break;
    have += static_cast<std::size_t>(count);
  }
  bytes.resize(have);
  return bytes;
}

Result<> LogFile::cut(std::int64_t end) const {
  if (::ftruncate(file_.get(), end) != 0) return fail(store::file_error(path_, "can't be cut", errno));
  return {};
}

Result<> LogFile::drop(std::int64_t until) const {
  if (until <= 0) return {};
  if (::fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, until) != 0) {
    return fail(store::file_error(path_, "can't be shortened", errno));
  }
  return {};
}

Result<> make_folder(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder.parent_path(), failed);
  if (failed) return fail(store::file_error(folder.parent_path(), "can't be made", failed.value()));
  if (std::filesystem::create_directory(folder, failed)) {
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, failed);
  }
  if (failed) return fail(store::file_error(folder, "can't be made", failed.value()));
  const auto opened = store::open_private_directory(folder);
  if (!opened) return fail(opened.error());
  return {};
}

Result<> remove_folder(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::remove_all(folder, failed);
  if (failed) return fail(store::file_error(folder, "can't be removed", failed.value()));
  return {};
}

}  // namespace instantstart::workload_logs
