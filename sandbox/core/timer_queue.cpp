#include "sandbox/core/timer_queue.h"

namespace instantstart::sandbox {

void TimerQueue::set(TimerName name, SteadyTime due) {
  cancel(name);
  const Entry entry{.due = due, .order = ++order_};
  by_time_.emplace(entry.due, entry.order, name);
  by_name_.emplace(std::move(name), entry);
}

bool TimerQueue::cancel(const TimerName& name) {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return false;
  by_time_.erase({found->second.due, found->second.order, name});
  by_name_.erase(found);
  return true;
}

void TimerQueue::clear() {
  by_name_.clear();
  by_time_.clear();
}

SteadyTime TimerQueue::next_due() const {
  return by_time_.empty() ? SteadyTime::max() : std::get<SteadyTime>(*by_time_.begin());
}

std::vector<TimerName> TimerQueue::take_due(SteadyTime now) {
  std::vector<TimerName> due;
  while (next_due() <= now && !by_time_.empty()) {
    due.push_back(std::get<TimerName>(*by_time_.begin()));
    cancel(due.back());
  }
  return due;
}

}  // namespace instantstart::sandbox
