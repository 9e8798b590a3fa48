#include "operations/scheduler.h"

#include <algorithm>

namespace instantstart::operations {

/// In the frame of a running operation, however that ends.
class Scheduler::Running {
 public:
  Running(Scheduler& scheduler, Entry& entry) : scheduler_(scheduler), entry_(entry) {}
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() {
    entry_.runner.reset();
    --scheduler_.running_;
    if (scheduler_.running_ == 0) scheduler_.idle_.notify();
  }

 private:
  Scheduler& scheduler_;
  Entry& entry_;
};

void Scheduler::adopt(Hold hold, SteadyTime wake) {
  const std::string id = hold.operation_id;
  Entry& entry = owned_[id];
  if (entry.hold.epoch >= hold.epoch) return;
  entry.hold = std::move(hold);
  entry.claimed = {parts_.time.steady(), parts_.time.wall()};
  entry.timings.clear();
  if (entry.runner || wake <= parts_.time.steady()) {
    look_at(id, entry);
  } else {
    set_wake(id, entry, wake);
  }
}

void Scheduler::wake(const std::vector<std::string>& ids) {
  for (const auto& id : ids) {
    parts_.notices.changed(id, true);
    if (const auto found = owned_.find(id); found != owned_.end()) look_at(id, found->second);
  }
}

void Scheduler::wake_all() {
  for (auto& [id, entry] : owned_) {
    parts_.notices.changed(id, true);
    look_at(id, entry);
  }
}

void Scheduler::look_at(const std::string& id, Entry& entry) {
  set_wake(id, entry, SteadyTime::max());
  if (entry.runner) {
    entry.runner->poke();
    return;
  }
  if (!entry.queued) ready_.push_back(id);
  entry.queued = true;
  pump();
}

void Scheduler::set_wake(const std::string& id, Entry& entry, SteadyTime wake) {
  if (entry.wake != SteadyTime::max()) wakes_.erase({entry.wake, id});
  entry.wake = wake;
  if (wake == SteadyTime::max()) return;
  const auto at = wakes_.emplace(wake, id).first;
  if (at == wakes_.begin()) earlier_.notify();
}

void Scheduler::pump() {
  while (!parts_.stopping && running_ < std::max<std::size_t>(parts_.options.parallel_operations, 1) &&
         !ready_.empty()) {
    const std::string id = std::move(ready_.front());
    ready_.pop_front();
    const auto found = owned_.find(id);
    if (found == owned_.end()) continue;
    found->second.queued = false;
    ++running_;
    found->second.runner = std::make_shared<OperationRunner>(
        parts_, found->second.hold, found->second.claimed, std::move(found->second.timings));
    parts_.group.spawn("operation", drive(id));
  }
}

asio::awaitable<void> Scheduler::drive(std::string id) {
  Entry& entry = owned_.at(id);  // Stays: an entry with a runner is only erased here.
  const auto runner = entry.runner;
  OperationRunner::Rest found;
  {
    const Running running(*this, entry);
    found = co_await runner->run();
  }
  rest(id, entry, std::move(found), *runner);
  pump();
}

void Scheduler::rest(const std::string& id, Entry& entry, OperationRunner::Rest rest,
                     const OperationRunner& runner) {
  if (entry.hold.epoch != runner.hold().epoch) {
    look_at(id, entry);  // Taken anew while it ran.
  } else if (rest.over) {
    set_wake(id, entry, SteadyTime::max());
    owned_.erase(id);
  } else {
    entry.timings = std::move(rest.timings);
    if (runner.poked()) {
      look_at(id, entry);
    } else {
      set_wake(id, entry, rest.wake);
    }
  }
}

asio::awaitable<void> Scheduler::run_timer() {
  while (true) {
    const auto seen = earlier_.generation();
    while (!wakes_.empty() && wakes_.begin()->first <= parts_.time.steady()) {
      const std::string id = wakes_.begin()->second;
      look_at(id, owned_.at(id));
    }
    const auto next = wakes_.empty() ? SteadyTime::max() : wakes_.begin()->first;
    co_await earlier_.wait_after(seen, net::Deadline{next});
  }
}

asio::awaitable<void> Scheduler::drain() {
  for (auto& [id, entry] : owned_) {
    if (entry.runner) entry.runner->poke();
  }
  while (running_ > 0) {
    const auto seen = idle_.generation();
    co_await idle_.wait_after(seen, net::Deadline::never());
  }
}

void Scheduler::forget_all() {
  owned_.clear();
  ready_.clear();
  wakes_.clear();
}

}  // namespace instantstart::operations
