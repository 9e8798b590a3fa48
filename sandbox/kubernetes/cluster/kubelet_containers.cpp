// The containers of a pod: image, start, steps of the program, end, and again.
#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/cluster/container_environment.h"
#include "sandbox/kubernetes/cluster/kubelet.h"
#include "sandbox/kubernetes/cluster/probes.h"
#include "sandbox/kubernetes/cluster/workload.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr seconds k_first_backoff{10};
constexpr seconds k_longest_backoff{300};
constexpr seconds k_retry{5};
constexpr std::size_t k_images = 50;  // nodeStatusMaxImages

milliseconds backoff(std::int64_t failures) {
  return std::min<milliseconds>(k_longest_backoff,
                                k_first_backoff * (1LL << std::clamp<std::int64_t>(failures, 0, 5)));
}

LogRun log_of(const PodRun& run, const ContainerRun& container) {
  return {run.cluster, run.uid, container.name, container.attempt};
}

std::string duration_text(milliseconds duration) {
  const auto whole = duration.count() / 1000;
  if (whole < 60) return fmt::format("{}s", whole);
  return fmt::format("{}m{}s", whole / 60, whole % 60);
}

}  // namespace

void Kubelet::pull(PodRun& run, ContainerRun& container, const json::object& pod) {
  const json::object* spec = find_container(pod, container.name);
  const NodeRecord* node = find_node(run.cluster, run.node);
  if (!spec || !node) return;
  const std::string image(member_text(*spec, "image"));
  const auto policy = member_text(*spec, "imagePullPolicy");
  const bool there = std::ranges::find(node->images, image) != node->images.end();
  if (there && policy != "Always") {
    if (container.attempt == 0) {
      note(run, pod, "Normal", "Pulled",
           fmt::format("Container image \"{}\" already present on machine", image), container.name);
    }
    return start(run, container, pod);
  }
  if (policy == "Never") {
    container.state = ContainerState::pull_failed;
    container.reason = "ErrImageNeverPull";
    container.message = fmt::format("Container image \"{}\" is not present with pull policy of Never", image);
    note(run, pod, "Warning", "ErrImageNeverPull", container.message, container.name);
    return;
  }
  container.state = ContainerState::pulling;
  note(run, pod, "Normal", "Pulling", fmt::format("Pulling image \"{}\"", image), container.name);
  const ImagePull pull = pull_of(image);
  set_timer(run, "pull", container.name, there ? std::min<milliseconds>(pull.takes, seconds(1)) : pull.takes);
}

/// The pull is over, or the pause after one that failed.
void Kubelet::pulled(PodRun& run, ContainerRun& container, const json::object& pod) {
  const json::object* spec = find_container(pod, container.name);
  if (!spec) return;
  const std::string image(member_text(*spec, "image"));
  if (container.state == ContainerState::pull_failed) {
    if (container.reason == "ErrImagePull") {
      container.reason = "ImagePullBackOff";
      container.message = fmt::format("Back-off pulling image \"{}\"", image);
      note(run, pod, "Normal", "BackOff", container.message, container.name);
      note(run, pod, "Warning", "Failed", "Error: ImagePullBackOff", container.name);
      set_timer(run, "pull", container.name, backoff(container.pull_failures - 1));
      return;
    }
    container.state = ContainerState::waiting;
    return pull(run, container, pod);
  }
  const ImagePull pull = pull_of(image);
  if (!pull.error.empty()) {
    ++container.pull_failures;
    container.state = ContainerState::pull_failed;
    container.reason = "ErrImagePull";
    container.message = pull.error;
    note(run, pod, "Warning", "Failed", fmt::format("Failed to pull image \"{}\": {}", image, pull.error),
         container.name);
    note(run, pod, "Warning", "Failed", "Error: ErrImagePull", container.name);
    set_timer(run, "pull", container.name, seconds(2));
    return;
  }
  edit_node(run.cluster, run.node, [&image](NodeRecord& node) {
    std::erase(node.images, image);
    node.images.push_back(image);
    if (node.images.size() > k_images) node.images.erase(node.images.begin());
  });
  note(run, pod, "Normal", "Pulled",
       fmt::format("Successfully pulled image \"{}\" in {} ({} including waiting)", image,
                   duration_text(pull.takes), duration_text(pull.takes)),
       container.name);
  start(run, container, pod);
}

void Kubelet::start(PodRun& run, ContainerRun& container, const json::object& pod) {
  const auto view = container_view(access(), run, pod, container);
  if (!view) {
    container.state = ContainerState::misconfigured;
    container.reason = "CreateContainerConfigError";
    container.message = view.error();
    note(run, pod, "Warning", "Failed", fmt::format("Error: {}", view.error()), container.name);
    set_timer(run, "config", container.name, k_retry);
    return;
  }
  container.state = ContainerState::running;
  container.reason.clear();
  container.message.clear();
  container.step = 0;
  container.silent = false;
  container.pull_failures = 0;
  container.started = access().now_text();
  container.id = fmt::format("containerd://{}{}", access().world().make_request_id(), container.attempt);
  std::erase(container.id, '-');
  container.end.reset();
  logs_.begin(log_of(run, container));
  note(run, pod, "Normal", "Created", fmt::format("Created container: {}", container.name), container.name);
  note(run, pod, "Normal", "Started", fmt::format("Started container {}", container.name), container.name);
  begin_probes(run, container, pod);
  plan_step(run, container, pod);
}

