// The system's side of starting a child: descriptors and posix_spawn(3).
#pragma once

#include <utility>

#include <unistd.h>

#include "base/result.h"
#include "net/child_process.h"

namespace instantstart::net {

/// Closes what it holds.
class OwnedDescriptor {
 public:
  OwnedDescriptor() = default;
  explicit OwnedDescriptor(int descriptor) : descriptor_(descriptor) {}
  OwnedDescriptor(OwnedDescriptor&& other) noexcept : descriptor_(other.release()) {}
  OwnedDescriptor& operator=(OwnedDescriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~OwnedDescriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  int get() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }
  int release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_ = -1;
};

/// A child that runs, and our ends of its pipes: non-blocking, and empty where there is none.
struct SpawnedChild {
  int pid = 0;
  OwnedDescriptor process;  ///< A pidfd: readable once the child has ended.
  OwnedDescriptor out;
  OwnedDescriptor err;
  OwnedDescriptor ready;
};

/// Errors as ChildProcess::start. Returns once the program itself runs.
Result<SpawnedChild> spawn_child(const ChildSpec& spec);

}  // namespace instantstart::net
