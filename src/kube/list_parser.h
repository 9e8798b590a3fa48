// A list as it streams: its items one by one, then what the server says of the list itself.
// https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "kube/selective_parser.h"

namespace instantstart::kube {

/// metav1.ListMeta.
struct ListMeta {
  std::string resource_version;  ///< Where a watch goes on.
  std::string continue_token;    ///< "" on the last page.
  std::optional<std::int64_t> remaining_items;
};

/// Errors: `upstream_error`, for text that is no list, larger items than allowed, or an end in the middle.
class ListParser {
 public:
  /// `take` gets each item as soon as it is complete, with what `keep` selects and its identity.
  ListParser(FieldSelection keep, std::function<void(json::object)> take, SelectiveLimits limits = {});

  Result<> feed(std::string_view bytes) { return parser_.feed(bytes); }
  /// Once all bytes were fed.
  Result<ListMeta> finish();

 private:
  std::optional<json::object> envelope_;
  bool twice_ = false;
  SelectiveParser parser_;
};

}  // namespace instantstart::kube
