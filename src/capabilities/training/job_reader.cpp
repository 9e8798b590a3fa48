#include "capabilities/training/job_reader.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "aws/pagination.h"
#include "aws/shapes/ec2.h"
#include "base/error_codes.h"
#include "base/json.h"
#include "base/text.h"
#include "capabilities/clusters/cluster_reader.h"
#include "capabilities/dependencies/owned_object.h"
#include "capabilities/training/job_state.h"
#include "capabilities/training/resource_amount.h"
#include "kube/discovery.h"
#include "kube/json_access.h"

namespace instantstart::capabilities {
namespace {

namespace ec2 = aws::ec2;

constexpr std::size_t k_most_jobs = 5'000;
constexpr std::size_t k_most_events = 1'000;
constexpr std::size_t k_most_nodes = 20'000;
constexpr std::size_t k_most_differences = 20;

const kube::ResourceType k_pods{.gvk = {"", "v1", "Pod"}, .plural = "pods"};
const kube::ResourceType k_events{.gvk = {"", "v1", "Event"}, .plural = "events"};
const kube::ResourceType k_nodes{.gvk = {"", "v1", "Node"}, .plural = "nodes", .namespaced = false};

/// Of a namespace's pods, however many, those of one job.
class PodFilter final : public kube::ListVisitor {
 public:
  explicit PodFilter(json::object job) : job_(std::move(job)) {}
  void begin() override { pods.clear(); }
  void item(json::object pod) override {
    if (pods.size() < k_most_pods_shown && is_pod_of(pod, job_)) pods.push_back(std::move(pod));
  }
  std::vector<json::object> pods;

