#include "sandbox/kubernetes/api/watching.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sandbox/kubernetes/api/listing.h"
#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/api/refusals.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::size_t k_changes_at_once = 200;
constexpr milliseconds k_between_bookmarks{60'000};
/// Of kube-apiserver's --min-request-timeout: a watch without an end lives so long, up to twice that.
constexpr std::int64_t k_shortest_seconds = 1800;
constexpr std::int64_t k_longest_seconds = 24 * 3600;

Status too_old(std::int64_t version, std::int64_t oldest) {
  return expired(fmt::format("too old resource version: {} ({})", version, oldest));
}

}  // namespace

Outcome<WatchOptions> read_watch_options(World& world, const ObjectStore& store, std::string_view cluster,
                                         const Parameters& parameters) {
  WatchOptions options{.bookmarks = parameters.is_set("allowWatchBookmarks")};
  const auto version = read_version(parameters.get("resourceVersion"));
  if (!version) return std::unexpected(version.error());
  const auto timeout = read_version(parameters.get("timeoutSeconds"));
  if (!timeout) return std::unexpected(timeout.error());
  const auto chosen =
      *timeout > 0
          ? std::min(*timeout, k_longest_seconds)
          : k_shortest_seconds + static_cast<std::int64_t>(world.random().next() % k_shortest_seconds);
  options.duration = seconds(chosen);
  options.after = *version;
  const auto current = store.version(cluster);
  if (*version > current) return refuse(version_too_large(*version, current));

  const bool asks = parameters.contains("sendInitialEvents");
  const bool matches = parameters.contains("resourceVersionMatch");
  if (asks && parameters.get("resourceVersionMatch") != "NotOlderThan") {
    return refuse(invalid("meta.k8s.io", "ListOptions", "",
                          {field_forbidden("resourceVersionMatch",
                                           "sendInitialEvents requires setting resourceVersionMatch to "
                                           "NotOlderThan")}));
  }
  if (matches && !asks) {
    return refuse(invalid("meta.k8s.io", "ListOptions", "",
                          {field_forbidden("resourceVersionMatch",
                                           "resourceVersionMatch is forbidden for watch unless "
                                           "sendInitialEvents is provided")}));
  }
  if (asks && !parameters.is_set("sendInitialEvents")) {
    if (*version == 0) options.after = current;
  } else if (asks || *version == 0) {
    options.initial_state = true;
    options.marks_end = asks && options.bookmarks;
    options.after = current;
    return options;
  }
  // Whoever falls behind while the server runs is told in the stream; what was before its start is unknown.
  if (options.after < store.oldest_version(cluster) && !store.has_dropped(cluster)) {
    return refuse(too_old(options.after, store.oldest_version(cluster)));
  }
  return options;
}

WatchStream::WatchStream(World& world, ObjectStore& store, Selection selection, Renderer renderer,
                         WatchOptions options)
    : world_(world),
      store_(store),
      selection_(std::move(selection)),
      renderer_(std::move(renderer)),
      options_(options),
      at_(options.after),
      epoch_(store.epoch()),
      end_(net::Deadline::in(world.time(), options.duration)),
      next_bookmark_(net::Deadline::in(world.time(), k_between_bookmarks)) {}

asio::awaitable<std::optional<std::string>> WatchStream::next() {
  while (!ended_) {
    std::string lines;
    if (!begun_) {
      begun_ = true;
      if (options_.initial_state) lines = initial_events();
    } else if (store_.epoch() != epoch_ || !store_.find_cluster(selection_.cluster())) {
      ended_ = true;
    } else if (at_ < store_.oldest_version(selection_.cluster())) {
      lines = last_words(too_old(at_, store_.oldest_version(selection_.cluster())));
    } else if (at_ < store_.version(selection_.cluster())) {
      lines = events();
    } else {
      lines = co_await wait();
    }
    if (lines.empty()) continue;
    const auto durable = co_await world_.commit();
    if (!durable) co_return last_words(internal_fault(durable.error().message));
    co_return lines;
  }
  co_return std::nullopt;
}

/// A bookmark or nothing: something happened meanwhile, or the time is over.
asio::awaitable<std::string> WatchStream::wait() {
  if (end_.passed(world_.time())) {
    ended_ = true;
    std::string lines;
    if (options_.bookmarks) add(lines, "BOOKMARK", renderer_.bookmark(at_, false));
    co_return lines;
  }
  const bool changed = co_await store_.changed().wait(end_.sooner(next_bookmark_));
  if (changed || !next_bookmark_.passed(world_.time())) co_return std::string();
  next_bookmark_ = net::Deadline::in(world_.time(), k_between_bookmarks);
  std::string lines;
  if (options_.bookmarks) add(lines, "BOOKMARK", renderer_.bookmark(at_, false));
  co_return lines;
}

std::string WatchStream::initial_events() {
  std::string lines;
  at_ = store_.version(selection_.cluster());
  for (const auto* object : selection_.find(store_)) {
    add(lines, "ADDED", renderer_.event(*object, world_.now(), first_event_));
    first_event_ = false;
  }
  if (options_.marks_end) add(lines, "BOOKMARK", renderer_.bookmark(at_, true));
  return lines;
}

std::string WatchStream::events() {
  std::string lines;
  const auto changes = store_.changes_after(selection_.cluster(), at_, k_changes_at_once);
  for (const auto& change : changes) {
    at_ = change.version;
    if (selection_.covers(change.key)) add_change(lines, change);
  }
  // Versions can pass without a change that is kept: none is left to wait for.
  if (changes.empty()) at_ = store_.version(selection_.cluster());
  return lines;
}

/// An object that enters or leaves the selection is one that appears or goes.
void WatchStream::add_change(std::string& lines, const Change& change) {
  const bool was = change.before && selection_.selects(*change.before);
  const bool is = change.kind != ChangeKind::deleted && selection_.selects(*change.object);
  if (!was && !is) return;
  if (is) {
    add(lines, was ? "MODIFIED" : "ADDED", renderer_.event(*change.object, world_.now(), first_event_));
  } else {
    // As it was selected last, with the version at which it left.
    json::object last = *change.before;
    metadata_of(last)["resourceVersion"] = std::to_string(change.version);
    add(lines, "DELETED", renderer_.event(last, world_.now(), first_event_));
  }
  first_event_ = false;
}

void WatchStream::add(std::string& lines, std::string_view type, json::object object) const {
  lines += to_text(json::object{{"type", type}, {"object", std::move(object)}});
  lines += '\n';
}

std::string WatchStream::last_words(const Status& status) {
  ended_ = true;
  std::string lines;
  add(lines, "ERROR", to_json(status));
  return lines;
}

}  // namespace instantstart::sandbox::kubernetes
