#include "sandbox/kubernetes/cluster/kubelet.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "sandbox/core/cidr.h"
#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/cluster/container_environment.h"
#include "sandbox/kubernetes/cluster/probes.h"
#include "sandbox/kubernetes/cluster/workload.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::string_view k_timer = "kubernetes.pod";
constexpr seconds k_mount_time{1};
constexpr seconds k_retry{5};
/// Pods get addresses of the shared range (RFC 6598), as with VPC CNI's custom networking.
constexpr Ipv4 k_first_address = 0x64400000;
constexpr std::int64_t k_addresses = (std::int64_t{1} << 22) - 2;

std::string node_id(std::string_view cluster, std::string_view node) {
  return fmt::format("{}/{}", cluster, node);
}

ObjectKey key_of(const PodRun& run) { return {run.cluster, "", "pods", run.namespace_name, run.name}; }

PodRun run_of(const ObjectKey& key, const json::object& pod) {
  const json::object& spec = member_object(pod, "spec");
  PodRun run{.cluster = key.cluster,
             .namespace_name = key.namespace_name,
             .name = key.name,
             .uid = std::string(uid_of(pod)),
             .node = std::string(member_text(spec, "nodeName"))};
  for (const auto list : {"initContainers", "containers"}) {
    for (const auto& value : member_array(spec, list)) {
      if (!value.is_object()) continue;
      const bool init = std::string_view(list) == "initContainers";
      run.containers.push_back(
          {.name = std::string(member_text(value.get_object(), "name")),
           .init = init,
           .sidecar = init && member_text(value.get_object(), "restartPolicy") == "Always"});
    }
  }
  return run;
}

}  // namespace

Type describe(AddressCounter*) {
  return object_type<AddressCounter>("AddressCounter", "Addresses given to pods.",
                                     {field<&AddressCounter::last>("last", "The last one's number.")});
}

Kubelet::Kubelet(ControllerParts parts, const ProgramCatalog& programs, ContainerLogs& logs)
    : Controller("kubelet", parts),
      programs_(programs),
      logs_(logs),
      runs_(parts.access.world(), "kubernetes.pod_run"),
      nodes_(parts.access.world(), "kubernetes.node"),
      counters_(parts.access.world(), "kubernetes.pod_addresses") {
  access().world().on_timer(std::string(k_timer), [this](const std::string& key) { on_timer(key); });
}

// -- machines

void Kubelet::add_node(const std::string& cluster, const std::string& node, NodeRecord record) {
  nodes_.put(node_id(cluster, node), std::move(record));
}

void Kubelet::remove_node(const std::string& cluster, const std::string& node) {
  nodes_.erase(node_id(cluster, node));
  std::vector<std::string> uids;
  for (const auto& [id, run] : runs_.starting_with(cluster + "/")) {
    if (run.node == node) uids.push_back(run.uid);
  }
  for (const auto& uid : uids) drop(cluster, uid);
}

const NodeRecord* Kubelet::find_node(std::string_view cluster, std::string_view node) const {
  return nodes_.find(node_id(cluster, node));
}

void Kubelet::edit_node(std::string_view cluster, std::string_view node,
                        const std::function<void(NodeRecord&)>& change) {
  nodes_.edit(node_id(cluster, node), change);
}

void Kubelet::restart_node(const std::string& cluster, const std::string& node) {
  std::vector<std::string> ids;
  for (const auto& [id, run] : runs_.starting_with(cluster + "/")) {
    if (run.node == node) ids.push_back(id);
  }
  for (const auto& id : ids) {
    PodRun run = *runs_.find(id);
    const json::object* found = access().find(key_of(run));
    if (!found || run.stage == PodStage::ended) continue;
    const json::object pod = *found;
    cancel_timers(run);
    if (is_deleting(pod)) {
      finish_termination(run, pod);
      continue;
    }
    for (auto& container : run.containers) {
      if (container.state == ContainerState::running) stop(run, container, pod, 255);
    }
    begin_anew(run, pod);
    note(run, pod, "Normal", "SandboxChanged", "Pod sandbox changed, it will be killed and re-created.");
    settle_end(run, pod);
    save(run, pod);
    if (run.stage == PodStage::starting) set_timer(run, "mount", "", k_mount_time);
  }
}

