// Runs coroutines of this room in virtual time.
#pragma once

#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>

#include <boost/asio/co_spawn.hpp>

#include "net/task.h"
#include "net/testing/virtual_time.h"

namespace instantstart::aws {

/// `outcome` is set when the task ends, and lives until then.
template <class T>
void start(net::VirtualTime& time, Task<T> task, std::optional<Result<T>>& outcome) {
  asio::co_spawn(time.context(), std::move(task),
                 [&outcome](const std::exception_ptr& error, Result<T> result) {
                   if (error) std::rethrow_exception(error);
                   outcome = std::move(result);
                 });
}

/// Lets time run until the task has ended.
template <class T>
Result<T> run(net::VirtualTime& time, Task<T> task) {
  std::optional<Result<T>> outcome;
  start(time, std::move(task), outcome);
  if (!time.run_until([&] { return outcome.has_value(); }))
    throw std::runtime_error("the task waits for nothing");
  return std::move(*outcome);
}

}  // namespace instantstart::aws
