#include <atomic>
#include <cerrno>

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "store/testing/file_faults.h"

namespace instantstart::store {
namespace {

std::atomic<const FileFaults::Hooks*> active_hooks = nullptr;

/// True when the call has to fail; errno is set then.
bool fails(std::function<int()> FileFaults::Hooks::* hook) {
  const auto* hooks = active_hooks.load();
  if (hooks == nullptr || !(hooks->*hook)) return false;
  const int reason = (hooks->*hook)();
  if (reason != 0) errno = reason;
  return reason != 0;
}

}  // namespace

FileFaults::FileFaults(Hooks hooks) : hooks_(std::move(hooks)) { active_hooks.store(&hooks_); }
FileFaults::~FileFaults() { active_hooks.store(nullptr); }

}  // namespace instantstart::store

using instantstart::store::FileFaults;

extern "C" {

ssize_t pwrite64(int file, const void* bytes, size_t count, off64_t offset) {
  if (instantstart::store::fails(&FileFaults::Hooks::on_write)) return -1;
  return ::syscall(SYS_pwrite64, file, bytes, count, offset);
}

ssize_t pwrite(int file, const void* bytes, size_t count, off_t offset) {
  return pwrite64(file, bytes, count, offset);
}

int fsync(int file) {
  if (instantstart::store::fails(&FileFaults::Hooks::on_sync)) return -1;
  return static_cast<int>(::syscall(SYS_fsync, file));
}

int fdatasync(int file) {
  if (instantstart::store::fails(&FileFaults::Hooks::on_sync)) return -1;
  return static_cast<int>(::syscall(SYS_fdatasync, file));
}

}  // extern "C"
