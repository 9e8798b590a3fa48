// Watches: changes after a version as lines of JSON, while they happen. A change is sent once it is durable.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/http.h"
#include "net/time.h"
#include "sandbox/core/world.h"
#include "sandbox/kubernetes/api/object_store.h"
#include "sandbox/kubernetes/api/representation.h"
#include "sandbox/kubernetes/api/selection.h"

namespace instantstart::sandbox::kubernetes {

/// From its parameters: where a watch begins and when it ends.
struct WatchOptions {
  std::int64_t after = 0;      ///< The version that the client has seen.
  bool initial_state = false;  ///< Begins with what there is, as ADDED.
  bool marks_end = false;      ///< … and a bookmark that says so (sendInitialEvents).
  bool bookmarks = false;      ///< allowWatchBookmarks
  milliseconds duration{};     ///< timeoutSeconds, or what the server chooses.
};

/// 410 Expired for a version from before the server's start; 504 for one that the cluster has not reached.
Outcome<WatchOptions> read_watch_options(World& world, const ObjectStore& store, std::string_view cluster,
                                         const Parameters& parameters);

/// Ends at its time, with the cluster, or with an ERROR event when the history moved on without it.
class WatchStream final : public net::BodyStream {
 public:
  /// World and store must outlive it.
  WatchStream(World& world, ObjectStore& store, Selection selection, Renderer renderer, WatchOptions options);

  asio::awaitable<std::optional<std::string>> next() override;

 private:
  std::string initial_events();
  /// Of up to so many changes; moves on.
  std::string events();
  void add(std::string& lines, std::string_view type, json::object object) const;
  void add_change(std::string& lines, const Change& change);
  std::string last_words(const Status& status);
  asio::awaitable<std::string> wait();

  World& world_;
  ObjectStore& store_;
  Selection selection_;
  Renderer renderer_;
  WatchOptions options_;
  std::int64_t at_ = 0;
  std::uint64_t epoch_;
  net::Deadline end_;
  net::Deadline next_bookmark_;
  bool begun_ = false;
  bool ended_ = false;
  bool first_event_ = true;
};

}  // namespace instantstart::sandbox::kubernetes
