// Questions about all records of a region.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/core/world.h"

namespace instantstart::sandbox::ec2 {

/// Pointers are valid until the collection changes.
template <class Record, class Predicate>
std::vector<const Record*> records_in(const Collection<Record>& records, std::string_view region,
                                      Predicate predicate) {
  std::vector<const Record*> found;
  for (const auto& [key, record] : records.starting_with(regional_id(region, ""))) {
    if (predicate(record)) found.push_back(&record);
  }
  return found;
}

template <class Record, class Predicate>
std::size_t count_in(const Collection<Record>& records, std::string_view region, Predicate predicate) {
  return records_in(records, region, predicate).size();
}

template <class Record, class Predicate>
bool any_in(const Collection<Record>& records, std::string_view region, Predicate predicate) {
  return std::ranges::any_of(records.starting_with(regional_id(region, "")),
                             [&](const auto& entry) { return predicate(entry.second); });
}

template <class T, class List>
bool contains(const List& list, const T& value) {
  return std::ranges::find(list, value) != list.end();
}

}  // namespace instantstart::sandbox::ec2
