// Lists in pages. All pages of one list show the collection as it was at one version: what changed since is
// undone from the history; when that doesn't reach back any more, the answer is 410 Expired.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sandbox/kubernetes/api/object_store.h"
#include "sandbox/kubernetes/api/request_info.h"
#include "sandbox/kubernetes/api/selection.h"

namespace instantstart::sandbox::kubernetes {

struct ListPage {
  std::vector<const json::object*> objects;  ///< Valid until the store changes.
  json::object metadata;                     ///< Of the list: resourceVersion, continue, remainingItemCount.
  std::vector<std::shared_ptr<const json::object>> held;  ///< Owns those that are of the past.
};

Outcome<ListPage> read_page(const ObjectStore& store, const Selection& selection,
                            const Parameters& parameters);

/// Digits; 0 when absent. 400 for anything else.
Outcome<std::int64_t> read_version(std::string_view text);

}  // namespace instantstart::sandbox::kubernetes
