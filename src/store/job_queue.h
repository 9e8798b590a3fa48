// Work on its way from the loop to a thread of the store, with the coroutine that waits for it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <vector>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>

#include "store/connection.h"

namespace instantstart::store {

struct Job {
  Work work;
  asio::any_completion_handler<void(Result<>)> done;
  asio::any_io_executor
      loop;  ///< Counts as outstanding work, while it lives: the loop doesn't end before `done` ran.
  Result<> outcome;

  /// Resumes the waiting coroutine on its loop. Any thread, once.
  void complete();
};

/// Thread-safe; first in, first out.
class JobQueue {
 public:
  void push(Job job);

  /// Waits for at least one job and takes all there are, up to the limit. Empty only when closed and drained.
  std::vector<Job> take(std::size_t limit);

  /// What is queued is still handed out; nothing may be pushed any more.
  void close();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  bool closed_ = false;
};

}  // namespace instantstart::store
