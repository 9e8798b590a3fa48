// The containers of a pod: image, start, steps of the program, end, and again.
#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/cluster/container_environment.h"
#include "sandbox/kubernetes/cluster/kubelet.h"
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
  container.pull_failures = 0;
  container.started = access().now_text();
  container.id = fmt::format("containerd://{}{}", access().world().make_request_id(), container.attempt);
  std::erase(container.id, '-');
  container.end.reset();
  logs_.begin(log_of(run, container));
  note(run, pod, "Normal", "Created", fmt::format("Created container: {}", container.name), container.name);
  note(run, pod, "Normal", "Started", fmt::format("Started container {}", container.name), container.name);
  const json::object* spec = find_container(pod, container.name);
  const bool probed = spec && (spec->contains("readinessProbe") || spec->contains("startupProbe"));
  container.ready = !probed;
  if (probed) {
    const auto delay = number_at(member_object(*spec, "readinessProbe"), "initialDelaySeconds") +
                       number_at(member_object(*spec, "startupProbe"), "initialDelaySeconds");
    set_timer(run, "probe", container.name, seconds(std::max<std::int64_t>(1, delay)));
  }
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
  return program;
}

void Kubelet::plan_step(const PodRun& run, const ContainerRun& container, const json::object& pod) {
  const auto program = program_of(run, container, pod);
  const auto view = container_view(access(), run, pod, container);
  if (!program || !view) return;
  const ProgramStep next = program->step({store(), *view, access().world().now()}, container.step);
  if (!next.idle) set_timer(run, "step", container.name, next.after);
}

void Kubelet::take_step(PodRun& run, ContainerRun& container, const json::object& pod) {
  const auto program = program_of(run, container, pod);
  const auto view = container_view(access(), run, pod, container);
  if (!program || !view) return;
  const ProgramStep now = program->step({store(), *view, access().world().now()}, container.step);
  if (now.idle) return;
  logs_.append(log_of(run, container), now.lines);
  if (now.exit_code) return exited(run, container, pod, *now.exit_code);
  if (!now.stay) ++container.step;
  plan_step(run, container, pod);
}

void Kubelet::probe(PodRun& run, ContainerRun& container, const json::object& pod) {
  const auto program = program_of(run, container, pod);
  const auto view = container_view(access(), run, pod, container);
  const json::object* spec = find_container(pod, container.name);
  if (!program || !view || !spec) return;
  const bool ready = program->is_ready({store(), *view, access().world().now()});
  if (!ready && !container.ready) {
    note(run, pod, "Warning", "Unhealthy", "Readiness probe failed", container.name);
  }
  container.ready = ready;
  // A program that is ready is looked at again only when it may say otherwise; that keeps idle clusters idle.
  if (ready) return;
  const auto period = number_at(member_object(*spec, "readinessProbe"), "periodSeconds", 10);
  set_timer(run, "probe", container.name, seconds(std::max<std::int64_t>(1, period)));
}

void Kubelet::stop(PodRun& run, ContainerRun& container, const json::object&, std::int64_t exit_code) {
  made_.erase(fmt::format("{}/{}/{}", run.id(), container.name, container.attempt));
  container.state = ContainerState::exited;
  container.ready = false;
  container.end = ContainerEnd{.exit_code = exit_code,
                               .reason = exit_code == 0 ? "Completed" : "Error",
                               .started = container.started,
                               .finished = access().now_text(),
                               .id = container.id};
  for (const auto what : {"step", "probe"}) {
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