std::shared_ptr<Program> Kubelet::program_of(const PodRun& run, const ContainerRun& container,
                                             const json::object& pod) {
  if (container.state != ContainerState::running) return nullptr;
  const std::string id = fmt::format("{}/{}/{}", run.id(), container.name, container.attempt);
  if (const auto found = made_.find(id); found != made_.end()) return found->second;
  const auto view = container_view(access(), run, pod, container);
  if (!view) return nullptr;
  std::shared_ptr<Program> program = programs_.make(*view);
  made_.emplace(id, program);
  // Made again in the middle: what it does then may not come from a step any more.
  if (container.step > 0) {
    if (auto shown = shown_to(run, container, pod, Writing::tried))
      program->step(shown->site(), container.step);
  }
  return program;
}

std::optional<Kubelet::Shown> Kubelet::shown_to(const PodRun& run, const ContainerRun& container,
                                                const json::object& pod, Writing writing) const {
  auto view = container_view(access(), run, pod, container);
  const json::object* spec = find_container(pod, container.name);
  if (!view || !spec) return std::nullopt;
  return Shown{.store = store(),
               .view = std::move(*view),
               .files = PodFiles(access(), buckets_, {run.cluster, run.namespace_name}, pod, *spec, writing),
               .now = access().world().now(),
               .due = writing == Writing::done};
}

void Kubelet::plan_step(const PodRun& run, const ContainerRun& container, const json::object& pod) {
  if (container.silent) return;
  const auto program = program_of(run, container, pod);
  auto shown = shown_to(run, container, pod, Writing::tried);
  if (!program || !shown) return;
  const ProgramStep next = program->step(shown->site(), container.step);
  if (!next.idle) set_timer(run, "step", container.name, next.after);
}

void Kubelet::take_step(PodRun& run, ContainerRun& container, const json::object& pod) {
  if (container.silent) return;
  const auto program = program_of(run, container, pod);
  auto shown = shown_to(run, container, pod, Writing::done);
  if (!program || !shown) return;
  const ProgramStep now = program->step(shown->site(), container.step);
  if (now.idle) return;
  logs_.append(log_of(run, container), now.lines);
  if (now.exit_code) return exited(run, container, pod, *now.exit_code);
  if (!now.stay) ++container.step;
  plan_step(run, container, pod);
}

void Kubelet::stop(PodRun& run, ContainerRun& container, const json::object&, std::int64_t exit_code) {
  made_.erase(fmt::format("{}/{}/{}", run.id(), container.name, container.attempt));
  container.state = ContainerState::exited;
  container.ready = false;
  container.starting_up = false;
  container.end = ContainerEnd{.exit_code = exit_code,
                               .reason = exit_code == 0 ? "Completed" : "Error",
                               .started = container.started,
                               .finished = access().now_text(),
                               .id = container.id};
  for (const auto what : {std::string_view("step"), k_startup, k_readiness, k_liveness}) {
    access().world().cancel_timer("kubernetes.pod",
                                  fmt::format("{}|{}|{}|{}", run.cluster, run.uid, what, container.name));
  }
  logs_.ended();
}

void Kubelet::exited(PodRun& run, ContainerRun& container, const json::object& pod, std::int64_t exit_code) {
  stop(run, container, pod, exit_code);
  const auto policy = member_text(member_object(pod, "spec"), "restartPolicy");
  const bool always = container.sidecar || (policy == "Always" && !container.init);
  const bool again = always || (policy != "Never" && exit_code != 0);
  if (!again) return;
  container.state = ContainerState::backing_off;
  if (container.attempt == 0) {
    // The first time it is started again at once.
    container.reason = exit_code == 0 ? "Completed" : "Error";
    set_timer(run, "backoff", container.name, seconds(1));
    return;
  }
  const auto wait = backoff(container.attempt - 1);
  container.reason = "CrashLoopBackOff";
  container.message = fmt::format("back-off {} restarting failed container={} pod={}_{}({})",
                                  duration_text(wait), container.name, run.name, run.namespace_name, run.uid);
  note(run, pod, "Warning", "BackOff",
       fmt::format("Back-off restarting failed container {} in pod {}_{}({})", container.name, run.name,
                   run.namespace_name, run.uid),
       container.name);
  set_timer(run, "backoff", container.name, wait);
}

void Kubelet::restart(PodRun& run, ContainerRun& container, const json::object& pod) {
  if (container.state != ContainerState::backing_off) return;
  container.last = std::exchange(container.end, std::nullopt);
  ++container.attempt;
  container.state = ContainerState::waiting;
  container.reason.clear();
  container.message.clear();
  pull(run, container, pod);
}

}  // namespace instantstart::sandbox::kubernetes
