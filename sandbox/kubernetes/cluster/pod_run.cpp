#include "sandbox/kubernetes/cluster/pod_run.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/cluster/workload.h"

namespace instantstart::sandbox::kubernetes {
namespace {

json::object state_of(const ContainerEnd& end) {
  return {{"terminated", json::object{{"exitCode", end.exit_code},
                                      {"reason", end.reason},
                                      {"startedAt", end.started},
                                      {"finishedAt", end.finished},
                                      {"containerID", end.id}}}};
}

/// Ended, or about to be started again at once.
bool shows_end(const ContainerRun& run) {
  const bool at_once = run.state == ContainerState::backing_off && run.reason != "CrashLoopBackOff";
  return run.end && (run.state == ContainerState::exited || at_once);
}

json::object state_of(const ContainerRun& run, const PodRun& pod) {
  if (run.state == ContainerState::running) {
    return {{"running", json::object{{"startedAt", run.started}}}};
  }
  if (shows_end(run)) return state_of(*run.end);
  // Its image is looked at before it is started again: until then it shows how it ended.
  if (run.reason.empty() && run.last) return state_of(*run.last);
  std::string reason = run.reason;
  if (reason.empty()) reason = run.init || pod.initialized() ? "ContainerCreating" : "PodInitializing";
  if (run.init && run.reason.empty()) reason = "PodInitializing";
  json::object waiting{{"reason", std::move(reason)}};
  if (!run.message.empty()) waiting["message"] = run.message;
  return {{"waiting", std::move(waiting)}};
}

std::string image_of(const json::object& pod, std::string_view container) {
  for (const auto list : {"containers", "initContainers"}) {
    for (const auto& value : member_array(member_object(pod, "spec"), list)) {
      if (value.is_object() && member_text(value.get_object(), "name") == container) {
        return std::string(member_text(value.get_object(), "image"));
      }
    }
  }
  return {};
}

json::object container_status(const ContainerRun& run, const PodRun& pod_run, const json::object& pod) {
  const std::string image = image_of(pod, run.name);
  const bool has_run = !run.id.empty();
  json::object last;
  if (run.end && run.state == ContainerState::backing_off && !shows_end(run)) {
    last = state_of(*run.end);
  } else if (run.last) {
    last = state_of(*run.last);
  }
  json::object status{{"name", run.name},
                      {"state", state_of(run, pod_run)},
                      {"lastState", std::move(last)},
                      {"ready", run.init && !run.sidecar ? run.state == ContainerState::exited && run.end &&
                                                               run.end->exit_code == 0
                                                         : run.ready},
                      {"restartCount", run.attempt},
                      {"image", image},
                      {"imageID", has_run ? fmt::format("{}@sha256:{:0>64}", image.substr(0, image.find('@')),
                                                        template_hash(json::value(image)))
                                          : std::string()},
                      {"started", run.state == ContainerState::running && !run.starting_up}};
  if (has_run) status["containerID"] = run.id;
  return status;
}

std::string phase_of_run(const PodRun& run) {
  if (run.stage == PodStage::ended) return run.failed ? "Failed" : "Succeeded";
  const bool begun = std::ranges::any_of(run.containers, [](const ContainerRun& one) {
    return !one.init && (one.state == ContainerState::running || one.end || one.last);
  });
  return begun ? "Running" : "Pending";
}

std::string list_of(const PodRun& run, bool init, auto bad) {
  std::vector<std::string> names;
  for (const auto& one : run.containers) {
    if (one.init == init && bad(one)) names.push_back(one.name);
  }
  return join(names, " ");
}

}  // namespace

ContainerRun* PodRun::find(std::string_view container) {
  const auto found = std::ranges::find(containers, container, &ContainerRun::name);
  return found == containers.end() ? nullptr : &*found;
}

const ContainerRun* PodRun::find(std::string_view container) const {
  const auto found = std::ranges::find(containers, container, &ContainerRun::name);
  return found == containers.end() ? nullptr : &*found;
}

bool PodRun::initialized() const {
  return std::ranges::all_of(containers, [](const ContainerRun& one) {
    if (!one.init) return true;
    if (one.sidecar) return one.state == ContainerState::running || one.end || one.last;
    return one.state == ContainerState::exited && one.end && one.end->exit_code == 0;
  });
}

Type describe(ContainerState*) {
  using S = ContainerState;
  return enum_type<S>("ContainerState", "How far a container is.",
                      {{S::waiting, {"waiting", "Not begun."}},
                       {S::pulling, {"pulling", "Its image comes."}},
                       {S::pull_failed, {"pull_failed", "Its image did not come."}},
                       {S::misconfigured, {"misconfigured", "Its environment can't be made."}},
                       {S::running, {"running", "Runs."}},
                       {S::exited, {"exited", "Has ended."}},
                       {S::backing_off, {"backing_off", "Will be started again."}}});
}

Type describe(ContainerEnd*) {
  using E = ContainerEnd;
  return object_type<E>(
      "ContainerEnd", "The end of a run.",
      {field<&E::exit_code>("exit_code", "Of the process."),
       field<&E::reason>("reason", "Completed or Error."), field<&E::started>("started", "RFC 3339."),
       field<&E::finished>("finished", "RFC 3339."), field<&E::id>("id", "Of the container.")});
}

Type describe(ContainerRun*) {
  using R = ContainerRun;
  return object_type<R>(
      "ContainerRun", "A container of a pod.",
      {field<&R::name>("name", "Its name."),
       field<&R::init>("init", "Runs before the others.", {.defaulted = true}),
       field<&R::sidecar>("sidecar", "Runs beside the others.", {.defaulted = true}),
       field<&R::state>("state", "How far it is."),
       field<&R::attempt>("attempt", "Restarts.", {.defaulted = true}),
       field<&R::step>("step", "Of its program.", {.defaulted = true}),
       field<&R::pull_failures>("pull_failures", "Of its image.", {.defaulted = true}),
       field<&R::ready>("ready", "By its probe.", {.defaulted = true}),
       field<&R::silent>("silent", "Its program hangs.", {.defaulted = true}),
       field<&R::starting_up>("starting_up", "By its startup probe.", {.defaulted = true}),
       field<&R::probe_failures>("probe_failures", "In a row.", {.defaulted = true}),
       field<&R::reason>("reason", "Why it waits.", {.defaulted = true}),
       field<&R::message>("message", "The same in words.", {.defaulted = true}),
       field<&R::started>("started", "RFC 3339.", {.defaulted = true}),
       field<&R::id>("id", "Of this run.", {.defaulted = true}), field<&R::end>("end", "Of this run."),
       field<&R::last>("last", "Of the run before.")});
}

Type describe(PodStage*) {
  using S = PodStage;
  return enum_type<S>("PodStage", "How far a pod is.",
                      {{S::starting, {"starting", "Waits for its volumes."}},
                       {S::running, {"running", "Its containers are at work."}},
                       {S::ending, {"ending", "Was told to end."}},
                       {S::ended, {"ended", "All is over."}}});
}

Type describe(PodRun*) {
  using R = PodRun;
  return object_type<R>(
      "PodRun", "A pod on its node.",
      {field<&R::cluster>("cluster", "Its id."), field<&R::namespace_name>("namespace", "Of the pod."),
       field<&R::name>("name", "Of the pod."), field<&R::uid>("uid", "Of the pod."),
       field<&R::node>("node", "Its name."), field<&R::ip>("ip", "Of the pod.", {.defaulted = true}),
       field<&R::start_time>("start_time", "RFC 3339.", {.defaulted = true}),
       field<&R::stage>("stage", "How far it is."),
       field<&R::failed>("failed", "At its end.", {.defaulted = true}),
       field<&R::reason>("reason", "Why it failed.", {.defaulted = true}),
       field<&R::message>("message", "The same in words.", {.defaulted = true}),
       field<&R::containers>("containers", "Init containers first.")});
}

Type describe(NodeRecord*) {
  using R = NodeRecord;
  return object_type<R>("NodeRecord", "A machine with a kubelet.",
                        {field<&R::reachable>("reachable", "It answers."),
                         field<&R::internal_ip>("internal_ip", "Its address."),
                         field<&R::images>("images", "Pulled ones.", {.defaulted = true}),
                         field<&R::health_label>("health_label", "As last told.", {.defaulted = true})});
}

json::object pod_status(const PodRun& run, const json::object& pod, const NodeRecord& node,
                        std::string_view now) {
  json::object status = member_object(pod, "status");
  const bool over = run.stage == PodStage::ended;
  const bool initialized = run.initialized() || (over && !run.failed);
  const std::string unready = list_of(run, false, [](const ContainerRun& one) { return !one.ready; });
  status["phase"] = phase_of_run(run);
  status["hostIP"] = node.internal_ip;
  status["hostIPs"] = json::array{json::object{{"ip", node.internal_ip}}};
  if (!run.ip.empty()) {
    status["podIP"] = run.ip;
    status["podIPs"] = json::array{json::object{{"ip", run.ip}}};
  }
  if (!run.start_time.empty()) status["startTime"] = run.start_time;
  if (!run.reason.empty()) status["reason"] = run.reason;
  if (!run.message.empty()) status["message"] = run.message;
  json::array main;
  json::array init;
  for (const auto& one : run.containers) {
    (one.init ? init : main).emplace_back(container_status(one, run, pod));
  }
  if (!init.empty()) status["initContainerStatuses"] = std::move(init);
  status["containerStatuses"] = std::move(main);
  const auto say = [&](const Condition& condition) {
    set_condition(status, condition, now, "lastProbeTime");
  };
  const bool sandbox = !run.ip.empty() && !over;
  say({"PodReadyToStartContainers", sandbox ? "True" : "False"});
  if (initialized) {
    say({"Initialized", "True", over && !run.failed ? "PodCompleted" : ""});
  } else {
    const auto waiting = list_of(run, true, [](const ContainerRun& one) {
      return !(one.state == ContainerState::exited && one.end && one.end->exit_code == 0);
    });
    say({"Initialized", "False", "ContainersNotInitialized",
         fmt::format("containers with incomplete status: [{}]", waiting)});
  }
  for (const auto type : {"Ready", "ContainersReady"}) {
    if (over) {
      say({type, "False", run.failed ? "PodFailed" : "PodCompleted"});
    } else if (unready.empty() && initialized) {
      say({type, "True"});
    } else {
      say({type, "False", "ContainersNotReady",
           fmt::format("containers with unready status: [{}]", unready)});
    }
  }
  return status;
}

}  // namespace instantstart::sandbox::kubernetes
