#include "capabilities/inference/testing/made_up_cluster.h"

#include <algorithm>
#include <memory>

#include "base/digest.h"
#include "base/error_codes.h"
#include "kube/json_access.h"
#include "kube/streams.h"
#include "net/http.h"

namespace instantstart::capabilities::testing {
namespace {

constexpr std::string_view k_server = "https://k8s.example";
constexpr std::string_view k_deployments = "/apis/apps/v1/namespaces/default/deployments";
constexpr std::string_view k_pods = "/api/v1/namespaces/default/pods";
constexpr std::string_view k_sets = "/apis/apps/v1/namespaces/default/replicasets";

net::ClientResponse ok(const json::value& body, int status = 200) {
  return {.status = status,
          .headers = {{"content-type", "application/json"}},
          .body = instantstart::to_text(body)};
}

net::ClientResponse refusal(int code, std::string_view reason, std::string_view message) {
  return ok(json::object{{"kind", "Status"},
                         {"apiVersion", "v1"},
                         {"status", "Failure"},
                         {"reason", reason},
                         {"code", code},
                         {"message", message}},
            code);
}

json::object container_status(MadeUpCluster::Fate fate) {
  using Fate = MadeUpCluster::Fate;
  json::object status{{"name", "model"}, {"ready", fate == Fate::answers}, {"restartCount", 0}};
  switch (fate) {
    case Fate::answers: status["state"] = {{"running", json::object()}}; break;
    case Fate::unpullable:
      status["state"] = {
          {"waiting", {{"reason", "ImagePullBackOff"}, {"message", "Back-off pulling image \"x\""}}}};
      break;
    case Fate::crashes:
      status["restartCount"] = 4;
      status["state"] = {{"waiting", {{"reason", "CrashLoopBackOff"}, {"message", "back-off"}}}};
      status["lastState"] = {{"terminated", {{"exitCode", 1}, {"reason", "Error"}}}};
      break;
    case Fate::pending: break;
  }
  return status;
}

}  // namespace

MadeUpCluster::MadeUpCluster() {
  objects["/api/v1/namespaces/default"] = {
      {"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "default"}}}};
  json::array conditions{json::object{{"type", "Ready"}, {"status", "True"}}};
  objects["/api/v1/nodes/n1"] = {
      {"apiVersion", "v1"},
      {"kind", "Node"},
      {"metadata", {{"name", "n1"}, {"labels", {{"node.kubernetes.io/instance-type", "ml.g5.12xlarge"}}}}},
      {"status", {{"allocatable", {{"nvidia.com/gpu", "4"}}}, {"conditions", std::move(conditions)}}}};
}

Task<net::ClientResponse> MadeUpCluster::send(net::ClientRequest request, net::Deadline) {
  auto answer = answer_to(request);
  if (lose.erase(last_) > 0) {
    Error error{.code = std::string(codes::unknown_outcome), .message = "connection reset"};
    error.detail["sent"] = true;
    co_return fail(std::move(error));
  }
  co_return answer;
}

Task<MadeUpCluster::Stream> MadeUpCluster::open(net::ClientRequest request, net::Deadline) {
  if (request.url.contains("/proxy/") && chat_is_lost) {
    chats.push_back(request.body);
    Error error{.code = std::string(codes::unknown_outcome), .message = "connection reset"};
    error.detail["sent"] = true;
    co_return fail(std::move(error));
  }
  auto answer = answer_to(request);
  co_return Stream{answer.status, answer.headers, kube::stream_of(std::move(answer.body))};
}

net::ClientResponse MadeUpCluster::answer_to(const net::ClientRequest& request) {
  last_.clear();
  const std::string_view url = request.url;
  if (!url.starts_with(k_server)) {
    return ok({{"cluster",
                {{"name", "demo"},
                 {"arn", "arn:aws:eks:us-west-2:123456789012:cluster/demo"},
                 {"status", "ACTIVE"},
                 {"version", "1.34"},
                 {"endpoint", k_server},
                 {"certificateAuthority", {{"data", to_base64("PEM")}}}}}});
  }
  const std::string target(url.substr(k_server.size()));
  const std::string path = target.substr(0, target.find('?'));
  if (path.contains("/proxy/")) return chat(request);
  if (path.ends_with("/log")) return {.status = 200, .headers = {}, .body = log};
  const bool is_write = request.method != "GET";
  if (is_write) {
    last_ = request.method + " " + path;
    mutations.push_back(last_);
  }
  if (request.method == "PATCH") return apply(request, path);
  if (request.method == "DELETE") return remove(path);
  if (const auto found = objects.find(path); found != objects.end()) return ok(found->second);
  for (const std::string_view plural :
       {"/deployments", "/events", "/pods", "/replicasets", "/nodes", "/persistentvolumes"}) {
    if (path.ends_with(plural)) return list(path, target.substr(path.size()));
  }
  return refusal(404, "NotFound", "none");
}

net::ClientResponse MadeUpCluster::list(const std::string& path, const std::string& query) {
  // Of all namespaces is the same here: there is one.
  std::string within = path;
  if (path == "/api/v1/pods") within = k_pods;
  if (path == "/apis/apps/v1/deployments") within = k_deployments;
  const bool one_deployment = query.contains("instantstart%2Fdeployment");
  json::array items;
  for (const auto& [at, object] : objects) {
    if (!at.starts_with(within + "/")) continue;
    const auto label = kube::text_at(object, {"metadata", "labels", "instantstart/deployment"});
    if (one_deployment && !query.contains("%3D" + std::string(label))) continue;
    items.push_back(object);
  }
  return ok(json::object{{"kind", "List"},
                         {"apiVersion", "v1"},
                         {"metadata", {{"resourceVersion", "1"}}},
                         {"items", std::move(items)}});
}

void MadeUpCluster::add_pod(const json::object& deployment, const std::string& hash) {
  const std::string name = "qwen-" + hash + "-" + std::to_string(++made_);
  json::object labels = kube::object_at(deployment, {"spec", "template", "metadata", "labels"});
  labels["pod-template-hash"] = hash;
  json::object status{{"phase", fate == Fate::answers ? "Running" : "Pending"},
                      {"containerStatuses", json::array{container_status(fate)}}};
  if (fate == Fate::unpullable) {
    objects["/api/v1/namespaces/default/events/" + name] = {
        {"apiVersion", "v1"},
        {"kind", "Event"},
        {"metadata", {{"name", name}, {"namespace", "default"}}},
        {"message", "Failed to pull image \"x\": manifest unknown"},
        {"lastTimestamp", "2026-01-02T03:04:05Z"}};
  }
  json::object spec{{"nodeName", "n1"}};
  if (fate == Fate::pending) {
    spec.clear();
    status = {{"phase", "Pending"},
              {"conditions", json::array{json::object{{"type", "PodScheduled"},
                                                      {"status", "False"},
                                                      {"reason", "Unschedulable"},
                                                      {"message", "1 Insufficient nvidia.com/gpu."}}}}};
  }
  objects[std::string(k_pods) + "/" + name] = {
      {"apiVersion", "v1"},
      {"kind", "Pod"},
      {"metadata", {{"name", name}, {"namespace", "default"}, {"uid", "uid-" + name}, {"labels", labels}}},
      {"spec", std::move(spec)},
      {"status", std::move(status)}};
}

void MadeUpCluster::count(json::object& deployment, const std::string& hash) {
  std::int64_t total = 0;
  std::int64_t ready = 0;
  for (const auto& [at, pod] : objects) {
    if (!at.starts_with(k_pods) || kube::text_at(pod, {"metadata", "labels", "pod-template-hash"}) != hash)
      continue;
    ++total;
    ready += kube::text_at(pod, {"status", "phase"}) == "Running" ? 1 : 0;
  }
  deployment["status"] = {{"observedGeneration", 1},
                          {"replicas", total},
                          {"updatedReplicas", total},
                          {"readyReplicas", ready},
                          {"availableReplicas", ready}};
}

void MadeUpCluster::roll_out(json::object& deployment) {
  const std::string hash =
      to_hex(sha256(instantstart::to_text(deployment["spec"].at("template")))).substr(0, 6);
  auto& metadata = deployment["metadata"].as_object();
  auto annotations = metadata["annotations"].as_object();
  annotations["deployment.kubernetes.io/revision"] = hash;
  metadata["annotations"] = annotations;
  objects[std::string(k_sets) + "/qwen-" + hash] = {
      {"apiVersion", "apps/v1"},
      {"kind", "ReplicaSet"},
      {"metadata",
       {{"name", "qwen-" + hash},
        {"namespace", "default"},
        {"labels", {{"instantstart/deployment", "qwen"}, {"pod-template-hash", hash}}},
        {"annotations", {{"deployment.kubernetes.io/revision", hash}}},
        {"ownerReferences", json::array{json::object{{"uid", metadata["uid"]}}}}}}};
  std::erase_if(objects, [&](const auto& one) {
    return one.first.starts_with(k_pods) && !one.first.contains("-" + hash + "-");
  });
  const auto wanted = kube::integer_at(deployment, {"spec", "replicas"}).value_or(0);
  const auto there = std::ranges::count_if(
      objects, [&](const auto& one) { return one.first.starts_with(std::string(k_pods) + "/qwen-" + hash); });
  for (std::int64_t i = there; i < wanted; ++i) add_pod(deployment, hash);
  count(deployment, hash);
}

net::ClientResponse MadeUpCluster::apply(const net::ClientRequest& request, const std::string& path) {
  auto object = parse_json(request.body)->as_object();
  auto& metadata = object["metadata"].as_object();
  metadata["uid"] = "uid-" + path;
  metadata["generation"] = 1;
  const bool made = !objects.contains(path);
  if (path.starts_with(k_deployments)) roll_out(object);
  objects[path] = object;
  return ok(object, made ? 201 : 200);
}

net::ClientResponse MadeUpCluster::remove(const std::string& path) {
  if (objects.erase(path) == 0) return refusal(404, "NotFound", "none");
  if (path.starts_with(k_deployments)) {
    std::erase_if(objects, [](const auto& one) {
      return one.first.starts_with(k_pods) || one.first.starts_with(k_sets);
    });
  }
  const std::string deployment = std::string(k_deployments) + "/qwen";
  if (path.starts_with(k_pods) && objects.contains(deployment)) roll_out(objects.at(deployment));
  return ok(json::object{{"kind", "Status"}, {"status", "Success"}});
}

net::ClientResponse MadeUpCluster::chat(const net::ClientRequest& request) {
  const bool answers = std::ranges::any_of(objects, [](const auto& one) {
    return one.first.starts_with(k_pods) && kube::text_at(one.second, {"status", "phase"}) == "Running";
  });
  if (!answers) return refusal(503, "ServiceUnavailable", "no endpoints available for service \"qwen\"");
  chats.push_back(request.body);
  return {.status = chat_status, .headers = {{"content-type", "application/json"}}, .body = chat_body};
}

}  // namespace instantstart::capabilities::testing
