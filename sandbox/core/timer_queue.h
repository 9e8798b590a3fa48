// Timers by kind and key, in the order they are due. Pure: knows no clock.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/time.h"

namespace instantstart::sandbox {

struct TimerName {
  std::string kind;
  std::string key;

  auto operator<=>(const TimerName&) const = default;
};

class TimerQueue {
 public:
  /// Replaces the timer of that name.
  void set(TimerName name, SteadyTime due);
  /// False when there is none.
  bool cancel(const TimerName& name);
  void clear();

  /// SteadyTime::max() when there is none.
  SteadyTime next_due() const;
  /// Takes out those due at `now`, earliest first; of those due at one instant, the one set first.
  std::vector<TimerName> take_due(SteadyTime now);

 private:
  struct Entry {
    SteadyTime due;
    std::uint64_t order;
  };
  std::map<TimerName, Entry> by_name_;
  std::set<std::tuple<SteadyTime, std::uint64_t, TimerName>> by_time_;
  std::uint64_t order_ = 0;
};

}  // namespace instantstart::sandbox