/// Of what ended for good nothing runs again; init containers do, since nothing of the pod's sandbox is left.
void Kubelet::begin_anew(PodRun& run, const json::object& pod) {
  const auto policy = member_text(member_object(pod, "spec"), "restartPolicy");
  for (auto& container : run.containers) {
    if (container.state == ContainerState::exited && container.end) {
      const bool done = policy == "Never" || (policy == "OnFailure" && container.end->exit_code == 0);
      if (done && !container.sidecar && (!container.init || policy == "Never")) continue;
    }
    if (container.end) {
      container.last = std::exchange(container.end, std::nullopt);
      ++container.attempt;
    }
    container.state = ContainerState::waiting;
    container.step = 0;
    container.ready = false;
    container.reason.clear();
    container.message.clear();
  }
  run.stage = PodStage::starting;
}

const PodRun* Kubelet::find_run(std::string_view cluster, std::string_view uid) const {
  return runs_.find(fmt::format("{}/{}", cluster, uid));
}

bool Kubelet::is_reachable(const PodRun& run) const {
  const NodeRecord* node = find_node(run.cluster, run.node);
  return node && node->reachable;
}

// -- changes and timers

void Kubelet::forget() {
  Controller::forget();
  made_.clear();
  uids_.clear();
  logs_.ended();
}

void Kubelet::notice(const Change& change) {
  if (!change.key.group.empty() || change.key.resource != "pods") return;
  const json::object& pod = *change.object;
  const std::string uid(uid_of(pod));
  if (change.kind == ChangeKind::deleted) {
    if (runs_.contains(fmt::format("{}/{}", change.key.cluster, uid))) {
      uids_.insert_or_assign(change.key, uid);
      mark(change.key);
    }
    return;
  }
  if (member_text(member_object(pod, "spec"), "nodeName").empty()) return;
  const PodRun* run = find_run(change.key.cluster, uid);
  if (!run ? !has_ended(pod) : is_deleting(pod) && run->stage != PodStage::ending) mark(change.key);
}

void Kubelet::set_timer(const PodRun& run, std::string_view what, std::string_view container,
                        milliseconds after) {
  access().world().set_timer(k_timer, fmt::format("{}|{}|{}|{}", run.cluster, run.uid, what, container),
                             after);
}

void Kubelet::cancel_timers(const PodRun& run) {
  constexpr std::array<std::string_view, 7> k_of_containers{"pull",      "backoff",  "step",  k_startup,
                                                            k_readiness, k_liveness, "config"};
  for (const auto& container : run.containers) {
    for (const auto what : k_of_containers) {
      access().world().cancel_timer(k_timer,
                                    fmt::format("{}|{}|{}|{}", run.cluster, run.uid, what, container.name));
    }
  }
  for (const auto what : {"mount", "end", "deadline"}) {
    access().world().cancel_timer(k_timer, fmt::format("{}|{}|{}|", run.cluster, run.uid, what));
  }
}

void Kubelet::sync(const ObjectKey& key) {
  const auto gone = uids_.find(key);
  if (gone != uids_.end()) {
    const std::string uid = gone->second;
    uids_.erase(gone);
    drop(key.cluster, uid);
  }
  const json::object* found = access().find(key);
  if (!found) return;
  const json::object pod = *found;
  const PodRun* known = find_run(key.cluster, uid_of(pod));
  if (!known) return begin(key, pod);
  if (!is_deleting(pod) || known->stage == PodStage::ending || !is_reachable(*known)) return;
  PodRun run = *known;
  terminate(run, pod);
}

