#include <utility>

#include "aws/account.h"
#include "aws/shapes/sts.h"
#include "base/error_codes.h"
#include "base/text.h"
#include "capabilities/dependencies/cluster_target.h"
#include "capabilities/inference/deployment_objects.h"
#include "capabilities/overview/cluster_look.h"
#include "capabilities/overview/overview.h"

namespace instantstart::capabilities {
namespace {

using contract::Caller;

constexpr std::size_t k_problem_bytes = 200;

const kube::ResourceType k_nodes{.gvk = {"", "v1", "Node"}, .plural = "nodes", .namespaced = false};
const kube::ResourceType k_pods{.gvk = {"", "v1", "Pod"}, .plural = "pods"};
const kube::ResourceType k_deployments{.gvk = {"apps", "v1", "Deployment"}, .plural = "deployments"};
const kube::ResourceType k_jobs{.gvk = {"sagemaker.amazonaws.com", "v1", "HyperPodPyTorchJob"},
                                .plural = "hyperpodpytorchjobs"};

/// Counts a list as it streams; a list that begins again counts again from the state before it.
class Counting final : public kube::ListVisitor {
 public:
  Counting(ClusterCounter& counter, void (ClusterCounter::*take)(const json::object&))
      : counter_(counter), before_(counter), take_(take) {}
  void begin() override { counter_ = before_; }
  void item(json::object object) override { (counter_.*take_)(object); }

 private:
  ClusterCounter& counter_;
  ClusterCounter before_;
  void (ClusterCounter::*take_)(const json::object&);
};

std::string in_few_words(const Error& error) {
  return shortened(without_controls(error.message), k_problem_bytes);
}

Task<IdentityView> identity(aws::Accounts& accounts, OverviewGet request, net::Deadline deadline) {
  std::optional<std::string> profile;
  std::optional<std::string> region;
  if (request.profile) profile = request.profile->value;
  if (request.region) region = request.region->value;
  IdentityView view;
  auto account = accounts.get(profile, region);
  if (!account) {
    view.problem = in_few_words(account.error());
    co_return view;
  }
  auto who = co_await (*account)->client().call<aws::sts::GetCallerIdentity>({}, {.deadline = deadline});
  if (!who) {
    view.problem = in_few_words(who.error());
    co_return view;
  }
  view.account = who->account;
  view.arn = who->arn;
  auto credentials = co_await (*account)->credentials().get(deadline);
  if (credentials && credentials->expiry) view.expires_at = to_rfc3339(*credentials->expiry);
  co_return view;
}

struct Lists {
  kube::ResourceType type;
  std::string labels;
  kube::FieldSelection keep;
  void (ClusterCounter::*take)(const json::object&);
};

/// What there is of a kind that the cluster doesn't serve: nothing.
bool is_not_served(const Error& error) { return error.code == codes::not_found; }

Task<ClusterLook> look_at(kube::EksClusters& clusters, fleet::ClusterRecord record, net::Deadline deadline) {
  auto cluster = co_await clusters.open(eks_id_of(target_of(record)), deadline);
  if (!cluster) co_return ClusterLook{.cluster = record.tag, .problem = in_few_words(cluster.error())};
  ClusterCounter counter;
  const std::vector<Lists> lists{
      {k_nodes,
       "",
       {"/status/allocatable", "/status/conditions", "/spec/unschedulable"},
       &ClusterCounter::node},
      {k_pods, "", {"/status/phase", "/spec/nodeName", "/spec/containers"}, &ClusterCounter::pod},
      {k_jobs,
       "",
       {"/status/conditions", "/spec/runPolicy/suspend", "/metadata/deletionTimestamp"},
       &ClusterCounter::job},
      {k_deployments,
       std::string(k_deployment_label),
       {"/spec/replicas", "/status/readyReplicas"},
       &ClusterCounter::deployment}};
  for (const auto& each : lists) {
    Counting visitor(counter, each.take);
    auto listed = co_await (*cluster)->client().list(
        each.type, {.label_selector = each.labels, .keep = each.keep}, visitor, deadline);
    if (!listed && !is_not_served(listed.error()))
      co_return ClusterLook{.cluster = record.tag, .problem = in_few_words(listed.error())};
  }
  co_return counter.look(record.tag);
}

Task<std::vector<RunningOperation>> running(operations::Engine& engine) {
  using operations::OperationState;
  std::vector<RunningOperation> found;
  for (const auto state : {OperationState::needs_input, OperationState::running, OperationState::waiting,
                           OperationState::pending, OperationState::cancelling}) {
    auto page = co_await engine.list({.state = state, .limit = k_most_operations_shown});
    if (!page) co_return std::unexpected(page.error());
    for (auto& each : page->operations) {
      if (found.size() == k_most_operations_shown) co_return found;
      found.push_back({std::move(each.id), std::move(each.kind), std::move(each.subject), each.state});
    }
  }
  co_return found;
}

Task<OverviewAnswer> overview(OverviewParts parts, Caller caller, OverviewGet request) {
  OverviewAnswer answer;
  auto selected = co_await parts.selections->get(caller.principal);
  if (!selected) co_return std::unexpected(selected.error());
  answer.selected = std::move(*selected);
  auto known = co_await parts.fleet->list(1000, std::nullopt);
  if (!known) co_return std::unexpected(known.error());
  for (auto& record : known->clusters) {
    if (answer.clusters.size() == k_most_looked_at) {
      ++answer.more_clusters;
      continue;
    }
    auto look = co_await look_at(*parts.clusters, std::move(record), caller.deadline);
    if (!look) co_return std::unexpected(look.error());
    answer.clusters.push_back(std::move(*look));
  }
  auto who = co_await identity(*parts.accounts, std::move(request), caller.deadline);
  if (!who) co_return std::unexpected(who.error());
  answer.identity = std::move(*who);
  auto busy = co_await running(*parts.engine);
  if (!busy) co_return std::unexpected(busy.error());
  answer.operations = std::move(*busy);
  answer.alarms = alarms_of(answer);
  answer.next = next_of(answer);
  co_return answer;
}

}  // namespace

std::vector<contract::Action> overview_actions(OverviewParts parts) {
  std::vector<contract::Action> actions;
  actions.push_back(contract::read_action<OverviewGet, OverviewAnswer>(
      {.name = "overview_get",
       .path = "/overview",
       .summary = "Clusters, GPUs by state, jobs, deployments, operations and alarms in one look.",
       .doc =
           "Look here first, and again after a pause: it says who AWS takes you for, what runs, what needs "
           "somebody, and what to do next. It changes nothing.",
       .example = {}},
      [parts](Caller caller, OverviewGet request) {
        return overview(parts, std::move(caller), std::move(request));
      }));
  return actions;
}

}  // namespace instantstart::capabilities
