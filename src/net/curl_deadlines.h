// The deadlines of all requests, on one watchdog that runs only while there is a request.
#pragma once

#include <functional>
#include <memory>

#include <boost/asio/any_io_executor.hpp>

#include "net/time.h"
#include "net/watchdog.h"

namespace instantstart::net {

/// Loop thread only.
class CurlDeadlines {
 public:
  CurlDeadlines(asio::any_io_executor executor, Timekeeper& time);

  struct State;

  /// One deadline, watched while this lives. May outlive the watch.
  class Entry {
   public:
    /// `passed` is called once, soon after the deadline; never from within this call. It must not end the
    /// life of an entry.
    Entry(const CurlDeadlines& watch, Deadline deadline, std::function<void()> passed);
    ~Entry();
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

   private:
    std::shared_ptr<State> state_;
    Watchdog::Limit limit_;
  };

 private:
  std::shared_ptr<State> state_;
};

}  // namespace instantstart::net
