// How one run of a container is read: from where it stands, again and again, until a reading that began after
// the run was over has come to its end.
#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/error_codes.h"
#include "kube/logs.h"
#include "kube/streams.h"
#include "workload_logs/log_follower.h"

namespace instantstart::workload_logs {
namespace {

constexpr milliseconds k_open_limit{30'000};
/// A stream in which nothing comes for so long is opened again: its other end may be gone without a word.
constexpr milliseconds k_silence{5 * 60'000};
constexpr milliseconds k_first_pause{500};
constexpr milliseconds k_last_pause{30'000};

const kube::ResourceType k_pods{.gvk = {.group = "", .version = "v1", .kind = "Pod"}, .plural = "pods"};

/// The server cuts it to seconds itself.
std::optional<WallTime> second_of(const StreamCursor& cursor) {
  if (cursor.time.empty()) return std::nullopt;
  const auto time = parse_rfc3339(cursor.time);
  if (!time) return std::nullopt;
  return std::chrono::floor<seconds>(*time);
}

}  // namespace

std::optional<RunPlace> LogFollower::place_of(Link& link, std::size_t index) const {
  const auto& row = log_->stream(index);
  const auto* pod = link.pods.find({link.subject.id.space, row.pod});
  if (!pod || pod->uid != row.pod_uid) return std::nullopt;
  const auto* container = pod->find(row.container);
  const auto* run = container ? container->find(row.attempt) : nullptr;
  if (!run) return std::nullopt;
  return *run;
}

asio::awaitable<void> LogFollower::read(Link& link, std::size_t index) {
  milliseconds pause = k_first_pause;
  while (true) {
    const auto place = place_of(link, index);
    if (!place) break;
    const auto before = log_->cursor(index);
    auto done = co_await read_once(link, index, *place);
    if (done && place->over) {
      log_->end_stream(index, false);
      break;
    }
    // A run that is over and that the server doesn't give is not there any more.
    if (!done && place->over && done.error().code == codes::invalid_request) {
      log_->end_stream(index, true);
      break;
    }
    note(link, index, done);
    if (log_->cursor(index) != before) pause = k_first_pause;
    // It ended without the pod saying why (yet), or it failed.
    const auto until = net::Deadline::in(parts_.time, pause);
    while (!until.passed(parts_.time)) {
      const auto now = place_of(link, index);
      if (done && now != place) break;
      const bool changed = co_await link.changed.wait(until);
      if (!changed) break;
    }
    pause = std::min(pause * 2, k_last_pause);
  }
  read_errors_.erase(index);
  link.reading.erase(index);
  link.changed.notify();
}

void LogFollower::note(Link& link, std::size_t index, const Result<>& done) {
  if (done) {
    forget_error(link, index);
    whole_.insert(index);
    return;
  }
  whole_.erase(index);
  // Silence, and a run that was over before it was opened, are nothing that is wrong.
  const auto& code = done.error().code;
  if (code == codes::deadline_exceeded || code == codes::conflict) return;
  read_errors_[index] = within(fmt::format("Read the log of {}", log_->stream(index).pod), done.error());
  link.changed.notify();
}

void LogFollower::forget_error(Link& link, std::size_t index) {
  if (read_errors_.erase(index) > 0) link.changed.notify();
}

Task<> LogFollower::read_once(Link& link, std::size_t index, RunPlace place) {
  const kube::ObjectName pod{link.subject.id.space, log_->stream(index).pod};
  kube::LogOptions options{.container = log_->stream(index).container,
                           .follow = !place.over,
                           .previous = place.previous,
                           .timestamps = true,
                           .since = second_of(log_->cursor(index))};
  auto body = co_await kube::open_logs(link.cluster->connection(), pod, std::move(options),
                                       net::Deadline::in(parts_.time, k_open_limit));
  if (!body) co_return fail(body.error());
  auto checked = co_await check_run(link, index, place);
  if (!checked) co_return checked;
  forget_error(link, index);
  co_return co_await copy(index, std::move(*body));
}

/// The server gives the container's present run, or the one before, whichever that is: only when the pod
/// still says the same after the stream is open, it is the run that is meant.
Task<> LogFollower::check_run(Link& link, std::size_t index, RunPlace place) {
  const kube::ObjectName name{link.subject.id.space, log_->stream(index).pod};
  auto pod = co_await link.cluster->client().get(k_pods, name, net::Deadline::in(parts_.time, k_open_limit));
  if (!pod) co_return fail(pod.error());
  const auto now = pod_runs(*pod, link.subject);
  const auto& row = log_->stream(index);
  const auto* container = now.uid == row.pod_uid ? now.find(row.container) : nullptr;
  const auto* run = container ? container->find(row.attempt) : nullptr;
  if (!run || run->previous != place.previous) {
    co_return fail(codes::conflict, "The container was started again meanwhile.");
  }
  co_return Result<>{};
}

Task<> LogFollower::copy(std::size_t index, std::unique_ptr<net::ClientBodyStream> body) {
  TimedLines lines(log_->cursor(index));
  bool told = false;
  while (true) {
    auto piece = co_await kube::next_piece(parts_.time, *body, net::Deadline::in(parts_.time, k_silence));
    if (!piece) co_return fail(piece.error());
    if (!*piece) break;
    auto fresh = lines.take(**piece);
    if (lines.gap() && !told) log_->mark_incomplete(index);
    told = lines.gap();
    co_await log_->add(index, std::move(fresh), lines.cursor());
  }
  if (body->error()) co_return fail(*body->error());
  co_return Result<>{};
}

}  // namespace instantstart::workload_logs
