// std::ranges::contains, which this standard library doesn't have yet.
#pragma once

#include <algorithm>

namespace instantstart::sandbox::cloudformation {

template <class Range, class Value>
bool contains(const Range& range, const Value& value) {
  return std::ranges::find(range, value) != std::ranges::end(range);
}

}  // namespace instantstart::sandbox::cloudformation
