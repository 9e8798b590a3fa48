#include "net/child_spawn.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "net/http_characters.h"

namespace instantstart::net {

namespace {

/// The child's number of the descriptor on which it says that it is ready.
constexpr int k_readiness = 3;
/// Copies of what the child gets are put above its own numbers, so that none is overwritten before its turn.
constexpr int k_above_the_childs = 10;

std::string reason_of(int error) { return std::system_category().message(error); }

std::unexpected<Error> no_resources(int error) {
  return fail(codes::unavailable, fmt::format("A child process cannot be prepared: {}.", reason_of(error)));
}

bool has_nul(std::string_view text) { return text.contains('\0'); }

bool is_variable_name(std::string_view name) {
  const auto is_good = [](char c) { return is_alphanumeric(c) || c == '_'; };
  return !name.empty() && !is_digit(name.front()) && std::ranges::all_of(name, is_good);
}

Result<> check(const ChildSpec& spec) {
  const auto bad = [](std::string_view why) {
    return fail(codes::invalid_request, fmt::format("The child process {}.", why));
  };
  if (!spec.program.starts_with('/') || has_nul(spec.program)) return bad("needs an absolute path");
  if (!spec.working_directory.starts_with('/') || has_nul(spec.working_directory)) {
    return bad("needs an absolute working directory");
  }
  if (std::ranges::any_of(spec.arguments, has_nul)) return bad("has an argument with a NUL");
  for (const std::string_view variable : spec.environment) {
    const std::size_t end = variable.find('=');
    if (end == std::string_view::npos || !is_variable_name(variable.substr(0, end)) || has_nul(variable)) {
      return bad("has an environment variable that is not NAME=value");
    }
    if (variable.substr(0, end) == spec.readiness_variable) {
      return bad("has its readiness variable in its environment already");
    }
  }
  if (!spec.readiness_variable.empty() && !is_variable_name(spec.readiness_variable)) {
    return bad("has a readiness variable that is not a name");
  }
  const auto is_captured = [](const ChildOutput& output) { return std::holds_alternative<Captured>(output); };
  if (spec.detached && (is_captured(spec.out) || is_captured(spec.err))) {
    return bad("is detached, so its output cannot be captured");
  }
  return {};
}

Result<OwnedDescriptor> copy_of(int descriptor) {
  OwnedDescriptor copy(::fcntl(descriptor, F_DUPFD_CLOEXEC, k_above_the_childs));
  if (!copy) return no_resources(errno);
  return copy;
}

Result<OwnedDescriptor> open_null(int mode) {
  const OwnedDescriptor null(::open("/dev/null", mode | O_CLOEXEC));
  if (!null) return no_resources(errno);
  return copy_of(null.get());
}

/// A file in memory, so that nobody has to feed the child while it runs.
Result<OwnedDescriptor> open_input(std::string_view bytes) {
  if (bytes.empty()) return open_null(O_RDONLY);
  const OwnedDescriptor file(::memfd_create("standard input", MFD_CLOEXEC));
  if (!file) return no_resources(errno);
  while (!bytes.empty()) {
    const ssize_t count = ::write(file.get(), bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) return no_resources(errno);
    if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  if (::lseek(file.get(), 0, SEEK_SET) != 0) return no_resources(errno);
  return copy_of(file.get());
}

struct Pipe {
  OwnedDescriptor ours;
  OwnedDescriptor childs;
};

Result<Pipe> open_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return no_resources(errno);
  Pipe pipe{.ours = OwnedDescriptor(ends[0])};
  const OwnedDescriptor childs(ends[1]);
  if (::fcntl(pipe.ours.get(), F_SETFL, O_NONBLOCK) != 0) return no_resources(errno);
  auto copy = copy_of(childs.get());
  if (!copy) return fail(std::move(copy.error()));
  pipe.childs = std::move(*copy);
  return pipe;
}

Result<Pipe> open_output(const ChildOutput& output, int own) {
  if (std::holds_alternative<Captured>(output)) return open_pipe();
  auto childs = std::holds_alternative<Discarded>(output) ? open_null(O_WRONLY)
                : std::holds_alternative<Inherited>(output)
                    ? copy_of(own)
                    : copy_of(std::get<ToDescriptor>(output).descriptor);
  if (!childs) return fail(std::move(childs.error()));
  return Pipe{.childs = std::move(*childs)};
}

/// What posix_spawn does between fork and exec.
class Preparation {
 public:
  Preparation() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
  }
  ~Preparation() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  Preparation(const Preparation&) = delete;
  Preparation& operator=(const Preparation&) = delete;

