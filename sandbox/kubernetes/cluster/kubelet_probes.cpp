// The probes of containers: the startup probe first, then readiness and liveness.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/cluster/container_environment.h"
#include "sandbox/kubernetes/cluster/kubelet.h"
#include "sandbox/kubernetes/cluster/probes.h"
#include "sandbox/kubernetes/cluster/workload.h"

namespace instantstart::sandbox::kubernetes {
namespace {

std::string_view member_of(std::string_view kind) {
  if (kind == k_startup) return "startupProbe";
  return kind == k_readiness ? std::string_view("readinessProbe") : std::string_view("livenessProbe");
}

std::string_view word_of(std::string_view kind) {
  if (kind == k_startup) return "Startup";
  return kind == k_readiness ? std::string_view("Readiness") : std::string_view("Liveness");
}

const json::object* probe_of(const json::object& pod, std::string_view container, std::string_view kind) {
  const json::object* spec = find_container(pod, container);
  const auto* probe = spec ? spec->if_contains(member_of(kind)) : nullptr;
  return probe ? probe->if_object() : nullptr;
}

/// A number, or the name of a port of the container.
std::int64_t port_of(const json::object& container, const json::object& check) {
  const auto name = member_text(check, "port");
  if (name.empty()) return number_at(check, "port");
  for (const auto& port : member_array(container, "ports")) {
    if (port.is_object() && member_text(port.get_object(), "name") == name) {
      return number_at(port.get_object(), "containerPort");
    }
  }
  return 0;
}

}  // namespace

/// The container was started, or its startup probe has passed.
void Kubelet::begin_probes(PodRun& run, ContainerRun& container, const json::object& pod) {
  const json::object* startup = container.starting_up ? nullptr : probe_of(pod, container.name, k_startup);
  container.starting_up = startup != nullptr;
  container.probe_failures = 0;
  if (startup) {
    container.ready = false;
    return begin_probe(run, container, k_startup, *startup);
  }
  container.ready = probe_of(pod, container.name, k_readiness) == nullptr;
  ask_probes(run, container, pod);
}

/// Readiness and liveness, also after they have passed: something may have changed.
void Kubelet::ask_probes(const PodRun& run, const ContainerRun& container, const json::object& pod) {
  for (const auto kind : {k_readiness, k_liveness}) {
    if (const json::object* probe = probe_of(pod, container.name, kind))
      begin_probe(run, container, kind, *probe);
  }
}

void Kubelet::begin_probe(const PodRun& run, const ContainerRun& container, std::string_view kind,
                          const json::object& probe) {
  const auto delay = number_at(probe, "initialDelaySeconds");
  set_timer(run, kind, container.name, seconds(std::max<std::int64_t>(1, delay)));
}

std::optional<std::string> Kubelet::probe_failure(const PodRun& run, const ContainerRun& container,
                                                  const json::object& pod, const json::object& probe) {
  const auto program = program_of(run, container, pod);
  auto shown = shown_to(run, container, pod, Writing::tried);
  const json::object* spec = find_container(pod, container.name);
  if (!program || !shown || !spec) return std::nullopt;
  const json::object& http = member_object(probe, "httpGet");
  const json::object& tcp = member_object(probe, "tcpSocket");
  ProbeTarget target;
  if (!http.empty()) {
    const auto path = member_text(http, "path");
    target = {port_of(*spec, http), path.empty() ? "/" : std::string(path)};
  } else if (!tcp.empty()) {
    target = {port_of(*spec, tcp), {}};
  }
  if (container.silent) return "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
  if (program->passes(shown->site(), target)) return std::nullopt;
  if (target.port == 0) return "command failed";
  if (!target.path.empty() && program->listens(target.port)) {
    return "HTTP probe failed with statuscode: 503";
  }
  const std::string refused =
      fmt::format("dial tcp {0}:{1}: connect: connection refused", run.ip, target.port);
  if (target.path.empty()) return refused;
  return fmt::format("Get \"http://{}:{}{}\": {}", run.ip, target.port, target.path, refused);
}

void Kubelet::probe(PodRun& run, ContainerRun& container, const json::object& pod, std::string_view kind) {
  const json::object* probe = probe_of(pod, container.name, kind);
  if (!probe || container.state != ContainerState::running) return;
  const auto failure = probe_failure(run, container, pod, *probe);
  if (failure) {
    note(run, pod, "Warning", "Unhealthy", fmt::format("{} probe failed: {}", word_of(kind), *failure),
         container.name);
  }
  if (kind == k_readiness) container.ready = !failure;
  if (!failure) {
    // A program that passes is looked at again only when it may say otherwise; that keeps idle clusters idle.
    if (kind == k_liveness) container.probe_failures = 0;
    if (kind == k_startup) begin_probes(run, container, pod);
    return;
  }
  if (kind != k_readiness && ++container.probe_failures >= number_at(*probe, "failureThreshold", 3)) {
    return kill(run, container, pod, kind);
  }
  const auto period = number_at(*probe, "periodSeconds", 10);
  set_timer(run, kind, container.name, seconds(std::max<std::int64_t>(1, period)));
}

/// As with SIGTERM and the grace period, whose time isn't waited for.
void Kubelet::kill(PodRun& run, ContainerRun& container, const json::object& pod, std::string_view kind) {
  note(run, pod, "Normal", "Killing",
       fmt::format("Container {} failed {} probe, will be restarted", container.name,
                   kind == k_startup ? "startup" : "liveness"),
       container.name);
  const auto program = program_of(run, container, pod);
  auto shown = shown_to(run, container, pod, Writing::done);
  ProgramEnd end;
  if (program && shown) end = program->terminate(shown->site());
  const seconds grace(number_at(member_object(pod, "spec"), "terminationGracePeriodSeconds", 30));
  logs_.append({run.cluster, run.uid, container.name, container.attempt}, end.lines);
  exited(run, container, pod, end.after > grace ? 137 : end.exit_code);
}

}  // namespace instantstart::sandbox::kubernetes
