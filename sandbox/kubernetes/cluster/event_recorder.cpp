#include "sandbox/kubernetes/cluster/event_recorder.h"

#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/cluster/workload.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::string_view k_sweep = "kubernetes.events";
constexpr std::chrono::minutes k_sweep_pause{5};
constexpr std::chrono::hours k_kept{1};  // kube-apiserver --event-ttl

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char letter : text) {
    hash ^= static_cast<unsigned char>(letter);
    hash *= 1099511628211ULL;
  }
  return hash;
}

}  // namespace

EventRecorder::EventRecorder(ClusterAccess& access) : access_(access) {
  access_.world().on_timer(std::string(k_sweep), [this](const std::string& cluster) { sweep(cluster); });
}

void EventRecorder::record(const std::string& cluster, const json::object& about, const EventNote& note) {
  const std::string space(namespace_of(about).empty() ? "default" : namespace_of(about));
  const std::string identity = fmt::format("{}/{}/{}/{}/{}", uid_of(about), note.reason, note.message,
                                           note.component, note.field_path);
  const std::string name = fmt::format("{}.{:016x}", name_of(about), hash_of(identity));
  const std::string now = access_.now_text();
  const ObjectKey key{cluster, "", "events", space, name};
  if (const json::object* earlier = access_.find(key)) {
    json::object again = *earlier;
    again["count"] = number_at(again, "count", 1) + 1;
    again["lastTimestamp"] = now;
    access_.store().put(key, std::move(again));
    return;
  }
  sweep_later(cluster);
  json::object involved{{"kind", member_text(about, "kind")},
                        {"namespace", namespace_of(about)},
                        {"name", name_of(about)},
                        {"uid", uid_of(about)},
                        {"apiVersion", member_text(about, "apiVersion")},
                        {"resourceVersion", version_of(about)}};
  if (!note.field_path.empty()) involved["fieldPath"] = note.field_path;
  if (namespace_of(about).empty()) involved.erase("namespace");
  json::object source{{"component", note.component}};
  if (!note.host.empty()) source["host"] = note.host;
  json::object event{{"apiVersion", "v1"},
                     {"kind", "Event"},
                     {"metadata", json::object{{"name", name}, {"namespace", space}}},
                     {"involvedObject", std::move(involved)},
                     {"reason", note.reason},
                     {"message", note.message},
                     {"source", std::move(source)},
                     {"firstTimestamp", now},
                     {"lastTimestamp", now},
                     {"count", 1},
                     {"type", note.type},
                     {"reportingComponent", note.component},
                     {"reportingInstance", note.host}};
  // A namespace that is going away takes no events any more.
  std::ignore = access_.objects(cluster, note.component).create(std::move(event));
}

/// Once a start: a later one replaces the timer that an earlier start left.
void EventRecorder::sweep_later(const std::string& cluster) {
  if (epoch_ != access_.store().epoch()) swept_.clear();
  epoch_ = access_.store().epoch();
  if (!swept_.insert(cluster).second) return;
  // Ages are of wall time, so is the pause.
  access_.world().set_timer(k_sweep, cluster, k_sweep_pause * access_.world().scale());
}

void EventRecorder::sweep(const std::string& cluster) {
  swept_.erase(cluster);
  if (!access_.store().find_cluster(cluster)) return;
  std::vector<ObjectKey> old;
  bool left = false;
  for (const StoredObject* event : access_.store().list(cluster, "", "events", "")) {
    const auto last = parse_rfc3339(member_text(event->body, "lastTimestamp"));
    if (last && access_.world().now() - *last > k_kept) {
      old.push_back(event->key());
    } else {
      left = true;
    }
  }
  for (const auto& key : old) access_.store().erase(key);
  if (left) sweep_later(cluster);
}

}  // namespace instantstart::sandbox::kubernetes
