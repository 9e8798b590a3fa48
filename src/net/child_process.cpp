#include "net/child_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <string_view>
#include <utility>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/error_codes.h"
#include "net/child_spawn.h"
#include "net/signal.h"

namespace instantstart::net {

namespace {

using boost::system::error_code;
using Descriptor = asio::posix::stream_descriptor;

constexpr std::size_t k_readiness_bytes = 4 * 1024;
constexpr std::size_t k_read_bytes = 16 * 1024;
/// What is read from one pipe in one go: a pipe that is filled as fast as it is read must not hold the loop.
constexpr int k_reads_in_one_go = 64;

/// When whoever started us told the kernel to ignore our children's ends (SIGCHLD), it keeps no status.
constexpr int k_unknown_status = 255;
/// The kernel closes what a child holds before it tells of its end, which is the better news.
constexpr milliseconds k_end_after_close{1'000};

/// Our end of a pipe, and what came out of it.
struct OutputPipe {
  OutputPipe(const asio::any_io_executor& executor, OwnedDescriptor descriptor, std::size_t most_)
      : stream(executor), most(most_) {
    if (descriptor) stream.assign(descriptor.release());
  }

  void read() {
    std::array<char, k_read_bytes> piece;
    for (int i = 0; i < k_reads_in_one_go && stream.is_open(); ++i) {
      const ssize_t count = ::read(stream.native_handle(), piece.data(), piece.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) return;
      if (count <= 0) return close();
      const std::string_view got(piece.data(), static_cast<std::size_t>(count));
      const std::string_view kept = got.substr(0, most - output.bytes.size());
      output.bytes += kept;
      output.cut = output.cut || kept.size() < got.size();
    }
  }

  void close() {
    error_code ignored;  // Nothing was written to it.
    stream.close(ignored);
  }

  Descriptor stream;
  std::size_t most;
  CapturedOutput output;
};

std::size_t most_of(const ChildOutput& output) {
  const auto* captured = std::get_if<Captured>(&output);
  return captured == nullptr ? 0 : captured->most;
}

}  // namespace

/// Shared with what waits on the loop, so that a child whose owner is gone is still ended and reaped.
struct ChildProcess::State : std::enable_shared_from_this<State> {
  State(const asio::any_io_executor& executor_, Timekeeper& time_, const ChildSpec& spec, SpawnedChild child)
      : executor(executor_),
        time(time_),
        pid(child.pid),
        detached(spec.detached),
        announces(!spec.readiness_variable.empty()),
        grace(spec.grace),
        program(spec.program),
        process(executor, child.process.release()),
        out(executor, std::move(child.out), most_of(spec.out)),
        err(executor, std::move(child.err), most_of(spec.err)),
        ready(executor, std::move(child.ready), k_readiness_bytes),
        changed(time) {}

  /// The loop went before the child: nothing is left to wait on, and nobody to be held up.
  ~State() {
    if (exit || detached) return;
    ::kill(-pid, SIGKILL);
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

  void watch() {
    watch_end();
    for (OutputPipe* pipe : {&out, &err, &ready}) watch(*pipe);
  }

  void watch_end() {
    process.async_wait(Descriptor::wait_read, [self = shared_from_this()](const error_code& error) {
      if (!error) self->on_end();
    });
  }

  void watch(OutputPipe& pipe) {
    if (!pipe.stream.is_open()) return;
    pipe.stream.async_wait(Descriptor::wait_read,
                           [self = shared_from_this(), &pipe](const error_code& error) {
                             if (error) return;
                             pipe.read();
                             self->changed.notify();
                             self->watch(pipe);
                           });
  }

  void on_end() {
    // Before it is reaped, since until then nobody else can have its number.
    if (!detached) ::kill(-pid, SIGKILL);
    siginfo_t info{};
    const int waited = ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG);
    if (waited == 0 && info.si_pid != pid) return watch_end();
    if (waited != 0) {
      exit = ChildExit{.status = k_unknown_status};
    } else if (info.si_code == CLD_EXITED) {
      exit = ChildExit{.status = info.si_status};
    } else {
      exit = ChildExit{.signal = info.si_status};
    }
    // A process that got away may hold the pipes for ever, so their end is not waited for.
    for (OutputPipe* pipe : {&out, &err, &ready}) {
      pipe->read();
      pipe->close();
    }
    error_code ignored;  // Nothing was written to it.
    process.close(ignored);
    cancel_kill.emit(asio::cancellation_type::terminal);
    changed.notify();
  }