 private:
  json::object job_;
};

/// GPUs that pods which have not ended take, by node.
class GpuCounter final : public kube::ListVisitor {
 public:
  void begin() override { by_node.clear(); }
  void item(json::object pod) override {
    const auto phase = kube::text_at(pod, {"status", "phase"});
    const auto node = kube::text_at(pod, {"spec", "nodeName"});
    if (node.empty() || phase == "Succeeded" || phase == "Failed") return;
    for (const auto& container : kube::array_at(pod, {"spec", "containers"})) {
      const auto& limits = kube::object_at(kube::as_object(container), {"resources", "limits"});
      const auto* gpus = kube::value_at(limits, {k_gpu_resource});
      if (!gpus) continue;
      const double count = gpus->is_int64() ? static_cast<double>(gpus->get_int64())
                                            : parse_amount(kube::as_text(*gpus)).value_or(0);
      by_node[std::string(node)] += static_cast<std::int64_t>(count);
    }
  }
  std::map<std::string, std::int64_t, std::less<>> by_node;
};

double amount_at(const json::object& node, std::string_view name) {
  const auto* value = kube::value_at(node, {"status", "allocatable", name});
  if (!value) return 0;
  if (value->is_int64()) return static_cast<double>(value->get_int64());
  return parse_amount(kube::as_text(*value)).value_or(0);
}

bool is_usable(const json::object& node) {
  if (kube::flag_at(node, {"spec", "unschedulable"})) return false;
  for (const auto& taint : kube::array_at(node, {"spec", "taints"})) {
    const auto effect = kube::text_at(kube::as_object(taint), {"effect"});
    if (effect == "NoSchedule" || effect == "NoExecute") return false;
  }
  return std::ranges::any_of(kube::array_at(node, {"status", "conditions"}),
                             [](const json::value& condition) {
                               return kube::text_at(kube::as_object(condition), {"type"}) == "Ready" &&
                                      kube::text_at(kube::as_object(condition), {"status"}) == "True";
                             });
}

Task<std::vector<json::object>> pods_of(std::shared_ptr<kube::EksCluster> api, json::object job,
                                        net::Deadline deadline) {
  const std::string space(kube::text_at(job, {"metadata", "namespace"}));
  const auto label = kube::text_at(job, {"metadata", "labels", k_job_label});
  kube::ListOptions options{
      .space = space,
      .keep = {"/metadata/name", "/metadata/namespace", "/metadata/labels", "/metadata/ownerReferences",
               "/spec/nodeName", "/status/phase", "/status/message", "/status/conditions",
               "/status/containerStatuses", "/status/initContainerStatuses"}};
  if (!label.empty()) options.label_selector = fmt::format("{}={}", k_job_label, label);
  PodFilter filter(std::move(job));
  auto listed = co_await api->client().list(k_pods, std::move(options), filter, deadline);
  if (!listed) co_return fail(within("List the pods of " + space, listed.error()));
  co_return std::move(filter.pods);
}

/// What is left of a job that is gone: enough to find the pods that are still ending.
json::object remains_of(const std::string& space, const std::string& name) {
  return {{"metadata", {{"name", name}, {"namespace", space}, {"labels", {{k_job_label, name}}}}}};
}

}  // namespace

Task<std::optional<kube::ResourceType>> JobReader::type(std::shared_ptr<kube::EksCluster> api,
                                                        net::Deadline deadline) {
  kube::ApiRequest request{.path = fmt::format("/apis/{}/{}", k_job_group, k_job_version)};
  auto answer = co_await api->connection().send(std::move(request), deadline);
  if (!answer && answer.error().code == codes::not_found) co_return std::nullopt;
  if (!answer) co_return fail(within("Look for the training operator", answer.error()));
  auto body = parse_json(answer->body);
  if (!body) co_return fail(within("Look for the training operator", body.error()));
  if (!body->is_object()) co_return std::nullopt;
  for (auto& type : kube::parse_resource_list(body->get_object())) {
    if (type.plural == k_job_plural) co_return std::move(type);
  }
  co_return std::nullopt;
}

Task<JobSeen> JobReader::seen(JobSpec wanted, net::Deadline deadline) const {
  const ClusterTarget cluster = wanted.cluster;
  const std::string space = wanted.space;
  const std::string name = wanted.name;
  co_return co_await look(cluster, space, name, std::move(wanted), deadline);
}

Task<JobSeen> JobReader::seen(ClusterTarget cluster, std::string space, std::string name,
                              net::Deadline deadline) const {
  co_return co_await look(std::move(cluster), std::move(space), std::move(name), std::nullopt, deadline);
}

Task<JobSeen> JobReader::look(ClusterTarget cluster, std::string space, std::string name,
                              std::optional<JobSpec> wanted, net::Deadline deadline) const {
  auto opened = co_await components_.kubernetes(cluster, deadline);
  if (!opened) co_return fail(opened.error());
  const auto api = std::move(*opened);
  auto type = co_await JobReader::type(api, deadline);
  if (!type) co_return fail(type.error());
  if (!*type) co_return JobSeen{};
  JobSeen seen{.served = true};
  auto live = co_await api->client().get(**type, {.space = space, .name = name}, deadline);
  if (!live && live.error().code != codes::not_found)
    co_return fail(within("Look at the job " + name, live.error()));
  auto pods = co_await pods_of(api, live ? *live : remains_of(space, name), deadline);
  if (!pods) co_return fail(pods.error());
  seen.pods = std::ssize(*pods);
  if (!live) co_return seen;
  seen.exists = true;
  seen.going = !kube::text_at(*live, {"metadata", "deletionTimestamp"}).empty();
  seen.uid = std::string(kube::text_at(*live, {"metadata", "uid"}));
  seen.maker = maker_of(*live);
  if (wanted) seen.differences = differences(job_object(*wanted, (*type)->gvk, {}), *live);
  if (seen.differences.size() > k_most_differences) seen.differences.resize(k_most_differences);
  auto view = job_view(*live, *pods);
  seen.state = view.state;
  seen.has_run = has_run(*live, *pods);
  seen.reasons = std::move(view.reasons);
  co_return seen;
}

Task<JobObjects> JobReader::job(ClusterTarget cluster, std::string space, std::string name,
                                net::Deadline deadline) const {
  auto opened = co_await components_.kubernetes(std::move(cluster), deadline);
  if (!opened) co_return fail(opened.error());
  const auto api = std::move(*opened);
  auto type = co_await JobReader::type(api, deadline);
  if (!type) co_return fail(type.error());
  if (!*type) {
    co_return fail(
        codes::not_found,
        fmt::format("There is no job {}/{}: the training operator is not installed.", space, name));
  }
  auto live = co_await api->client().get(**type, {.space = space, .name = name}, deadline);
  if (!live && live.error().code != codes::not_found)
    co_return fail(within("Look at the job " + name, live.error()));
  if (live) {
    auto pods = co_await pods_of(api, *live, deadline);
    if (!pods) co_return fail(pods.error());
    kube::ListOptions about{
        .space = space,
        .field_selector = fmt::format("involvedObject.uid={}", kube::text_at(*live, {"metadata", "uid"})),
        .keep = {"/message", "/lastTimestamp"}};
    auto events = co_await api->client().list_all(k_events, std::move(about), k_most_events, deadline);
    if (!events) co_return fail(within("List the events of the job " + name, events.error()));
    co_return JobObjects{std::move(*live), std::move(*pods), std::move(events->items)};
  }
  kube::ListOptions options{.space = space, .keep = {"/metadata/name"}};
  auto list = co_await api->client().list_all(**type, std::move(options), k_most_jobs, deadline);
  if (!list) co_return fail(within("List the jobs of " + space, list.error()));
  std::vector<std::string_view> names;
  for (const auto& other : list->items) names.push_back(kube::text_at(other, {"metadata", "name"}));
  std::string message = fmt::format("There is no job {}/{}.", space, name);
  if (const auto near = nearest(name, names)) message += fmt::format(" Did you mean {}?", *near);
  co_return fail(codes::not_found, std::move(message));
}

Task<std::vector<JobSummary>> JobReader::jobs(ClusterTarget cluster, std::string space,
                                              net::Deadline deadline) const {
  auto opened = co_await components_.kubernetes(std::move(cluster), deadline);
  if (!opened) co_return fail(opened.error());
  const auto api = std::move(*opened);
  auto type = co_await JobReader::type(api, deadline);
  if (!type) co_return fail(type.error());
  std::vector<JobSummary> found;
  if (!*type) co_return found;
  kube::ListOptions options{.space = std::move(space), .keep = {"/metadata", "/spec", "/status"}};
  auto list = co_await api->client().list_all(**type, std::move(options), k_most_jobs, deadline);
  if (!list) co_return fail(within("List the jobs", list.error()));
  for (const auto& job : list->items) found.push_back(job_summary(job));
  std::ranges::sort(found, {}, [](const JobSummary& job) { return std::tie(job.space, job.name); });
  co_return found;
}

Task<std::vector<TrainingNode>> JobReader::nodes(ClusterTarget cluster, net::Deadline deadline) const {
  auto opened = co_await components_.kubernetes(std::move(cluster), deadline);
  if (!opened) co_return fail(opened.error());
  const auto api = std::move(*opened);
  kube::ListOptions options{.keep = {"/metadata/name", "/metadata/labels", "/spec/unschedulable",
                                     "/spec/taints", "/status/allocatable", "/status/conditions"}};
  auto list = co_await api->client().list_all(k_nodes, std::move(options), k_most_nodes, deadline);
  if (!list) co_return fail(within("List the nodes", list.error()));
  std::vector<TrainingNode> found;
  for (const auto& node : list->items) {
    const auto type = kube::text_at(node, {"metadata", "labels", k_instance_type_label});
    if (!type.starts_with("ml.")) continue;
    found.push_back({.name = std::string(kube::text_at(node, {"metadata", "name"})),
                     .instance_type = std::string(type),
                     .gpus = static_cast<std::int64_t>(amount_at(node, k_gpu_resource)),
                     .efa = static_cast<std::int64_t>(amount_at(node, k_efa_resource)),
                     .cpu = amount_at(node, "cpu"),
                     .memory = amount_at(node, "memory"),
                     .usable = is_usable(node)});
  }
  if (found.empty()) co_return found;
  GpuCounter counter;
  kube::ListOptions pods{.keep = {"/spec/nodeName", "/spec/containers/resources/limits", "/status/phase"}};
  auto counted = co_await api->client().list(k_pods, std::move(pods), counter, deadline);
  if (!counted) co_return fail(within("List the pods", counted.error()));
  for (auto& node : found) {
    const auto busy = counter.by_node.find(node.name);
    if (busy != counter.by_node.end()) node.busy = busy->second;
  }
  co_return found;
}

Task<std::vector<TrainingGroup>> JobReader::groups(ClusterTarget cluster, net::Deadline deadline) const {
  auto client = components_.aws_client(cluster);
  if (!client) co_return fail(client.error());
  auto clusters = co_await hyperpod_of(**client, cluster_arn_of(cluster), deadline);
  if (!clusters) co_return fail(clusters.error());
  std::vector<TrainingGroup> found;
  for (const auto& hyperpod : *clusters) {
    for (const auto& group : aws::items(hyperpod.instance_groups)) {
      found.push_back({.name = group.instance_group_name.value_or(""),
                       .instance_type = group.instance_type.value_or(""),
                       .target = group.target_count.value_or(group.current_count.value_or(0))});
    }
  }
  co_return found;
}

Task<std::optional<TypeFacts>> JobReader::type_facts(ClusterTarget cluster, std::string type,
                                                     net::Deadline deadline) const {
  auto client = components_.aws_client(cluster);
  if (!client) co_return fail(client.error());
  auto described = co_await (*client)->call<ec2::DescribeInstanceTypes>(
      {.instance_types = std::vector<std::string>{type}}, {.deadline = deadline});
  if (!described && described.error().code == codes::invalid_request) co_return std::nullopt;
  if (!described && described.error().code == codes::not_found) co_return std::nullopt;
  if (!described) co_return fail(within("Look at the instance type " + type, described.error()));
  const auto& types = aws::items(described->instance_types);
  if (types.empty()) co_return std::nullopt;
  TypeFacts facts;
  const auto& info = types.front();
  if (info.gpu_info) {
    for (const auto& gpu : aws::items(info.gpu_info->gpus)) facts.gpus += gpu.count.value_or(0);
  }
  if (info.network_info && info.network_info->efa_supported.value_or(false)) {
    const auto& efa = info.network_info->efa_info;
    facts.efa = efa ? efa->maximum_efa_interfaces.value_or(1) : 1;
  }
  co_return facts;
}

}  // namespace instantstart::capabilities
