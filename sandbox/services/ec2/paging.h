// MaxResults and NextToken. A token is the key after which the list goes on, so things that come and go
// between two pages neither hide nor double others.
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sandbox/core/record.h"
#include "sandbox/core/service.h"
#include "sandbox/services/ec2/filters.h"

namespace instantstart::sandbox::ec2 {

struct PageRequest {
  std::optional<std::int64_t> max_results;
  std::optional<std::string> next_token;
};

/// The page that a Describe call with these two members wants.
template <class Request>
PageRequest page_request(const Request& request) {
  return {request.max_results, request.next_token};
}

/// The key after which the page begins, "" for the first page. Refuses what no call has answered.
Reply<std::string> key_of_token(const std::optional<std::string>& token);
std::string token_of_key(std::string_view key);

template <class T>
struct Page {
  std::vector<T> items;
  std::optional<std::string> next_token;
};

/// Collects one page out of items that come in the order of their keys, which are unique and not empty.
template <class T>
class Pager {
 public:
  /// Refuses a token that no call has answered.
  static Reply<Pager> start(const PageRequest& request);

  /// Whether the item of this key was on an earlier page.
  bool skips(std::string_view key) const { return key <= after_; }
  /// False when the page was full already: nothing after this is of interest.
  bool add(std::string_view key, T item) {
    if (max_results_ && std::ssize(page_.items) >= *max_results_) {
      page_.next_token = token_of_key(after_);
      return false;
    }
    page_.items.push_back(std::move(item));
    after_ = key;
    return true;
  }
  Page<T> take() { return std::move(page_); }

 private:
  std::string after_;
  std::optional<std::int64_t> max_results_;
  Page<T> page_;
};

template <class T>
Reply<Pager<T>> Pager<T>::start(const PageRequest& request) {
  auto after = key_of_token(request.next_token);
  if (!after) return std::unexpected(std::move(after.error()));
  Pager pager;
  pager.after_ = std::move(*after);
  pager.max_results_ = request.max_results;
  return pager;
}

/// A page of pairs of keys and items that pass the filters. T is a shape.
template <class T>
Reply<Page<T>> page_of(std::vector<std::pair<std::string, T>> sorted, const FilterSet& filters,
                       const PageRequest& request) {
  auto pager = Pager<T>::start(request);
  if (!pager) return std::unexpected(std::move(pager.error()));
  for (auto& [key, item] : sorted) {
    if (pager->skips(key)) continue;
    if (!filters.empty() && !filters.match(json::value(record_to_json(item)))) continue;
    if (!pager->add(key, std::move(item))) break;
  }
  return pager->take();
}

}  // namespace instantstart::sandbox::ec2
