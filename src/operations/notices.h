// Wakes whoever waits for news of an operation.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "net/signal.h"

namespace instantstart::operations {

/// Loop thread only. Says that something changed; what it is stands in the journal.
class Notices {
 public:
  explicit Notices(net::Timekeeper& time) : time_(time), events_(time) {}

  /// `rests`: it has ended, or needs somebody; whoever waits for that looks.
  void changed(const std::string& operation_id, bool rests) {
    events_.notify();
    if (!rests) return;
    const auto found = waited_for_.find(operation_id);
    if (found == waited_for_.end()) return;
    if (const auto signal = found->second.lock()) {
      signal->notify();
    } else {
      waited_for_.erase(found);
    }
  }

  /// Notified with every change of any operation.
  net::Signal& events() { return events_; }

  /// Notified when the operation may rest. Keep it while waiting.
  std::shared_ptr<net::Signal> of(const std::string& operation_id) {
    if (waited_for_.size() >= sweep_at_) {
      std::erase_if(waited_for_, [](const auto& entry) { return entry.second.expired(); });
      sweep_at_ = 2 * waited_for_.size() + k_least_sweep;
    }
    auto& known = waited_for_[operation_id];
    auto signal = known.lock();
    if (!signal) {
      signal = std::make_shared<net::Signal>(time_);
      known = signal;
    }
    return signal;
  }

 private:
  static constexpr std::size_t k_least_sweep = 64;

  net::Timekeeper& time_;
  net::Signal events_;
  std::map<std::string, std::weak_ptr<net::Signal>, std::less<>> waited_for_;
  std::size_t sweep_at_ = k_least_sweep;
};

}  // namespace instantstart::operations
