// maxResults and nextToken. A token is the key after which the list goes on, so things that come and go
// between two pages neither hide nor double others.
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sandbox/core/service.h"

namespace instantstart::sandbox::eks {

/// The most that EKS lists at once, and what it takes when the request says nothing (API reference).
inline constexpr std::int64_t k_default_page = 100;

/// The key after which the page begins, "" for the first page. Refuses what no call has answered.
Reply<std::string> key_of_token(const std::optional<std::string>& token);
std::string token_of_key(std::string_view key);

template <class T>
struct Page {
  std::vector<T> items;
  std::optional<std::string> next_token;
};

/// `sorted` are pairs of unique, non-empty, ascending keys and items.
template <class T, class Request>
Reply<Page<T>> page_of(std::vector<std::pair<std::string, T>> sorted, const Request& request) {
  auto after = key_of_token(request.next_token);
  if (!after) return std::unexpected(std::move(after.error()));
  Page<T> page;
  for (auto& [key, item] : sorted) {
    if (key <= *after) continue;
    if (std::ssize(page.items) >= request.max_results.value_or(k_default_page)) {
      page.next_token = token_of_key(*after);
      break;
    }
    page.items.push_back(std::move(item));
    after = key;
  }
  return page;
}

}  // namespace instantstart::sandbox::eks
