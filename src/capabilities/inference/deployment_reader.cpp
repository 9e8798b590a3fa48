#include "capabilities/inference/deployment_reader.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include <fmt/core.h>

#include "base/error_codes.h"
#include "base/text.h"
#include "kube/json_access.h"
#include "kube/logs.h"
#include "kube/streams.h"

namespace instantstart::capabilities {
namespace {

constexpr std::size_t k_most_deployments = 5'000;
constexpr std::size_t k_most_pods = 1'000;
constexpr std::size_t k_most_sets = 1'000;
constexpr std::size_t k_most_nodes = 20'000;
constexpr std::size_t k_most_differences = 20;
constexpr std::size_t k_most_events = 1'000;
constexpr std::size_t k_longest_failure = 600;
constexpr std::int64_t k_log_lines = 60;
constexpr std::int64_t k_log_bytes = 16'000;

const kube::ResourceType k_deployments{.gvk = {"apps", "v1", "Deployment"}, .plural = "deployments"};
const kube::ResourceType k_replica_sets{.gvk = {"apps", "v1", "ReplicaSet"}, .plural = "replicasets"};
const kube::ResourceType k_pods{.gvk = {"", "v1", "Pod"}, .plural = "pods"};
const kube::ResourceType k_events{.gvk = {"", "v1", "Event"}, .plural = "events"};
const kube::ResourceType k_nodes{.gvk = {"", "v1", "Node"}, .plural = "nodes", .namespaced = false};
constexpr std::string_view k_revision = "deployment.kubernetes.io/revision";

std::string selector_of(const ServedModel& model) {
  return fmt::format("{}={}", k_deployment_label, model.name);
}

ObjectSeen seen_of(const json::object& wanted, const json::object& live) {
  ObjectSeen seen{.ref = to_text(ref_of(wanted)), .exists = true};
  seen.going = !kube::text_at(live, {"metadata", "deletionTimestamp"}).empty();
  seen.maker = maker_of(live);
  seen.differences = differences(wanted, live);
  if (seen.differences.size() > k_most_differences) seen.differences.resize(k_most_differences);
  return seen;
}

/// Of the ReplicaSet that has the Deployment's own revision.
std::string newest_hash(const json::object& deployment, const std::vector<json::object>& sets) {
  const auto revision = kube::text_at(deployment, {"metadata", "annotations", k_revision});
  const auto uid = kube::text_at(deployment, {"metadata", "uid"});
  if (revision.empty()) return {};
  for (const auto& set : sets) {
    const auto& owners = kube::array_at(set, {"metadata", "ownerReferences"});
    const bool is_its = std::ranges::any_of(owners, [&](const json::value& owner) {
      return kube::text_at(kube::as_object(owner), {"uid"}) == uid;
    });
    if (!is_its || kube::text_at(set, {"metadata", "annotations", k_revision}) != revision) continue;
    return shortened(without_controls(kube::text_at(set, {"metadata", "labels", "pod-template-hash"})), 63);
  }
  return {};
}

/// The end of the last run that ended; empty where the node has it no more.
Task<std::string> last_log(std::shared_ptr<kube::EksCluster> api, std::string space, PodSeen pod,
                           net::Deadline deadline) {
  kube::LogOptions options{.container = std::string(k_model_container),
                           .previous = !pod.ended,
                           .tail_lines = k_log_lines,
                           .limit_bytes = k_log_bytes};
  kube::ObjectName id{std::move(space), pod.name};
  auto opened = co_await kube::open_logs(api->connection(), std::move(id), std::move(options), deadline);
  if (!opened) {
    const auto& code = opened.error().code;
    const bool is_gone =
        code == codes::not_found || code == codes::invalid_request || code == codes::unavailable;
    if (is_gone) co_return std::string();
    co_return fail(within("Read the log of " + pod.name, opened.error()));
  }
  auto text = co_await kube::read_body(api->connection().time(), std::move(*opened),
                                       static_cast<std::size_t>(k_log_bytes), deadline);
  if (!text) co_return fail(within("Read the log of " + pod.name, text.error()));
  co_return without_controls(*text);
}

/// Between two tries older kubelets say only that they wait; why the last one failed is in the pod's events.
/// Empty where there are none any more.
Task<std::string> pull_failure(std::shared_ptr<kube::EksCluster> api, std::string space, std::string pod_uid,
                               net::Deadline deadline) {
  constexpr std::string_view k_failed = "Failed to pull image";
  kube::ListOptions options{.space = std::move(space),
                            .field_selector = fmt::format("involvedObject.uid={},reason=Failed", pod_uid),
                            .keep = {"/message", "/lastTimestamp"}};
  auto listed = co_await api->client().list_all(k_events, std::move(options), k_most_events, deadline);
  if (!listed) co_return fail(within("List the events of a pod", listed.error()));
  std::string_view at;
  std::string words;
  for (const auto& event : listed->items) {
    const auto message = kube::text_at(event, {"message"});
    const auto time = kube::text_at(event, {"lastTimestamp"});
    if (!message.starts_with(k_failed) || (!words.empty() && time < at)) continue;
    at = time;
    words = shortened(without_controls(message), k_longest_failure);
  }
  co_return words;
}

/// Of the first pod that has them: replicas of one template fail alike.
Task<> add_reasons(std::shared_ptr<kube::EksCluster> api, std::string space, std::vector<PodSeen>& pods,
                   net::Deadline deadline) {
  const auto crashed = std::ranges::find_if(pods, [](const PodSeen& pod) {
    return pod.exit_code && !pod.ready && !pod.going && pod.last_words.empty();
  });
  if (crashed != pods.end()) {
    auto log = co_await last_log(api, space, *crashed, deadline);
    if (!log) co_return fail(log.error());
    crashed->last_words = std::move(*log);
  }
  const auto waiting = std::ranges::find_if(pods, [](const PodSeen& pod) {
    return !pod.going && pod.waiting_reason == "ImagePullBackOff" &&
           !pod.waiting_message.contains("ErrImagePull");
  });
  if (waiting == pods.end()) co_return Result<>{};
  auto failure = co_await pull_failure(api, space, waiting->uid, deadline);
  if (!failure) co_return fail(failure.error());
  if (!failure->empty()) waiting->waiting_message = std::move(*failure);
  co_return Result<>{};
}

std::int64_t gpus_in(const json::object& amounts) {
  const auto text = kube::text_at(amounts, {k_gpu_resource});
  std::int64_t gpus = 0;
  std::from_chars(text.data(), text.data() + text.size(), gpus);
  return gpus;
}

/// GPUs that pods of others have, by node.
class GpuCounter final : public kube::ListVisitor {
 public:
  explicit GpuCounter(const ServedModel& model) : space_(model.space), name_(model.name) {}

