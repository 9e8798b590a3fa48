// The body of a watch: JSON documents, one a line, that the network splits anywhere. Pure.
// https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/selective_parser.h"
#include "kube/status.h"

namespace instantstart::kube {

struct WatchEvent {
  enum class Kind { added, modified, deleted, bookmark, error };

  Kind kind;
  /// What was selected of the object, and its identity; of a bookmark its resource version and annotations.
  json::object object = {};
  std::optional<Status> status = {};  ///< Of an error.

  std::string_view resource_version() const;
  /// A bookmark that ends the events a WatchList begins with ("k8s.io/initial-events-end").
  bool ends_initial_events() const;
};

class WatchDecoder {
 public:
  explicit WatchDecoder(FieldSelection keep, SelectiveLimits limits = {});

  /// The events that these bytes complete. Errors: `upstream_error` for what is no event or larger than
  /// allowed; nothing of it was taken over, and the watch must be opened again.
  Result<std::vector<WatchEvent>> feed(std::string_view bytes);
  /// False in the middle of an event: a stream that ends here was broken off.
  bool between_events() const { return parser_.between_documents(); }

 private:
  std::vector<WatchEvent> events_;
  std::optional<std::string> unknown_;
  SelectiveParser parser_;
};

}  // namespace instantstart::kube
