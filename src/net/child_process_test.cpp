#include "net/child_process.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>

#include "base/error_codes.h"
#include "net/testing/virtual_time.h"

namespace instantstart::net {
namespace {

/// Children are real and time is not: deadlines pass only where a test says so.
class ChildProcessTest : public testing::Test {
 protected:
  void turn_until(const std::function<bool()>& done) {
    while (!done()) {
      time->context().restart();
      if (time->context().run_one_for(std::chrono::seconds(20)) == 0) {
        throw std::runtime_error("nothing happens any more");
      }
    }
  }

  template <class T>
  T run(asio::awaitable<T> task) {
    std::optional<T> value;
    asio::co_spawn(time->context(), std::move(task),
                   [&](const std::exception_ptr&, T result) { value = std::move(result); });
    turn_until([&] { return value.has_value(); });
    return std::move(*value);
  }

  ChildResult run_well(ChildSpec spec) {
    auto result = run(run_child(*time, std::move(spec), Deadline::never()));
    if (!result) throw std::runtime_error(result.error().message);
    return std::move(*result);
  }

  std::unique_ptr<ChildProcess> start(ChildSpec spec) {
    auto child = ChildProcess::start(time->context().get_executor(), *time, std::move(spec));
    if (!child) throw std::runtime_error(child.error().message);
    return std::move(*child);
  }

  std::string refusal(ChildSpec spec) {
    const auto child = ChildProcess::start(time->context().get_executor(), *time, std::move(spec));
    return child ? "started" : child.error().code;
  }

  /// A child that says that it is ready and then goes on with a small program.
  static ChildSpec script(const std::string& text) {
    return {.program = "/bin/sh", .arguments = {"-c", text}, .readiness_variable = "READY_FD"};
  }

  /// Neither running nor a zombie of ours.
  static bool gone(int pid) { return ::kill(pid, 0) != 0 && errno == ESRCH; }