  void begin() override { used.clear(); }
  void item(json::object pod) override {
    const auto phase = kube::text_at(pod, {"status", "phase"});
    const auto node = kube::text_at(pod, {"spec", "nodeName"});
    if (node.empty() || phase == "Succeeded" || phase == "Failed") return;
    const bool own = kube::text_at(pod, {"metadata", "namespace"}) == space_ &&
                     kube::text_at(pod, {"metadata", "labels", k_deployment_label}) == name_;
    if (own) return;
    std::int64_t gpus = 0;
    for (const auto& container : kube::array_at(pod, {"spec", "containers"})) {
      gpus += gpus_in(kube::object_at(kube::as_object(container), {"resources", "requests"}));
    }
    if (gpus > 0) used[std::string(node)] += gpus;
  }

  std::map<std::string, std::int64_t> used;

 private:
  std::string space_;
  std::string name_;
};

GpuNodeSeen node_of(const json::object& node) {
  const kube::ObjectView view(node);
  const auto ready = view.condition("Ready");
  return {.name = std::string(view.name()),
          .type = shortened(without_controls(view.label(k_instance_type_label).value_or("")), 63),
          .gpus = gpus_in(kube::object_at(node, {"status", "allocatable"})),
          .schedulable = ready && ready->is_true() && !kube::flag_at(node, {"spec", "unschedulable"})};
}

}  // namespace

Task<DeploymentSeen> DeploymentReader::look(ServedModel model, net::Deadline deadline) const {
  auto opened = co_await components_.kubernetes(model.cluster, deadline);
  if (!opened) co_return fail(opened.error());
  const auto api = std::move(*opened);
  DeploymentSeen seen;
  json::object deployment;
  for (const auto& wanted : deployment_objects(model, {})) {
    const ObjectRef ref = ref_of(wanted);
    auto live = co_await api->client().get(type_of_object(ref), {.space = ref.namespace_, .name = ref.name},
                                           deadline);
    if (!live && live.error().code == codes::not_found) {
      seen.objects.push_back({.ref = to_text(ref)});
      continue;
    }
    if (!live) co_return fail(within("Look at " + to_text(ref), live.error()));
    seen.objects.push_back(seen_of(wanted, *live));
    if (ref.kind == "Deployment") deployment = std::move(*live);
  }
  if (!deployment.empty()) {
    seen.rollout = rollout_seen_of(deployment);
    kube::ListOptions sets{.space = model.space, .label_selector = selector_of(model), .keep = {"/metadata"}};
    auto listed = co_await api->client().list_all(k_replica_sets, std::move(sets), k_most_sets, deadline);
    if (!listed) co_return fail(within("List the ReplicaSets of " + model.name, listed.error()));
    seen.rollout.newest_hash = newest_hash(deployment, listed->items);
  }
  kube::ListOptions pods{.space = model.space,
                         .label_selector = selector_of(model),
                         .keep = {"/metadata", "/spec/nodeName", "/status"}};
  auto listed = co_await api->client().list_all(k_pods, std::move(pods), k_most_pods, deadline);
  if (!listed) co_return fail(within("List the pods of " + model.name, listed.error()));
  for (const auto& pod : listed->items) seen.rollout.pods.push_back(pod_seen_of(pod));
  std::ranges::sort(seen.rollout.pods, {}, &PodSeen::name);
  auto added = co_await add_reasons(api, model.space, seen.rollout.pods, deadline);
  if (!added) co_return fail(added.error());
  co_return seen;
}

Task<std::vector<DeploymentView>> DeploymentReader::list(ClusterTarget cluster, std::string space,
                                                         net::Deadline deadline) const {
  auto opened = co_await components_.kubernetes(std::move(cluster), deadline);
  if (!opened) co_return fail(opened.error());
  const auto api = std::move(*opened);
  kube::ListOptions options{.space = std::move(space),
                            .label_selector = fmt::format("{}={}", k_component_label, k_inference_component),
                            .keep = {"/metadata", "/spec", "/status"}};
  auto listed =
      co_await api->client().list_all(k_deployments, std::move(options), k_most_deployments, deadline);
  if (!listed) co_return fail(within("List the deployments", listed.error()));
  std::vector<DeploymentView> views;
  for (const auto& deployment : listed->items) {
    if (auto view = view_of(deployment)) views.push_back(std::move(*view));
  }
  std::ranges::sort(views, {}, [](const DeploymentView& view) { return std::tie(view.space, view.name); });
  co_return views;
}

Task<std::vector<GpuNodeSeen>> DeploymentReader::nodes(ServedModel model, net::Deadline deadline) const {
  auto opened = co_await components_.kubernetes(model.cluster, deadline);
  if (!opened) co_return fail(opened.error());
  const auto api = std::move(*opened);
  kube::ListOptions options{
      .keep = {"/metadata/labels", "/spec/unschedulable", "/status/allocatable", "/status/conditions"}};
  auto listed = co_await api->client().list_all(k_nodes, std::move(options), k_most_nodes, deadline);
  if (!listed) co_return fail(within("List the nodes", listed.error()));
  std::vector<GpuNodeSeen> nodes;
  for (const auto& object : listed->items) {
    auto node = node_of(object);
    if (node.gpus > 0 || node.type == model.instance_type) nodes.push_back(std::move(node));
  }
  if (nodes.empty()) co_return nodes;
  GpuCounter counter(model);
  kube::ListOptions pods{.keep = {"/metadata/labels", "/metadata/namespace", "/spec/nodeName",
                                  "/spec/containers/resources/requests", "/status/phase"}};
  auto counted = co_await api->client().list(k_pods, std::move(pods), counter, deadline);
  if (!counted) co_return fail(within("List the pods", counted.error()));
  for (auto& node : nodes) node.used = counter.used[node.name];
  co_return nodes;
}

}  // namespace instantstart::capabilities
