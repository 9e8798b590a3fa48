#include "workload_logs/log_follower.h"

#include <algorithm>
#include <utility>

#include "base/error_codes.h"

namespace instantstart::workload_logs {
namespace {

constexpr milliseconds k_open_limit{30'000};
/// A cluster that was made anew has another address; so it is asked for this often.
constexpr milliseconds k_check_cluster{60'000};
constexpr milliseconds k_first_pause{2'000};
constexpr milliseconds k_last_pause{30'000};
/// Without an owner: how long no pod may be at work before the workload counts as ended.
constexpr milliseconds k_quiet{60'000};
/// A workload that is followed before it is made may take so long to appear.
constexpr milliseconds k_appearance{10 * 60'000};
/// A cluster that EKS does not know for so long is gone, and its pods with it.
constexpr milliseconds k_cluster_gone{10 * 60'000};

const kube::ResourceType k_pods{.gvk = {.group = "", .version = "v1", .kind = "Pod"}, .plural = "pods"};

kube::EksClusterId cluster_of(const LogSubject& subject) {
  const auto& key = subject.id.cluster;
  return {.name = key.name, .region = key.region, .account = key.account, .profile = subject.profile};
}

kube::ReflectorOptions watch_of(const LogSubject& subject) {
  return {
      .type = k_pods, .space = subject.id.space, .label_selector = subject.selector, .keep = pod_fields()};
}

milliseconds longer(milliseconds pause) { return std::min(pause * 2, k_last_pause); }

}  // namespace

LogFollower::Link::Link(const LogParts& parts, std::shared_ptr<kube::EksCluster> to, const LogSubject& of)
    : cluster(std::move(to)),
      subject(of),
      pods(cluster->connection(), watch_of(subject),
           [this](const json::object& pod) { return pod_runs(pod, subject); }),
      changed(parts.time),
      subscription(pods.subscribe([this](const auto&) { changed.notify(); })),
      group(parts.loop, parts.time, parts.log) {}

bool LogFollower::Since::lasted(const Clock& clock, milliseconds duration) {
  if (!at) at = clock.steady();
  return clock.steady() - *at >= duration;
}

LogFollower::LogFollower(const LogParts& parts, std::shared_ptr<KeptLog> log, std::function<void()> ended)
    : parts_(parts),
      log_(std::move(log)),
      tell_ended_(std::move(ended)),
      started_(parts.time.steady()),
      group_(parts.loop, parts.time, parts.log) {}

void LogFollower::start() {
  group_.spawn("log writer", log_->write());
  group_.spawn("log follower", run());
}

asio::awaitable<void> LogFollower::stop() {
  // The follower first: it may be stopping the link itself.
  co_await group_.stop();
  if (link_) co_await link_->group.stop();
  link_.reset();
}

void LogFollower::look_again() {
  over_ = false;
  idle_.at.reset();
  started_ = parts_.time.steady();
  next_question_ = {};
  if (link_) link_->changed.notify();
}

asio::awaitable<void> LogFollower::run() {
  milliseconds pause = k_first_pause;
  while (true) {
    auto prepared = co_await log_->prepare();
    if (prepared) break;
    log_->set_error(prepared.error());
    co_await parts_.time.sleep(std::exchange(pause, longer(pause)));
  }
  pause = k_first_pause;
  bool complete = false;
  while (!complete) {
    auto cluster = co_await parts_.open_cluster(cluster_of(log_->row().subject),
                                                net::Deadline::in(parts_.time, k_open_limit));
    if (!cluster) {
      log_->set_error(cluster.error());
      const bool unknown = cluster.error().code == codes::not_found;
      if (!unknown) without_cluster_.at.reset();
      if (unknown && without_cluster_.lasted(parts_.time, k_cluster_gone)) break;
      co_await parts_.time.sleep(std::exchange(pause, longer(pause)));
      continue;
    }
    without_cluster_.at.reset();
    pause = k_first_pause;
    link_ = std::make_unique<Link>(parts_, std::move(*cluster), log_->row().subject);
    link_->group.spawn("pods of a log", link_->pods.run());
    complete = co_await follow(*link_);
    co_await link_->group.stop();
    link_.reset();
  }
  co_await finish();
}

/// True when all is read; false when another connection is wanted.
asio::awaitable<bool> LogFollower::follow(Link& link) {
  net::Deadline check = net::Deadline::in(parts_.time, k_check_cluster);
  while (true) {
    const auto seen = link.changed.generation();
    const auto& freshness = link.pods.freshness();
    if (freshness.synced) {
      take_pods(link);
      co_await ask_owner(link);
      if (is_complete(link)) co_return true;
    }
    tell_error(link);
    const auto& wanted = log_->row().subject;
    if (wanted.selector != link.subject.selector || wanted.owner != link.subject.owner) co_return false;
    if (check.passed(parts_.time)) {
      const bool same = co_await same_cluster(link);
      if (!same) co_return false;
      check = net::Deadline::in(parts_.time, k_check_cluster);
    }
    net::Deadline wake = check;
    if (all_over(link) || !freshness.synced) {
      wake = wake.sooner(net::Deadline::in(parts_.time, freshness.synced ? question_pause_ : k_first_pause));
    }
    co_await link.changed.wait_after(seen, wake);
  }
}

void LogFollower::tell_error(Link& link) const {
  const auto& freshness = link.pods.freshness();
  if (!freshness.live && freshness.last_error) {
    log_->set_error(freshness.last_error);
  } else if (!read_errors_.empty()) {
    log_->set_error(read_errors_.begin()->second);
  } else {
    log_->set_error(owner_error_);
  }
}

asio::awaitable<bool> LogFollower::same_cluster(Link& link) {
  auto now =
      co_await parts_.open_cluster(cluster_of(link.subject), net::Deadline::in(parts_.time, k_open_limit));
  // A failure to ask is no reason to let go of what may still work; a cluster that is gone is.
  co_return now ? *now == link.cluster : now.error().code != codes::not_found;
}

void LogFollower::take_pods(Link& link) {
  link.pods.for_each([&](const kube::ObjectName& name, const PodRuns& pod) {
    if (!pod.chosen) return;
    for (const auto& container : pod.containers) {
      for (const auto& run : container.runs) {
        const auto index = log_->stream_of(
            {.pod = name.name, .pod_uid = pod.uid, .container = container.name, .attempt = run.attempt},
            pod.rank, pod.several);
        if (log_->is_ending(index) || !link.reading.insert(index).second) continue;
        link.group.spawn("log stream", read(link, index));
      }
    }
  });
  // Those that the node has no more, or whose pod is gone.
  for (std::size_t i = 0; i < log_->stream_count(); ++i) {
    if (!log_->is_ending(i) && !link.reading.contains(i)) log_->end_stream(i, !whole_.contains(i));
  }
}

bool LogFollower::all_over(Link& link) const {
  bool over = true;
  link.pods.for_each(
      [&over](const kube::ObjectName&, const PodRuns& pod) { over = over && (!pod.chosen || pod.over); });
  return over;
}

/// Sets `over_`. The owner is asked only while no pod is at work.
asio::awaitable<void> LogFollower::ask_owner(Link& link) {
  if (!all_over(link)) {
    over_ = false;
    idle_.at.reset();
    next_question_ = {};
    question_pause_ = k_first_pause;
    co_return;
  }
  if (question_pause_ == milliseconds::zero()) question_pause_ = k_first_pause;
  if (log_->row().finishing) over_ = true;
  if (over_) co_return;
  const auto now = parts_.time.steady();
  const bool came = log_->stream_count() > 0 || now - started_ >= k_appearance;
  const bool quiet = idle_.lasted(parts_.time, k_quiet);
  const auto& owner = link.subject.owner;
  if (!owner) {
    over_ = came && quiet;
    co_return;
  }
  if (now < next_question_) co_return;
  auto gvk = kube::to_gvk(owner->api_version, owner->kind);
  kube::ResourceType type{.gvk = std::move(gvk), .plural = owner->plural};
  auto object = co_await link.cluster->client().get(std::move(type), {link.subject.id.space, owner->name},
                                                    net::Deadline::in(parts_.time, k_open_limit));
  next_question_ = parts_.time.steady() + question_pause_;
  question_pause_ = std::min(question_pause_ * 3 / 2, k_last_pause);
  owner_error_.reset();
  if (object) {
    over_ = workload_logs::has_ended(*object);
  } else if (object.error().code == codes::not_found) {
    over_ = came;
  } else {
    owner_error_ = within("Look at the owner of the pods", object.error());
  }
}

bool LogFollower::is_complete(Link& link) const {
  if (!over_ || !all_over(link)) return false;
  for (std::size_t i = 0; i < log_->stream_count(); ++i) {
    if (!log_->is_ending(i)) return false;
  }
  return true;
}

asio::awaitable<void> LogFollower::finish() {
  for (std::size_t i = 0; i < log_->stream_count(); ++i) log_->end_stream(i, !whole_.contains(i));
  co_await log_->written();
  milliseconds pause = k_first_pause;
  while (true) {
    auto ended = co_await log_->end();
    if (ended) break;
    log_->set_error(ended.error());
    co_await parts_.time.sleep(std::exchange(pause, longer(pause)));
  }
  log_->set_error({});
  ended_ = true;
  tell_ended_();
}

}  // namespace instantstart::workload_logs
