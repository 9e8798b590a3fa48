// A page of a list that is at hand as a whole.
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "contract/answers.h"

namespace instantstart::contract {

template <class Item>
struct Page {
  std::vector<Item> items;
  std::optional<std::string> next_cursor;  ///< Absent at the end.
};

/// By `id_of`, a text that no two items share: the cursor is that of the last item before the page, so items
/// may come and go between two pages.
template <class Item, class IdOf>
Page<Item> page_of(std::vector<Item> all, const PageOptions& options, const IdOf& id_of) {
  std::ranges::sort(all, {}, id_of);
  Page<Item> page;
  for (auto& item : all) {
    if (options.cursor && id_of(item) <= *options.cursor) continue;
    if (std::ssize(page.items) == options.limit) {
      page.next_cursor = id_of(page.items.back());
      break;
    }
    page.items.push_back(std::move(item));
  }
  return page;
}

}  // namespace instantstart::contract