  void begin_to_end() {
    if (exit || ending) return;
    ending = true;
    ::kill(-pid, SIGTERM);
    asio::co_spawn(executor, kill_later(shared_from_this()),
                   asio::bind_cancellation_slot(cancel_kill.slot(), asio::detached));
  }

  static asio::awaitable<void> kill_later(std::shared_ptr<State> self) {
    co_await self->time.sleep(self->grace);
    if (!self->exit) ::kill(-self->pid, SIGKILL);
  }

  /// Without a detached child's owner nobody wants to know, and the loop must be free to end.
  void let_go() {
    for (OutputPipe* pipe : {&out, &err, &ready}) pipe->close();
    error_code ignored;  // Nothing was written to it.
    process.close(ignored);
  }

  asio::any_io_executor executor;
  Timekeeper& time;
  int pid;
  bool detached;
  bool announces;
  milliseconds grace;
  std::string program;
  Descriptor process;
  OutputPipe out;
  OutputPipe err;
  OutputPipe ready;
  Signal changed;
  asio::cancellation_signal cancel_kill;
  std::optional<ChildExit> exit;
  bool ending = false;
};

ChildProcess::ChildProcess(std::shared_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(asio::any_io_executor executor, Timekeeper& time,
                                                          ChildSpec spec) {
  auto child = spawn_child(spec);
  if (!child) return fail(std::move(child.error()));
  auto state = std::make_shared<State>(executor, time, spec, std::move(*child));
  state->watch();
  return std::unique_ptr<ChildProcess>(new ChildProcess(std::move(state)));
}

ChildProcess::~ChildProcess() {
  if (state_->detached) {
    state_->let_go();
  } else {
    state_->begin_to_end();
  }
}

int ChildProcess::pid() const { return state_->pid; }
bool ChildProcess::running() const { return !state_->exit; }
const CapturedOutput& ChildProcess::out() const { return state_->out.output; }
const CapturedOutput& ChildProcess::err() const { return state_->err.output; }

Task<std::string> ChildProcess::ready(Deadline deadline) {
  const auto state = state_;
  const auto not_ready = [&state](std::string_view why) {
    return fail(codes::unavailable, fmt::format("{} {}.", state->program, why));
  };
  if (!state->announces) {
    co_return fail(codes::invalid_request, "This child process does not say when it is ready.");
  }
  std::optional<Deadline> closed_limit;
  while (true) {
    const CapturedOutput& said = state->ready.output;
    const std::size_t end = said.bytes.find('\n');
    if (end != std::string::npos) {
      state->ready.close();
      co_return said.bytes.substr(0, end);
    }
    if (state->exit) {
      auto error = not_ready("ended before it was ready");
      error.error().detail = {{"status", state->exit->status}, {"signal", state->exit->signal}};
      co_return error;
    }
    if (said.bytes.size() >= k_readiness_bytes) co_return not_ready("said too much instead of a line");
    const bool closed = !state->ready.stream.is_open();
    if (closed && !closed_limit) closed_limit = Deadline::in(state->time, k_end_after_close);
    const Deadline limit = closed ? deadline.sooner(*closed_limit) : deadline;
    const bool in_time = co_await state->changed.wait(limit);
    if (in_time || state->exit) continue;
    if (closed) co_return not_ready("does not say when it is ready");
    co_return fail(codes::deadline_exceeded, fmt::format("{} was not ready in time.", state->program));
  }
}

Task<ChildExit> ChildProcess::wait(Deadline deadline) {
  const auto state = state_;
  while (!state->exit) {
    const bool in_time = co_await state->changed.wait(deadline);
    if (!in_time && !state->exit) {
      co_return fail(codes::deadline_exceeded, fmt::format("{} did not end in time.", state->program));
    }
  }
  co_return *state->exit;
}

asio::awaitable<ChildExit> ChildProcess::stop() {
  const auto state = state_;
  state->begin_to_end();
  while (!state->exit) co_await state->changed.wait(Deadline::never());
  co_return *state->exit;
}

Task<ChildResult> run_child(Timekeeper& time, ChildSpec spec, Deadline deadline) {
  if (spec.detached) {
    co_return fail(codes::invalid_request, "The end of a detached child process is not waited for.");
  }
  auto executor = co_await asio::this_coro::executor;
  auto child = ChildProcess::start(executor, time, std::move(spec));
  if (!child) co_return fail(std::move(child.error()));
  const auto exit = co_await (*child)->wait(deadline);
  if (!exit) {
    co_await (*child)->stop();
    co_return fail(exit.error());
  }
  co_return ChildResult{.exit = *exit, .out = (*child)->out(), .err = (*child)->err()};
}

}  // namespace instantstart::net