  void place(const OwnedDescriptor& descriptor, int number) {
    note(::posix_spawn_file_actions_adddup2(&actions_, descriptor.get(), number));
  }
  void close_from(int number) { note(::posix_spawn_file_actions_addclosefrom_np(&actions_, number)); }
  void enter(const std::string& directory) {
    note(::posix_spawn_file_actions_addchdir_np(&actions_, directory.c_str()));
  }
  /// Signals as a fresh process has them, in a group or a session of its own.
  void set_attributes(bool own_session) {
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    note(::posix_spawnattr_setsigmask(&attributes_, &none));
    note(::posix_spawnattr_setsigdefault(&attributes_, &all));
    note(::posix_spawnattr_setpgroup(&attributes_, 0));
    const int group = own_session ? POSIX_SPAWN_SETSID : POSIX_SPAWN_SETPGROUP;
    note(::posix_spawnattr_setflags(
        &attributes_, static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group)));
  }

  int spawn(const std::string& program, const std::vector<char*>& arguments,
            const std::vector<char*>& environment, int& pid) const {
    if (error_ != 0) return error_;
    return ::posix_spawn(&pid, program.c_str(), &actions_, &attributes_, arguments.data(),
                         environment.data());
  }

 private:
  void note(int error) {
    if (error_ == 0) error_ = error;
  }

  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
  int error_ = 0;
};

/// Pointers into `texts`, with the null at the end; posix_spawn does not write to them.
std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (auto& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

Result<int> spawn(const ChildSpec& spec, const Preparation& preparation) {
  std::vector<std::string> arguments = {spec.program};
  arguments.insert(arguments.end(), spec.arguments.begin(), spec.arguments.end());
  std::vector<std::string> environment = spec.environment;
  if (!spec.readiness_variable.empty()) {
    environment.push_back(fmt::format("{}={}", spec.readiness_variable, k_readiness));
  }
  int pid = 0;
  const int error = preparation.spawn(spec.program, pointers(arguments), pointers(environment), pid);
  if (error == 0) return pid;
  const bool missing = error == ENOENT || error == ENOTDIR;
  return fail(
      missing ? codes::not_found : codes::unavailable,
      fmt::format("Cannot start {} in {}: {}.", spec.program, spec.working_directory, reason_of(error)));
}

}  // namespace

Result<SpawnedChild> spawn_child(const ChildSpec& spec) {
  if (auto checked = check(spec); !checked) return fail(std::move(checked.error()));
  auto input = open_input(spec.input);
  if (!input) return fail(std::move(input.error()));
  auto out = open_output(spec.out, STDOUT_FILENO);
  if (!out) return fail(std::move(out.error()));
  auto err = open_output(spec.err, STDERR_FILENO);
  if (!err) return fail(std::move(err.error()));
  Result<Pipe> ready = spec.readiness_variable.empty() ? Result<Pipe>(Pipe()) : open_pipe();
  if (!ready) return fail(std::move(ready.error()));

  Preparation preparation;
  preparation.place(*input, STDIN_FILENO);
  preparation.place(out->childs, STDOUT_FILENO);
  preparation.place(err->childs, STDERR_FILENO);
  if (ready->childs) preparation.place(ready->childs, k_readiness);
  preparation.close_from(ready->childs ? k_readiness + 1 : k_readiness);
  preparation.enter(spec.working_directory);
  preparation.set_attributes(spec.detached);
  const auto pid = spawn(spec, preparation);
  if (!pid) return fail(pid.error());

  // glibc 2.36 declares pidfd_open for C only.
  OwnedDescriptor process(static_cast<int>(::syscall(SYS_pidfd_open, *pid, 0)));
  if (!process) {
    const int error = errno;
    ::kill(-*pid, SIGKILL);
    ::waitpid(*pid, nullptr, 0);
    return no_resources(error);
  }
  return SpawnedChild{.pid = *pid,
                      .process = std::move(process),
                      .out = std::move(out->ours),
                      .err = std::move(err->ours),
                      .ready = std::move(ready->ours)};
}

}  // namespace instantstart::net
