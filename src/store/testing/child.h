// A process of its own inside a test: for what must die, or must have other rights.
#pragma once

#include <csignal>
#include <functional>

#include <sys/wait.h>
#include <unistd.h>

namespace instantstart::store {

/// Starts a child that runs `body` and exits with what it returns. To be called while the test has no other
/// thread.
inline pid_t start_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  return child;
}

/// Waits for the child. Its exit status, or -1 when a signal ended it.
inline int wait_for_child(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Runs `body` as a user without rights on other users' files. A test that runs as root becomes "nobody"
/// there.
inline int run_unprivileged(const std::function<int()>& body) {
  constexpr uid_t k_nobody = 65534;
  return wait_for_child(start_child([&] {
    if (::geteuid() == 0 && (::setgid(k_nobody) != 0 || ::setuid(k_nobody) != 0)) return 99;
    return body();
  }));
}

}  // namespace instantstart::store