  /// Whether a process that is not our child ends, or has ended.
  static bool ends(int pid) {
    const int process = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    if (process < 0) return errno == ESRCH;
    pollfd end{.fd = process, .events = POLLIN};
    const bool ended = ::poll(&end, 1, 10'000) == 1;
    ::close(process);
    return ended;
  }

  std::unique_ptr<VirtualTime> time = std::make_unique<VirtualTime>();
};

constexpr const char* k_sleep = "echo up >&$READY_FD; exec /bin/sleep 1000";

TEST_F(ChildProcessTest, InputGoesInAndOutputComesOut) {
  const std::string input(900'000, 'x');
  const auto result = run_well({.program = "/bin/cat", .input = input, .out = Captured{}});
  EXPECT_TRUE(result.exit.good());
  EXPECT_TRUE(result.out.bytes == input);
  EXPECT_FALSE(result.out.cut);
}

TEST_F(ChildProcessTest, StandardErrorIsApart) {
  const auto result = run_well({.program = "/bin/sh",
                                .arguments = {"-c", "echo a; echo b >&2"},
                                .out = Captured{},
                                .err = Captured{}});
  EXPECT_EQ(result.out.bytes, "a\n");
  EXPECT_EQ(result.err.bytes, "b\n");
}

TEST_F(ChildProcessTest, ArgumentsAreNotInterpreted) {
  const auto result = run_well(
      {.program = "/bin/echo", .arguments = {"$HOME", "a b", "*", "; false", ""}, .out = Captured{}});
  EXPECT_EQ(result.out.bytes, "$HOME a b * ; false \n");
}

TEST_F(ChildProcessTest, TheEnvironmentAndTheDirectoryAreThoseGiven) {
  const auto environment =
      run_well({.program = "/usr/bin/env", .environment = {"A=1", "B=x=y"}, .out = Captured{}});
  EXPECT_EQ(environment.out.bytes, "A=1\nB=x=y\n");
  const auto directory =
      run_well({.program = "/bin/pwd", .working_directory = "/usr/bin", .out = Captured{}});
  EXPECT_EQ(directory.out.bytes, "/usr/bin\n");
}

TEST_F(ChildProcessTest, HowItEndedIsAValue) {
  EXPECT_EQ(run_well({.program = "/bin/false"}).exit, ChildExit{.status = 1});
  const auto killed = run_well({.program = "/bin/sh", .arguments = {"-c", "kill -9 $$"}});
  EXPECT_EQ(killed.exit, ChildExit{.signal = SIGKILL});
}

TEST_F(ChildProcessTest, WhatCannotStartSaysWhy) {
  EXPECT_EQ(refusal({.program = "/no/such/program"}), codes::not_found);
  EXPECT_EQ(refusal({.program = "/bin/true", .working_directory = "/no/such/place"}), codes::not_found);
  EXPECT_EQ(refusal({.program = "/etc/passwd"}), codes::unavailable);
  EXPECT_EQ(refusal({.program = "true"}), codes::invalid_request);
  EXPECT_EQ(refusal({.program = "/bin/true", .working_directory = "tmp"}), codes::invalid_request);
  EXPECT_EQ(refusal({.program = "/bin/true", .arguments = {std::string("a\0b", 3)}}), codes::invalid_request);
  EXPECT_EQ(refusal({.program = "/bin/true", .environment = {"A"}}), codes::invalid_request);
  EXPECT_EQ(refusal({.program = "/bin/true", .environment = {"1A=b"}}), codes::invalid_request);
  EXPECT_EQ(refusal({.program = "/bin/true", .environment = {"R=1"}, .readiness_variable = "R"}),
            codes::invalid_request);
  EXPECT_EQ(refusal({.program = "/bin/true", .out = Captured{}, .detached = true}), codes::invalid_request);
}

TEST_F(ChildProcessTest, OutputPastTheBoundIsDroppedAndHoldsNobodyUp) {
  const auto result =
      run_well({.program = "/bin/cat", .input = std::string(500'000, 'x'), .out = Captured{.most = 10}});
  EXPECT_TRUE(result.exit.good());
  EXPECT_EQ(result.out.bytes, "xxxxxxxxxx");
  EXPECT_TRUE(result.out.cut);
}

TEST_F(ChildProcessTest, OutputMayGoToADescriptor) {
  const int file = ::memfd_create("log", MFD_CLOEXEC);
  run_well({.program = "/bin/echo", .arguments = {"logged"}, .out = ToDescriptor{file}});
  std::string text(64, '\0');
  const ssize_t size = ::pread(file, text.data(), text.size(), 0);
  ::close(file);
  EXPECT_EQ(text.substr(0, static_cast<std::size_t>(std::max<ssize_t>(size, 0))), "logged\n");
}

TEST_F(ChildProcessTest, NoOtherDescriptorIsInherited) {
  const int careless = ::open("/dev/null", O_RDONLY);  // Without close-on-exec.
  ASSERT_GE(careless, 3);
  const auto result = run_well({.program = "/bin/ls", .arguments = {"/proc/self/fd"}, .out = Captured{}});
  ::close(careless);
  EXPECT_EQ(result.out.bytes, "0\n1\n2\n3\n") << "the last is that of the listed directory";
}

TEST_F(ChildProcessTest, AtTheDeadlineItIsEnded) {
  std::optional<Result<ChildResult>> result;
  asio::co_spawn(time->context(),
                 run_child(*time, {.program = "/usr/bin/yes", .out = Captured{}},
                           Deadline::in(*time, std::chrono::seconds(5))),
                 [&](const std::exception_ptr&, Result<ChildResult> got) { result = std::move(got); });
  turn_until([turns = 0]() mutable { return ++turns > 20; });
  EXPECT_FALSE(result) << "it writes without an end, and the loop still turns";
  time->run_until([&] { return time->steady() >= SteadyTime(std::chrono::seconds(5)); });
  turn_until([&] { return result.has_value(); });
  ASSERT_FALSE(*result);
  EXPECT_EQ(result->error().code, codes::deadline_exceeded);
}

TEST_F(ChildProcessTest, StopAsksFirst) {
  const auto child = start(script(k_sleep));
  ASSERT_TRUE(run(child->ready(Deadline::never())));
  EXPECT_EQ(run(child->stop()), ChildExit{.signal = SIGTERM});
  EXPECT_FALSE(child->running());
  EXPECT_EQ(run(child->stop()), ChildExit{.signal = SIGTERM}) << "a second time is harmless";
}

TEST_F(ChildProcessTest, WhoeverDoesNotListenIsKilledAfterTheGrace) {
  const auto child = start(script(std::string("trap '' TERM; ") + k_sleep));
  ASSERT_TRUE(run(child->ready(Deadline::never())));
  std::optional<ChildExit> exit;
  asio::co_spawn(time->context(), child->stop(),
                 [&](const std::exception_ptr&, ChildExit how) { exit = how; });
  time->run_for(std::chrono::milliseconds(4'999));
  EXPECT_TRUE(child->running());
  EXPECT_FALSE(exit);
  time->run_for(std::chrono::milliseconds(1));
  turn_until([&] { return exit.has_value(); });
  EXPECT_EQ(*exit, ChildExit{.signal = SIGKILL});
}

TEST_F(ChildProcessTest, WhatItLeftBehindInItsGroupIsKilledAndNotWaitedFor) {
  const auto result =
      run_well({.program = "/bin/sh", .arguments = {"-c", "/bin/sleep 1000 & echo $!"}, .out = Captured{}});
  EXPECT_TRUE(result.exit.good());
  EXPECT_TRUE(ends(std::stoi(result.out.bytes)));
}

TEST_F(ChildProcessTest, CancellationEndsIt) {
  asio::cancellation_signal cancel;
  bool ended = false;
  asio::co_spawn(time->context(),
                 run_child(*time, {.program = "/bin/sleep", .arguments = {"1000"}}, Deadline::never()),
                 asio::bind_cancellation_slot(
                     cancel.slot(), [&](const std::exception_ptr& error, const Result<ChildResult>&) {
                       EXPECT_TRUE(error != nullptr);
                       ended = true;
                     }));
  time->run_for(std::chrono::milliseconds(1));
  cancel.emit(asio::cancellation_type::terminal);
  turn_until([&] { return ended; });
  // The loop holds nothing more once the child is reaped.
  time->context().restart();
  time->context().run();
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD) << "no zombie is left";
}

TEST_F(ChildProcessTest, DestroyingItEndsItInTheBackground) {
  auto child = start(script(k_sleep));
  const int pid = child->pid();
  ASSERT_TRUE(run(child->ready(Deadline::never())));
  child.reset();
  time->context().restart();
  time->context().run();
  EXPECT_TRUE(gone(pid));
}

TEST_F(ChildProcessTest, ALoopThatGoesFirstTakesItAlong) {
  auto child = start(script(std::string("trap '' TERM; ") + k_sleep));
  const int pid = child->pid();
  ASSERT_TRUE(run(child->ready(Deadline::never())));
  child.reset();
  EXPECT_FALSE(gone(pid));
  time.reset();
  EXPECT_TRUE(gone(pid));
}

TEST_F(ChildProcessTest, ADetachedChildLivesOnInASessionOfItsOwn) {
  auto spec = script(k_sleep);
  spec.detached = true;
  auto child = start(std::move(spec));
  const int pid = child->pid();
  ASSERT_TRUE(run(child->ready(Deadline::never())));
  EXPECT_EQ(::getsid(pid), pid);
  child.reset();
  time->context().restart();
  time->context().run();
  time.reset();
  EXPECT_EQ(::waitpid(pid, nullptr, WNOHANG), 0) << "it runs";
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
}

TEST_F(ChildProcessTest, TheLineOfAReadyChildIsGiven) {
  const auto child =
      start(script("printf 'http://127.0.0.1:1' >&$READY_FD; printf '23\\nmore' >&$READY_FD;"
                   "exec /bin/sleep 1000"));
  const auto line = run(child->ready(Deadline::never()));
  ASSERT_TRUE(line) << line.error().message;
  EXPECT_EQ(*line, "http://127.0.0.1:123");
  run(child->stop());
}

TEST_F(ChildProcessTest, AChildThatEndsBeforeItIsReadySaysHow) {
  const auto child = start(script("exit 3"));
  const auto line = run(child->ready(Deadline::never()));
  ASSERT_FALSE(line);
  EXPECT_EQ(line.error().code, codes::unavailable);
  EXPECT_EQ(line.error().detail.at("status"), 3);
  EXPECT_EQ(run(child->wait(Deadline::never())), ChildExit{.status = 3});
}

TEST_F(ChildProcessTest, AChildThatNeverSaysThatItIsReadyIsNotWaitedForForEver) {
  const auto silent = start(script("exec 3>&-; exec /bin/sleep 1000"));
  std::optional<Result<std::string>> line;
  asio::co_spawn(time->context(), silent->ready(Deadline::never()),
                 [&](const std::exception_ptr&, Result<std::string> got) { line = std::move(got); });
  while (!line) time->run_for(milliseconds(100));
  EXPECT_EQ(line->error().code, codes::unavailable);
  const auto talker = start(script("/usr/bin/head -c 10000 /dev/zero >&$READY_FD; exec /bin/sleep 1000"));
  EXPECT_EQ(run(talker->ready(Deadline::never())).error().code, codes::unavailable);
  const auto slow = start(script("exec /bin/sleep 1000"));
  EXPECT_EQ(run(slow->ready(Deadline{time->steady()})).error().code, codes::deadline_exceeded);
  const auto dumb = start({.program = "/bin/sleep", .arguments = {"1000"}});
  EXPECT_EQ(run(dumb->ready(Deadline::never())).error().code, codes::invalid_request);
  for (const auto* child : {&silent, &talker, &slow, &dumb}) run((*child)->stop());
}

}  // namespace
}  // namespace instantstart::net
