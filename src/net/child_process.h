// Child processes: a program, its arguments and its environment as data, never a shell. Nothing blocks the
// loop, every end is noticed, and a child inherits no descriptor but those named here.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "net/task.h"
#include "net/time.h"

namespace instantstart::net {

/// Where what the child writes goes.
struct Discarded {};
struct Inherited {};  ///< To our own standard output or standard error.
struct Captured {
  std::size_t most = 1024 * 1024;  ///< What comes after so many bytes is read and dropped.
};
struct ToDescriptor {
  int descriptor = -1;  ///< Stays the caller's; it may be closed once start() has returned.
};
using ChildOutput = std::variant<Discarded, Inherited, Captured, ToDescriptor>;

struct ChildSpec {
  std::string program;                   ///< An absolute path; PATH is not asked.
  std::vector<std::string> arguments;    ///< Without the program's own name, which is `program`.
  std::vector<std::string> environment;  ///< All of it, "NAME=value" each; ours is not inherited.
  std::string working_directory = "/";   ///< An absolute path.
  std::string input;                     ///< All of its standard input; empty is /dev/null.
  ChildOutput out = Discarded{};
  ChildOutput err = Discarded{};
  /// The environment variable that gets the number of a descriptor on which the child says that it is ready:
  /// one line, at most 4 KiB; nobody reads what follows it. Empty: there is no such descriptor.
  std::string readiness_variable = {};
  /// It gets a session of its own and outlives the ChildProcess and us. Its output cannot be captured.
  bool detached = false;
  /// From SIGTERM to SIGKILL.
  milliseconds grace{5'000};
};

struct ChildExit {
  int status =
      0;  ///< What it returned, 0 to 255; 0 when a signal ended it; 255 when the kernel does not know.
  int signal = 0;  ///< The signal that ended it; 0 when it returned.

  bool good() const { return status == 0 && signal == 0; }
  bool operator==(const ChildExit&) const = default;
};

struct CapturedOutput {
  std::string bytes;
  bool cut = false;  ///< There was more than `Captured::most`.
};

/// A child that was started. Loop thread only; `time` and the executor outlive the loop's last turn.
///
/// Unless it is detached it leads a process group, and signals go to the whole group; what is left of the
/// group when the child ends is killed. Destroying this object ends the child as stop() does, in the
/// background. A detached child is left alone; should it end after this object and before us, its exit status
/// stays with the kernel until we end.
class ChildProcess {
 public:
  /// Errors: `invalid_request` for a spec that cannot be meant (relative paths, a NUL in a text, a bad
  /// variable), `not_found` when the program or the directory does not exist, `unavailable` when the system
  /// refuses otherwise.
  static Result<std::unique_ptr<ChildProcess>> start(asio::any_io_executor executor, Timekeeper& time,
                                                     ChildSpec spec);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  int pid() const;
  bool running() const;  ///< As far as the loop has noticed.

  /// The line it wrote when it was ready, without the newline. Errors: `unavailable` when it ended ("status",
  /// "signal" in the detail), closed the descriptor or wrote too much without a line; `deadline_exceeded`;
  /// `invalid_request` without a readiness_variable. The child is not stopped by an error.
  Task<std::string> ready(Deadline deadline);

  /// How it ended. Error `deadline_exceeded`: it still runs.
  Task<ChildExit> wait(Deadline deadline);

  /// SIGTERM, after the grace SIGKILL, and how it ended. What began goes on when this is cancelled.
  asio::awaitable<ChildExit> stop();

  /// What it wrote so far; complete once it ended.
  const CapturedOutput& out() const;
  const CapturedOutput& err() const;

 private:
  struct State;
  explicit ChildProcess(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

struct ChildResult {
  ChildExit exit;
  CapturedOutput out;
  CapturedOutput err;
};

/// Starts a child, waits for its end and gives what was captured. At the deadline it is stopped and the error
/// is `deadline_exceeded`; on cancellation it is stopped in the background. Other errors are those of
/// start(), and `invalid_request` for a detached one.
Task<ChildResult> run_child(Timekeeper& time, ChildSpec spec, Deadline deadline);

}  // namespace instantstart::net
