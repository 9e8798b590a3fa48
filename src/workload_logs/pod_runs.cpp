#include "workload_logs/pod_runs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "base/text.h"
#include "kube/json_access.h"
#include "kube/object.h"

namespace instantstart::workload_logs {
namespace {

constexpr std::size_t k_most_rank_digits = 6;

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || text.size() > k_most_rank_digits || error != std::errc() ||
      end != text.data() + text.size() || number < 0) {
    return std::nullopt;
  }
  return number;
}

std::optional<std::int64_t> rank_of(const kube::ObjectView& pod) {
  // Indexed Jobs, StatefulSets, Kubeflow's operators.
  constexpr std::array<std::string_view, 3> k_labels{"batch.kubernetes.io/job-completion-index",
                                                     "apps.kubernetes.io/pod-index",
                                                     "training.kubeflow.org/replica-index"};
  for (const auto label : k_labels) {
    if (const auto text = pod.label(label)) return number_in(*text);
  }
  const auto name = pod.name();
  const auto dash = name.rfind('-');
  return dash == std::string_view::npos ? std::nullopt : number_in(name.substr(dash + 1));
}

bool is_controlled_by(const json::object& pod, const LogOwner& owner) {
  return std::ranges::any_of(kube::array_at(pod, {"metadata", "ownerReferences"}),
                             [&owner](const json::value& value) {
                               const auto& reference = kube::as_object(value);
                               // Not the version: the operator may write another than we read.
                               const auto group = owner.api_version.substr(0, owner.api_version.find('/'));
                               const auto theirs = kube::text_at(reference, {"apiVersion"});
                               // Nor by the case: "HyperPodPyTorchJob" is spelt in two ways.
                               return to_lower(kube::text_at(reference, {"kind"})) == to_lower(owner.kind) &&
                                      kube::text_at(reference, {"name"}) == owner.name &&
                                      theirs.substr(0, theirs.find('/')) == group;
                             });
}

std::vector<RunPlace> runs_of(const json::object& status) {
  const std::int64_t restarts = kube::integer_at(status, {"restartCount"}).value_or(0);
  const bool runs = kube::value_at(status, {"state", "running"}) != nullptr;
  const bool ended = kube::value_at(status, {"state", "terminated"}) != nullptr;
  const bool had_run = kube::value_at(status, {"lastState", "terminated"}) != nullptr;
  std::vector<RunPlace> places;
  if (!runs && !ended) {
    if (!had_run) return places;
    // It waits to be started again. The count is of the container that was made last, which is this one as
    // long as no other was made.
    const auto last = kube::text_at(status, {"lastState", "terminated", "containerID"});
    const auto made = kube::text_at(status, {"containerID"});
    const bool latest = made.empty() || last.empty() || made == last;
    places.push_back({.attempt = latest ? restarts : restarts - 1, .over = true, .previous = true});
    return places;
  }
  if (had_run && restarts > 0) places.push_back({.attempt = restarts - 1, .over = true, .previous = true});
  places.push_back({.attempt = restarts, .over = ended, .previous = false});
  return places;
}

bool is_true(const json::object& owner, std::string_view type) {
  const auto condition = kube::ObjectView(owner).condition(type);
  return condition && condition->is_true();
}

}  // namespace

const RunPlace* ContainerRuns::find(std::int64_t attempt) const {
  const auto found = std::ranges::find(runs, attempt, &RunPlace::attempt);
  return found == runs.end() ? nullptr : &*found;
}

const ContainerRuns* PodRuns::find(const std::string& container) const {
  const auto found = std::ranges::find(containers, container, &ContainerRuns::name);
  return found == containers.end() ? nullptr : &*found;
}

kube::FieldSelection pod_fields() {
  return {"/metadata/labels",
          "/metadata/ownerReferences",
          "/spec/containers/name",
          "/spec/initContainers/name",
          "/status/phase",
          "/status/containerStatuses",
          "/status/initContainerStatuses"};
}

PodRuns pod_runs(const json::object& pod, const LogSubject& subject) {
  const kube::ObjectView view(pod);
  const auto phase = kube::text_at(pod, {"status", "phase"});
  PodRuns record{
      .uid = std::string(view.uid()),
      .over = phase == "Succeeded" || phase == "Failed",
      .several = kube::array_at(pod, {"spec", "containers"}).size() +
                     kube::array_at(pod, {"spec", "initContainers"}).size() >
                 1,
      .chosen = !subject.selector.empty() || (subject.owner && is_controlled_by(pod, *subject.owner)),
      .rank = rank_of(view)};
  for (const auto list : {"initContainerStatuses", "containerStatuses"}) {
    for (const auto& value : kube::array_at(pod, {"status", list})) {
      const auto& status = kube::as_object(value);
      ContainerRuns runs{.name = std::string(kube::text_at(status, {"name"})),
                         .restarts = kube::integer_at(status, {"restartCount"}).value_or(0),
                         .runs = runs_of(status)};
      if (!runs.name.empty() && !runs.runs.empty()) record.containers.push_back(std::move(runs));
    }
  }
  return record;
}

bool has_ended(const json::object& owner) {
  // batch/v1 Job; HyperPod's and Kubeflow's training operators.
  for (const auto type : {"Complete", "Completed", "Succeeded", "Failed"}) {
    if (is_true(owner, type)) return true;
  }
  const auto deployment = kube::text_at(owner, {"status", "jobDeploymentStatus"});  // RayJob
  return deployment == "Complete" || deployment == "Failed";
}

}  // namespace instantstart::workload_logs
