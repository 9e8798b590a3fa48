// Which operations run now, and when the others look again.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "net/signal.h"
#include "operations/engine_parts.h"
#include "operations/operation_runner.h"

namespace instantstart::operations {

/// Loop thread only. An operation that rests is a few bytes here; one timer wakes the first.
class Scheduler {
 public:
  explicit Scheduler(EngineParts& parts) : parts_(parts), earlier_(parts.time), idle_(parts.time) {}

  /// We hold this operation now. Looks at it at `wake`; SteadyTime::max(): only when told to.
  void adopt(Hold hold, SteadyTime wake);
  /// Looks at those of them that we hold.
  void wake(const std::vector<std::string>& ids);

  void wake_all();

  /// Runs until it is cancelled.
  asio::awaitable<void> run_timer();

  /// After EngineParts::stopping is set: returns when nothing runs any more.
  asio::awaitable<void> drain();
  /// We hold nothing any more. Only when nothing runs.
  void forget_all();

  std::size_t held() const { return owned_.size(); }

 private:
  struct Entry {
    Hold hold;
    Anchor claimed;
    Timings timings;
    std::shared_ptr<OperationRunner> runner;
    bool queued = false;
    SteadyTime wake = SteadyTime::max();
  };
  class Running;

  void look_at(const std::string& id, Entry& entry);
  void set_wake(const std::string& id, Entry& entry, SteadyTime wake);
  void pump();
  asio::awaitable<void> drive(std::string id);
  void rest(const std::string& id, Entry& entry, OperationRunner::Rest rest, const OperationRunner& runner);

  EngineParts& parts_;
  std::unordered_map<std::string, Entry> owned_;
  std::deque<std::string> ready_;
  std::set<std::pair<SteadyTime, std::string>> wakes_;
  std::size_t running_ = 0;
  net::Signal earlier_;  ///< The first of `wakes_` changed.
  net::Signal idle_;
};

}  // namespace instantstart::operations
