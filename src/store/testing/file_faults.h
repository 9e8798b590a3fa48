// Makes the disk of this test program fail, fill up or take its time. Stands in for libc's pwrite64, write,
// fsync and fdatasync, which SQLite calls; linked into this room's tests only.
#pragma once

#include <cstdint>
#include <functional>

namespace instantstart::store {

/// While it lives, `on_write` and `on_sync` are asked before each call, on the thread that makes it: 0 lets
/// it pass, an errno fails it. Either may be empty. One at a time; what the calls refer to is the test's
/// affair.
class FileFaults {
 public:
  struct Hooks {
    std::function<int()> on_write;
    std::function<int()> on_sync;
  };
  explicit FileFaults(Hooks hooks);
  ~FileFaults();
  FileFaults(const FileFaults&) = delete;
  FileFaults& operator=(const FileFaults&) = delete;

 private:
  Hooks hooks_;
};

}  // namespace instantstart::store