void Kubelet::on_timer(const std::string& key) {
  const auto parts = split(key, '|');
  if (parts.size() != 4) return;
  const PodRun* known = find_run(parts[0], parts[1]);
  // On a node that doesn't answer nothing goes on; it begins anew when it does.
  if (!known || !is_reachable(*known)) return;
  PodRun run = *known;
  const json::object* found = access().find(key_of(run));
  if (!found || uid_of(*found) != run.uid) return drop(run.cluster, run.uid);
  const json::object pod = *found;
  const auto what = parts[2];
  if (what == "end") return finish_termination(run, pod);
  if (run.stage == PodStage::ended || run.stage == PodStage::ending) return;
  if (what == "mount") return mount(run, pod);
  if (what == "deadline") {
    run.reason = "DeadlineExceeded";
    run.message = "Pod was active on the node longer than the specified deadline";
    for (auto& container : run.containers) {
      if (container.state == ContainerState::running) stop(run, container, pod, 137);
      container.state = ContainerState::exited;
    }
    run.stage = PodStage::ended;
    run.failed = true;
    cancel_timers(run);
    return save(run, pod);
  }
  ContainerRun* container = run.find(parts[3]);
  if (!container) return;
  if (what == "pull") pulled(run, *container, pod);
  if (what == "config") start(run, *container, pod);
  if (what == "step") take_step(run, *container, pod);
  if (is_probe(what)) probe(run, *container, pod, what);
  if (what == "backoff") restart(run, *container, pod);
  if (run.stage != PodStage::ended) advance(run, pod);
  save(run, pod);
}

// -- a pod

void Kubelet::begin(const ObjectKey& key, const json::object& pod) {
  PodRun run = run_of(key, pod);
  const NodeRecord* node = find_node(run.cluster, run.node);
  if (!node || !node->reachable || has_ended(pod)) return;
  if (is_deleting(pod)) return remove_pod(run);
  run.start_time = access().now_text();
  save(run, pod);
  set_timer(run, "mount", "", k_mount_time);
  const auto deadline = number_at(member_object(pod, "spec"), "activeDeadlineSeconds");
  if (deadline > 0) set_timer(run, "deadline", "", seconds(deadline));
}

void Kubelet::mount(PodRun& run, const json::object& pod) {
  if (const auto problem = mount_problem(access(), buckets_, run, pod)) {
    note(run, pod, "Warning", "FailedMount", *problem);
    set_timer(run, "mount", "", k_retry);
    return;
  }
  const NodeRecord* node = find_node(run.cluster, run.node);
  run.ip =
      is_true_at(member_object(pod, "spec"), "hostNetwork") ? node->internal_ip : next_address(run.cluster);
  run.stage = PodStage::running;
  advance(run, pod);
  save(run, pod);
}

/// Begins what may begin now: init containers one after the other, then all others.
void Kubelet::advance(PodRun& run, const json::object& pod) {
  if (run.stage != PodStage::running) return;
  for (auto& container : run.containers) {
    if (!container.init) continue;
    if (container.state == ContainerState::waiting) pull(run, container, pod);
    const bool done = container.sidecar ? container.state == ContainerState::running
                                        : container.state == ContainerState::exited && container.end &&
                                              container.end->exit_code == 0;
    if (!done && !(container.sidecar && (container.end || container.last))) {
      settle_end(run, pod);
      return;
    }
  }
  for (auto& container : run.containers) {
    if (!container.init && container.state == ContainerState::waiting) pull(run, container, pod);
  }
  settle_end(run, pod);
}

/// Is over when no container goes on or comes back.
void Kubelet::settle_end(PodRun& run, const json::object& pod) {
  const bool init_failed = std::ranges::any_of(run.containers, [](const ContainerRun& one) {
    return one.init && !one.sidecar && one.state == ContainerState::exited && one.end &&
           one.end->exit_code != 0;
  });
  const bool all_ended = std::ranges::all_of(run.containers, [](const ContainerRun& one) {
    return one.init || one.state == ContainerState::exited;
  });
  if (!init_failed && !all_ended) return;
  run.stage = PodStage::ended;
  run.failed = init_failed || std::ranges::any_of(run.containers, [](const ContainerRun& one) {
                 return !one.init && one.end && one.end->exit_code != 0;
               });
  for (auto& container : run.containers) {
    if (container.state == ContainerState::running) stop(run, container, pod, 0);
  }
  cancel_timers(run);
}

