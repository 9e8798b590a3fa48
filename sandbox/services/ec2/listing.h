// What every Describe call over stored records does: pick by id or take all of the region, filter, page.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sandbox/core/world.h"
#include "sandbox/services/ec2/filters.h"
#include "sandbox/services/ec2/paging.h"
#include "sandbox/services/ec2/resource_kinds.h"

namespace instantstart::sandbox::ec2 {

/// `view(record)` makes the record as it is shown, tags included; filters look at that. An id that names
/// nothing refuses the whole call.
template <class Record, class View>
Reply<Page<Record>> list_records(const Collection<Record>& records, ResourceKind kind, const Call& call,
                                 const std::optional<std::vector<std::string>>& ids, const FilterSet& filters,
                                 const PageRequest& request, View view) {
  auto pager = Pager<Record>::start(request);
  if (!pager) return std::unexpected(std::move(pager.error()));
  // False: the page is full.
  const auto take = [&](const std::string& key, const Record& record) {
    if (pager->skips(key)) return true;
    Record shown = view(record);
    if (!filters.empty() && !filters.match(json::value(record_to_json(shown)))) return true;
    return pager->add(key, std::move(shown));
  };
  if (!aws::items(ids).empty()) {
    std::set<std::string> keys;
    for (const auto& id : *ids) {
      std::string key = regional_id(call.region, id);
      if (!records.contains(key)) return not_found(kind, id);
      keys.insert(std::move(key));
    }
    for (const auto& key : keys) {
      if (!take(key, *records.find(key))) break;
    }
  } else {
    for (const auto& [key, record] : records.starting_with(regional_id(call.region, ""))) {
      if (!take(key, record)) break;
    }
  }
  return pager->take();
}

}  // namespace instantstart::sandbox::ec2
