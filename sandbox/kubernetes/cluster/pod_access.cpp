#include "sandbox/kubernetes/cluster/pod_access.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/api/refusals.h"
#include "sandbox/kubernetes/cluster/service_endpoints.h"
#include "sandbox/kubernetes/cluster/workload.h"
#include "sandbox/kubernetes/objects/selectors.h"

namespace instantstart::sandbox::kubernetes {
namespace {

Status waiting_refusal(const LogRequest& request, const ContainerRun* container) {
  std::string reason = container && !container->reason.empty() ? container->reason : "ContainerCreating";
  if (reason == "ErrImagePull") reason = "image can't be pulled";
  if (reason == "ImagePullBackOff") reason = "trying and failing to pull image";
  return bad_request(fmt::format("container \"{}\" in pod \"{}\" is waiting to start: {}", request.container,
                                 request.pod, reason));
}

std::int64_t number_of(std::string_view text) {
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() ? number : 0;
}

std::int64_t container_port(const json::object& pod, std::string_view name) {
  for (const auto& container : member_array(member_object(pod, "spec"), "containers")) {
    if (!container.is_object()) continue;
    for (const auto& port : member_array(container.get_object(), "ports")) {
      if (!port.is_object()) continue;
      if (name.empty() || member_text(port.get_object(), "name") == name) {
        return number_at(port.get_object(), "containerPort");
      }
    }
  }
  return name.empty() ? 80 : 0;
}

net::Response refusal(const Status& status) {
  return {.status = status.code,
          .headers = {{"Content-Type", "application/json"}},
          .body = to_text(json::value(to_json(status)))};
}

}  // namespace

Outcome<std::unique_ptr<net::BodyStream>> PodLogReader::open(const LogRequest& request) {
  const ObjectKey key{request.cluster, "", "pods", request.namespace_name, request.pod};
  const json::object* pod = access_.find(key);
  if (!pod) return refuse(not_found("", "pods", request.pod));
  const std::string uid(uid_of(*pod));
  const PodRun* run = kubelet_.find_run(request.cluster, uid);
  const ContainerRun* container = run ? run->find(request.container) : nullptr;
  const auto node_name = member_text(member_object(*pod, "spec"), "nodeName");
  const NodeRecord* node = kubelet_.find_node(request.cluster, node_name);
  if (node && !node->reachable) {
    return refuse(internal_fault(
        fmt::format("Get \"https://{0}:10250/containerLogs/{1}/{2}/{3}\": dial tcp "
                    "{0}:10250: i/o timeout",
                    node->internal_ip, request.namespace_name, request.pod, request.container)));
  }
  if (!container) return refuse(waiting_refusal(request, nullptr));
  LogRun log{request.cluster, uid, container->name, container->attempt};
  const bool runs = container->state == ContainerState::running;
  const bool has_now = runs || container->end.has_value();
  if (request.previous) {
    // One that waits to be started again: its last run is the one before.
    const bool waits = container->state == ContainerState::backing_off;
    if (!waits && (!container->last || container->attempt == 0)) {
      return refuse(bad_request(fmt::format("previous terminated container \"{}\" in pod \"{}\" not found",
                                            request.container, request.pod)));
    }
    if (!waits) --log.attempt;
  } else if (!has_now) {
    if (!container->last) return refuse(waiting_refusal(request, container));
    --log.attempt;
  }
  LogWindow window{.timestamps = request.timestamps,
                   .tail_lines = request.tail_lines,
                   .since = std::nullopt,
                   .limit_bytes = request.limit_bytes};
  if (request.since_seconds) window.since = access_.world().now() - seconds(*request.since_seconds);
  if (!request.since_time.empty()) {
    const auto since = parse_rfc3339(request.since_time);
    if (!since) return refuse(bad_request(fmt::format("parsing time \"{}\" failed", request.since_time)));
    window.since = *since;
  }
  const bool follow = request.follow && !request.previous && runs;
  const std::int64_t attempt = log.attempt;
  auto is_running = [&kubelet = kubelet_, cluster = request.cluster, uid, name = request.container, attempt] {
    const PodRun* now = kubelet.find_run(cluster, uid);
    const ContainerRun* one = now ? now->find(name) : nullptr;
    return one && one->attempt == attempt && one->state == ContainerState::running;
  };
  return logs_.open(std::move(log), window, follow, std::move(is_running));
}

Outcome<PodRequests::Destination> PodRequests::of_pod(const ProxyTarget& target, const json::object& pod,
                                                      std::int64_t port) {
  const std::string uid(uid_of(pod));
  const PodRun* run = kubelet_.find_run(target.cluster, uid);
  if (!run || run->ip.empty()) return refuse(unavailable("address not allowed"));
  const std::string address = fmt::format("{}:{}", run->ip, port);
  const NodeRecord* node = kubelet_.find_node(target.cluster, run->node);
  if (!node || !node->reachable) {
    return refuse(
        unavailable(fmt::format("error trying to reach service: dial tcp {}: i/o timeout", address)));
  }
  for (const auto& container : run->containers) {
    auto program = kubelet_.program_of(*run, container, pod);
    if (program && program->listens(port)) {
      return Destination{
          std::move(program), address, {target.cluster, uid, container.name, container.attempt}};
    }
  }
  return refuse(unavailable(
      fmt::format("error trying to reach service: dial tcp {}: connect: connection refused", address)));
}

Outcome<PodRequests::Destination> PodRequests::of_service(const ProxyTarget& target) {
  const json::object* service =
      access_.find({target.cluster, "", "services", target.namespace_name, target.name});
  if (!service) return refuse(not_found("", "services", target.name));
  const json::object* port = nullptr;
  for (const auto& value : member_array(member_object(*service, "spec"), "ports")) {
    if (!value.is_object()) continue;
    const json::object& one = value.get_object();
    const bool fits = target.port.empty() || member_text(one, "name") == target.port ||
                      number_at(one, "port") == number_of(target.port);
    if (fits && !port) port = &one;
  }
  if (!port) {
    return refuse(unavailable(
        fmt::format("no service port \"{}\" found for service \"{}\"", target.port, target.name)));
  }
  const json::object& chosen = member_object(member_object(*service, "spec"), "selector");
  std::vector<const json::object*> ready;
  if (!chosen.empty()) {
    const auto selector = LabelSelector::from_map(chosen);
    for (const auto* pod : access_.store().list(target.cluster, "", "pods", target.namespace_name)) {
      if (is_ready_pod(pod->body) && is_active_pod(pod->body) && selector.matches_object(pod->body)) {
        ready.push_back(&pod->body);
      }
    }
  }
  if (ready.empty()) {
    return refuse(unavailable(fmt::format("no endpoints available for service \"{}\"", target.name)));
  }
  const json::object& pod = *ready[turn_++ % ready.size()];
  return of_pod(target, pod, target_port(*port, pod).value_or(0));
}

Outcome<PodRequests::Destination> PodRequests::find(const ProxyTarget& target) {
  if (target.service) return of_service(target);
  const json::object* pod = access_.find({target.cluster, "", "pods", target.namespace_name, target.name});
  if (!pod) return refuse(not_found("", "pods", target.name));
  const std::int64_t number = number_of(target.port);
  return of_pod(target, *pod, number > 0 ? number : container_port(*pod, target.port));
}

asio::awaitable<net::Response> PodRequests::forward(ProxyTarget target, net::Request request) {
  auto found = find(target);
  if (!found) co_return refusal(found.error());
  // The program lives as long as its answer, though its pod may end meanwhile.
  const std::shared_ptr<Program> program = std::move(found->program);
  program->is_asked(access_.world().now());
  auto response = co_await program->answer(std::move(request));
  if (const auto lines = program->take_lines(); !lines.empty()) logs_.append(found->log, lines);
  co_return response;
}

}  // namespace instantstart::sandbox::kubernetes