void Kubelet::terminate(PodRun& run, const json::object& pod) {
  cancel_timers(run);
  const bool at_work = run.stage == PodStage::running || run.stage == PodStage::starting;
  run.stage = run.stage == PodStage::ended ? PodStage::ended : PodStage::ending;
  milliseconds longest{0};
  const milliseconds grace = seconds(number_at(metadata_of(pod), "deletionGracePeriodSeconds"));
  for (auto& container : run.containers) {
    if (!at_work || container.state != ContainerState::running) continue;
    note(run, pod, "Normal", "Killing", fmt::format("Stopping container {}", container.name), container.name);
    container.ready = false;
    const auto program = program_of(run, container, pod);
    auto shown = shown_to(run, container, pod, Writing::tried);
    if (!program || !shown) continue;
    const ProgramEnd end = program->terminate(shown->site());
    longest = std::max(longest, std::min(end.after, grace));
  }
  save(run, pod);
  set_timer(run, "end", "", longest);
}

void Kubelet::finish_termination(PodRun& run, const json::object& pod) {
  const milliseconds grace = seconds(number_at(metadata_of(pod), "deletionGracePeriodSeconds"));
  for (auto& container : run.containers) {
    if (container.state != ContainerState::running) continue;
    const auto program = program_of(run, container, pod);
    auto shown = shown_to(run, container, pod, Writing::done);
    ProgramEnd end;
    if (program && shown) end = program->terminate(shown->site());
    logs_.append({run.cluster, run.uid, container.name, container.attempt}, end.lines);
    stop(run, container, pod, end.after > grace ? 137 : end.exit_code);
  }
  run.failed = run.stage == PodStage::ended
                   ? run.failed
                   : std::ranges::any_of(run.containers, [](const ContainerRun& one) {
                       return !one.init && (!one.end || one.end->exit_code != 0);
                     });
  for (auto& container : run.containers) {
    if (container.state == ContainerState::exited) continue;
    container.state = ContainerState::exited;
    if (!container.end) {
      container.end = ContainerEnd{.exit_code = 137,
                                   .reason = "ContainerStatusUnknown",
                                   .started = access().now_text(),
                                   .finished = access().now_text(),
                                   .id = container.id};
    }
  }
  run.stage = PodStage::ended;
  save(run, pod);
  remove_pod(run);
}

void Kubelet::remove_pod(const PodRun& run) {
  std::ignore = access()
                    .objects(run.cluster, k_kubelet)
                    .remove("", "pods", run.namespace_name, run.name, {.grace_seconds = 0, .uid = run.uid});
}

void Kubelet::drop(const std::string& cluster, const std::string& uid) {
  const std::string id = fmt::format("{}/{}", cluster, uid);
  if (const PodRun* run = runs_.find(id)) cancel_timers(*run);
  logs_.forget_pod(cluster, uid);
  runs_.erase(id);
  const auto first = made_.lower_bound(id);
  auto last = first;
  while (last != made_.end() && last->first.starts_with(id)) ++last;
  made_.erase(first, last);
}

void Kubelet::save(const PodRun& run, const json::object&) {
  runs_.put(run.id(), run);
  const json::object* pod = access().find(key_of(run));
  const NodeRecord* node = find_node(run.cluster, run.node);
  if (!pod || !node || uid_of(*pod) != run.uid) return;
  json::object next = *pod;
  next["status"] = pod_status(run, *pod, *node, access().now_text());
  // It may be deleted meanwhile.
  if (next != *pod) std::ignore = access().objects(run.cluster, k_kubelet).update_status(std::move(next));
}

void Kubelet::note(const PodRun& run, const json::object& pod, std::string_view type, std::string_view reason,
                   std::string message, std::string_view container) {
  const ContainerRun* one = run.find(container);
  events().record(run.cluster, pod,
                  {.type = type,
                   .reason = reason,
                   .message = std::move(message),
                   .component = k_kubelet,
                   .host = run.node,
                   .field_path = one ? fmt::format("spec.{}{{{}}}",
                                                   one->init ? "initContainers" : "containers", container)
                                     : std::string()});
}

std::string Kubelet::next_address(const std::string& cluster) {
  const AddressCounter* counter = counters_.find(cluster);
  const std::int64_t next = counter ? counter->last + 1 : 1;
  counters_.put(cluster, {next});
  return ipv4_text(k_first_address + static_cast<Ipv4>(1 + (next - 1) % k_addresses));
}

}  // namespace instantstart::sandbox::kubernetes
