// Coroutines that run beside their starter and must be gone before what they use is gone.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/log.h"
#include "net/time.h"

namespace instantstart::net {

/// Loop thread only. Destroying a group with members still running is a programming error and ends the
/// process.
class TaskGroup {
 public:
  TaskGroup(asio::any_io_executor executor, Timekeeper& time, Log log);
  ~TaskGroup();
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  /// Starts a member. An exception that leaves it is logged under `name`; cancellation ends it silently.
  void spawn(std::string_view name, asio::awaitable<void> task);

  std::size_t size() const;

  /// Cancels all members and returns when the last one is gone. Afterwards `spawn` does nothing.
  asio::awaitable<void> stop();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace instantstart::net
