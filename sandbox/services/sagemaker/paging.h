// MaxResults and NextToken. A token is the key after which the list goes on, so things that come and go
// between two pages neither hide nor double others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sandbox/core/service.h"

namespace instantstart::sandbox::sagemaker {

/// What lists hold when the request says nothing (API reference), and the most they do.
inline constexpr std::int64_t k_default_page = 10;
inline constexpr std::int64_t k_largest_page = 100;

/// Refuses what no call has answered.
Reply<std::string> key_of_token(const std::string& token);
std::string token_of_key(std::string_view key);

template <class T>
struct Page {
  std::vector<T> items;
  std::optional<std::string> next_token;
};

/// `all` are pairs of a unique key, by which they are sorted, and an item.
template <class T, class Request>
Reply<Page<T>> page_of(std::vector<std::pair<std::string, T>> all, const Request& request, bool descending,
                       std::int64_t default_size = k_default_page) {
  using Entry = std::pair<std::string, T>;
  std::ranges::sort(all, {}, &Entry::first);
  if (descending) std::ranges::reverse(all);
  auto first = all.begin();
  if (request.next_token) {
    const auto last = key_of_token(*request.next_token);
    if (!last) return std::unexpected(last.error());
    first = std::ranges::find_if(
        all, [&](const Entry& one) { return descending ? one.first < *last : one.first > *last; });
  }
  const auto size = std::min(request.max_results.value_or(default_size), k_largest_page);
  const auto end = first + std::min<std::int64_t>(size, all.end() - first);
  Page<T> page;
  if (end != all.end()) page.next_token = token_of_key((end - 1)->first);
  for (; first != end; ++first) page.items.push_back(std::move(first->second));
  return page;
}

}  // namespace instantstart::sandbox::sagemaker
