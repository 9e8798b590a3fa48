#include "kube/reflector.h"

#include <utility>

#include "base/error_codes.h"
#include "kube/streams.h"

namespace instantstart::kube {
namespace {

// Periods of client-go's reflector (tools/cache/reflector.go): how long failures are waited out.
constexpr milliseconds k_first_pause{800};
constexpr milliseconds k_longest_pause{30'000};
/// A watch is asked to end after three to six minutes, so that servers behind a balancer share the load.
constexpr seconds k_watch_time{180};
/// A server that does not end it then is gone.
constexpr seconds k_grace{15};
constexpr seconds k_list_time{300};
constexpr seconds k_header_time{30};
/// A server that knows no WatchList sends all objects and then waits, without the mark that ends them.
constexpr seconds k_initial_silence{30};
/// After so many watches in a row that said something else than events the whole state is asked for again.
constexpr int k_bad_watches_until_list = 3;

bool refuses_watch_list(const Error& error) {
  return error.code == codes::invalid_request || error.code == codes::not_acceptable;
}

}  // namespace

std::optional<milliseconds> Freshness::age(SteadyTime now) const {
  if (!synced || !heard_at) return std::nullopt;
  return now - *heard_at;
}

Reflector::Reflector(Connection& connection, ReflectorOptions options, ReflectorTarget& target)
    : connection_(connection),
      options_(std::move(options)),
      target_(target),
      client_(connection),
      watch_list_(options_.watch_list),
      synced_(connection.time()) {}

asio::awaitable<void> Reflector::run() {
  for (;;) {
    Next next = Next::resume;
    if (freshness_.resource_version.empty() && !watch_list_) {
      auto listed = co_await list();
      if (!listed) next = failed(std::move(listed.error()));
    }
    if (next == Next::resume) next = co_await watch();
    freshness_.live = false;
    if (bad_watches_ >= k_bad_watches_until_list) next = Next::relist;
    if (next == Next::relist) {
      freshness_.resource_version.clear();
      bad_watches_ = 0;
    }
    if (failures_ > 0) co_await pause();
  }
}

asio::awaitable<void> Reflector::pause() {
  // The first time a state is too old nothing is wrong: it is asked for at once.
  if (failures_ == 1 && freshness_.last_error && is_expired(*freshness_.last_error)) co_return;
  co_await connection_.time().sleep(backoff(failures_, k_first_pause, k_longest_pause, connection_.random()));
}

Task<> Reflector::list() {
  ListOptions options{.space = options_.space,
                      .label_selector = options_.label_selector,
                      .field_selector = options_.field_selector,
                      .page_size = options_.page_size,
                      .keep = options_.keep};
  auto version = co_await client_.list(options_.type, std::move(options), target_,
                                       net::Deadline::in(connection_.time(), k_list_time));
  if (!version) co_return fail(std::move(version.error()));
  // Failures are forgotten when a watch brings something: a server that lists and then refuses each watch
  // must not be asked in a loop.
  freshness_.resource_version = std::move(*version);
  complete();
  co_return Result<>();
}

Task<net::HttpClient::Stream> Reflector::open_watch(bool initial, seconds lasts) {
  auto path = collection_path(options_.type, options_.space);
  if (!path) co_return fail(std::move(path.error()));
  ApiRequest request;
  request.path = std::move(*path);
  request.query = {
      {"watch", "1"}, {"allowWatchBookmarks", "true"}, {"timeoutSeconds", std::to_string(lasts.count())}};
  if (!options_.label_selector.empty()) request.query.emplace_back("labelSelector", options_.label_selector);
  if (!options_.field_selector.empty()) request.query.emplace_back("fieldSelector", options_.field_selector);
  if (initial) {
    request.query.emplace_back("sendInitialEvents", "true");
    request.query.emplace_back("resourceVersionMatch", "NotOlderThan");
  } else {
    request.query.emplace_back("resourceVersion", freshness_.resource_version);
  }
  co_return co_await connection_.open(std::move(request),
                                      net::Deadline::in(connection_.time(), k_header_time));
}

asio::awaitable<Reflector::Next> Reflector::watch() {
  const bool initial = freshness_.resource_version.empty();
  const seconds lasts =
      k_watch_time + seconds(static_cast<seconds::rep>(connection_.random().unit() * k_watch_time.count()));
  auto opened = co_await open_watch(initial, lasts);
  if (!opened) {
    if (initial && refuses_watch_list(opened.error())) {
      watch_list_ = false;
      co_return Next::relist;
    }
    co_return failed(std::move(opened.error()));
  }
  ++freshness_.watches;
  const auto until = net::Deadline::in(connection_.time(), lasts + k_grace);
  if (initial) {
    target_.begin();
  } else {
    freshness_.live = true;
  }
  co_return co_await follow(*opened->body, initial, until);
}

asio::awaitable<Reflector::Next> Reflector::follow(net::ClientBodyStream& body, bool initial,
                                                   net::Deadline until) {
  WatchDecoder decoder(options_.keep);
  const auto began = connection_.time().steady();
  bool anything = false;
  for (;;) {
    const auto patience =
        initial ? net::Deadline::in(connection_.time(), k_initial_silence).sooner(until) : until;
    auto piece = co_await next_piece(connection_.time(), body, patience);
    if (!piece && initial && !until.passed(connection_.time())) {
      watch_list_ = false;
      co_return Next::relist;
    }
    if (!piece) co_return failed(std::move(piece.error()));
    if (!*piece) break;
    auto events = decoder.feed(**piece);
    if (!events) {
      ++bad_watches_;
      co_return failed(std::move(events.error()));
    }
    for (WatchEvent& event : *events) {
      const auto next = take(std::move(event), initial);
      if (next) co_return *next;
      anything = true;
    }
  }
  if (body.error()) co_return failed(*body.error());
  if (!decoder.between_events()) {
    co_return failed(
        {.code = std::string(codes::unavailable), .message = "the watch broke off within an event"});
  }
  if (initial) {
    co_return failed(
        {.code = std::string(codes::unavailable), .message = "the watch ended before its first state"});
  }
  // The server ended it as agreed; but one that ends every watch at once must not be asked in a loop.
  if (!anything && connection_.time().steady() - began < seconds(1)) {
    co_return failed(
        {.code = std::string(codes::unavailable), .message = "the server ended the watch at once"});
  }
  failures_ = 0;
  co_return Next::resume;
}

std::optional<Reflector::Next> Reflector::take(WatchEvent event, bool& initial) {
  using Kind = WatchEvent::Kind;
  if (event.kind == Kind::error) {
    ++bad_watches_;
    const Next next = failed(to_error(*event.status));
    return event.status->expired() ? Next::relist : next;
  }
  const std::string version(event.resource_version());
  if (event.kind == Kind::bookmark) {
    if (initial && !event.ends_initial_events()) return std::nullopt;
    if (std::exchange(initial, false)) {
      freshness_.live = true;
      complete();
    }
    heard(version);
    return std::nullopt;
  }
  if (event.kind == Kind::deleted) {
    target_.removed(ObjectView(event.object).id());
  } else if (initial) {
    target_.item(std::move(event.object));
  } else {
    target_.changed(std::move(event.object));
  }
  // Before the first state is complete there is nothing to go on from.
  if (!initial) heard(version);
  return std::nullopt;
}

void Reflector::heard(std::string_view resource_version) {
  freshness_.resource_version = resource_version;
  freshness_.heard_at = connection_.time().steady();
  failures_ = 0;
  bad_watches_ = 0;
}

void Reflector::complete() {
  target_.end_list();
  ++freshness_.lists;
  freshness_.synced = true;
  freshness_.heard_at = connection_.time().steady();
  synced_.notify();
}

Reflector::Next Reflector::failed(Error error) {
  ++failures_;
  const Next next = is_expired(error) ? Next::relist : Next::resume_later;
  connection_.log().debug("A watch failed", {{"resource", json::value(options_.type.plural)},
                                             {"code", json::value(error.code)},
                                             {"message", json::value(error.message)}});
  freshness_.last_error = std::move(error);
  return next;
}

Task<> Reflector::synced(net::Deadline deadline) {
  while (!freshness_.synced) {
    const bool woken = co_await synced_.wait(deadline);
    if (woken) continue;
    if (freshness_.last_error) co_return fail(*freshness_.last_error);
    co_return fail(codes::deadline_exceeded, "the first list of objects was not complete in time");
  }
  co_return Result<>();
}

}  // namespace instantstart::kube
