// Runs a task from a test that isn't a coroutine itself.
#pragma once

#include <exception>
#include <optional>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "net/task.h"

namespace instantstart::store {

/// Starts the task; the loop has to be run for it to go on. `outcome` is set when it ends and must live until
/// then.
template <class T>
void start_task(asio::io_context& loop, Task<T> task, std::optional<Result<T>>& outcome) {
  asio::co_spawn(loop, std::move(task), [&outcome](const std::exception_ptr& exception, Result<T> result) {
    if (exception) std::rethrow_exception(exception);
    outcome.emplace(std::move(result));
  });
}

/// Runs the loop until it has nothing left to do, and with it the task to its end. An exception of the task
/// comes out here.
template <class T>
Result<T> run_task(asio::io_context& loop, Task<T> task) {
  std::optional<Result<T>> outcome;
  start_task(loop, std::move(task), outcome);
  loop.restart();
  loop.run();
  return std::move(outcome.value());
}

}  // namespace instantstart::store
