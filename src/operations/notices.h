// Wakes whoever waits for news of an operation.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "net/signal.h"

namespace instantstart::operations {

/// Loop thread only. Says that something changed; what it is stands in the journal.
class Notices {
 public:
  explicit Notices(net::Timekeeper& time) : time_(time), events_(time) {}

  void changed(const std::string& operation_id) {
    events_.notify();
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

  /// Keep it while waiting.
  std::shared_ptr<net::Signal> of(const std::string& operation_id) {
    auto& known = waited_for_[operation_id];
    auto signal = known.lock();
    if (!signal) {
      signal = std::make_shared<net::Signal>(time_);
      known = signal;
    }
    return signal;
  }

  /// To be called when a wait is over.
  void forget(const std::string& operation_id) {
    const auto found = waited_for_.find(operation_id);
    if (found != waited_for_.end() && found->second.use_count() <= 1) waited_for_.erase(found);
  }

 private:
  net::Timekeeper& time_;
  net::Signal events_;
  std::map<std::string, std::weak_ptr<net::Signal>, std::less<>> waited_for_;
};

}  // namespace instantstart::operations
