// Keeps a copy of one collection in step with the server: a list, then a watch from where the list ended, and
// again from where the watch broke off. No change is lost, none is delivered twice.
// https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "kube/client.h"
#include "kube/watch_decoder.h"
#include "net/signal.h"

namespace instantstart::kube {

struct ReflectorOptions {
  ResourceType type;
  std::string space = {};  ///< "" watches all namespaces.
  std::string label_selector = {};
  std::string field_selector = {};
  FieldSelection keep = {};  ///< What the target is shown of each object; its identity always is.
  /// Larger than a person's list: each page is a request of its own, and items never pile up here.
  std::size_t page_size = 2'000;
  /// Gets the first state by a watch too (sendInitialEvents): the server need not hold the list in memory.
  /// Falls back to lists where it is not served.
  bool watch_list = true;
};

/// What a reflector fills. `begin`, `item` and `end_list` bring a whole state; what was there before `begin`
/// and was not seen until `end_list` is gone. `begin` may come twice without an `end_list` between: what was
/// seen is then void. Nothing in it may wait.
class ReflectorTarget : public ListVisitor {
 public:
  virtual void end_list() = 0;
  virtual void changed(json::object object) = 0;
  virtual void removed(ObjectName id) = 0;
};

/// How old the copy is.
struct Freshness {
  bool synced = false;  ///< It was complete once.
  bool live = false;    ///< A watch is open: it is as new as the server makes it.
  /// When the server last sent something that says how things are; bookmarks come about once a minute.
  std::optional<SteadyTime> heard_at = {};
  std::optional<Error> last_error = {};  ///< Why it is not live, or was not.
  std::string resource_version = {};
  std::uint64_t lists = 0;    ///< Whole states taken over.
  std::uint64_t watches = 0;  ///< Watches opened.

  /// How long ago the copy was known to be right; nullopt before the first sync.
  std::optional<milliseconds> age(SteadyTime now) const;
};

/// Loop thread only. The connection and the target outlive it, and it outlives `run`.
class Reflector {
 public:
  Reflector(Connection& connection, ReflectorOptions options, ReflectorTarget& target);

  /// Runs until it is cancelled. Failures are waited out (0.8 s to 30 s, as client-go does) and show in
  /// `freshness`.
  asio::awaitable<void> run();

  const Freshness& freshness() const { return freshness_; }
  /// Returns when the first state is complete. Error: the last failure, or `deadline_exceeded`.
  Task<> synced(net::Deadline deadline);

 private:
  enum class Next { resume, resume_later, relist };

  Task<> list();
  /// One watch from its opening to its end.
  asio::awaitable<Next> watch();
  Task<net::HttpClient::Stream> open_watch(bool initial, seconds lasts);
  asio::awaitable<Next> follow(net::ClientBodyStream& body, bool initial, net::Deadline until);
  std::optional<Next> take(WatchEvent event, bool& initial);
  Next failed(Error error);
  void heard(std::string_view resource_version);
  void complete();
  asio::awaitable<void> pause();

  Connection& connection_;
  ReflectorOptions options_;
  ReflectorTarget& target_;
  Client client_;
  Freshness freshness_;
  bool watch_list_;
  int failures_ = 0;     ///< In a row, without anything heard between.
  int bad_watches_ = 0;  ///< Watches in a row that held an error or no events.
  net::Signal synced_;
};

}  // namespace instantstart::kube
