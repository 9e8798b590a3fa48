#include "capabilities/clusters/cluster_queries.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "aws/pagination.h"
#include "aws/shapes/eks.h"
#include "base/error_codes.h"
#include "base/time.h"
#include "capabilities/clusters/cluster_place.h"
#include "capabilities/clusters/hyperpod_request.h"
#include "capabilities/dependencies/dependencies.h"
#include "capabilities/network/stack_calls.h"

namespace instantstart::capabilities {
namespace {

namespace eks = aws::eks;
using contract::Caller;

ClusterSummary to_summary(const fleet::ClusterRecord& record) {
  return {.cluster = domain::to_text(record.key),
          .tag = record.tag,
          .name = record.key.name,
          .region = record.key.region,
          .account = record.key.account,
          .profile = record.profile,
          .managed_since = to_rfc3339(record.created_at)};
}

StageState state_of_stack(std::string_view status) {
  if (status.ends_with("_IN_PROGRESS")) return StageState::progressing;
  if (status == "CREATE_COMPLETE" || status == "UPDATE_COMPLETE" || status == "UPDATE_ROLLBACK_COMPLETE") {
    return StageState::ready;
  }
  return StageState::failed;
}

StageState state_of_status(std::string_view status, bool ours) {
  if (status == "FAILED" || status == "Failed") return StageState::failed;
  if (status != "ACTIVE" && status != "InService") return StageState::progressing;
  return ours ? StageState::ready : StageState::foreign;
}

/// The stack of the network and the control plane, where it is ours.
Task<StageView> network_stage(ClusterPlace place, net::Deadline deadline) {
  StageView stage{.name = "network"};
  auto name = domain::stack_name(domain::ClusterName{place.target.name});
  if (!name) co_return fail(name.error());
  auto stack = co_await look_at_stack(*place.client, *name, deadline);
  if (!stack) {
    stage.state = StageState::unknown;
    stage.message = stack.error().message;
    co_return stage;
  }
  if (!stack->exists || !is_ours(*stack, domain::to_text(place.record.key))) {
    stage.state = StageState::foreign;
    stage.message = "No stack of ours made it.";
    co_return stage;
  }
  stage.status = stack->status;
  stage.state = state_of_stack(stack->status);
  if (stage.state == StageState::failed) stage.message = explained(*stack, "The stack").message;
  co_return stage;
}

Task<StageView> dependency_stage(aws::Accounts& accounts, fleet::Fleet& fleet, kube::EksClusters& clusters,
                                 Caller caller, std::string cluster) {
  StageView stage{.name = "dependencies"};
  auto plan = co_await plan_dependency_reconcile(accounts, fleet, clusters, std::move(caller),
                                                 {.cluster = {{std::move(cluster)}}});
  if (!plan) {
    stage.state = StageState::unknown;
    stage.message = plan.error().message;
  } else if (plan->steps.empty()) {
    stage.state = StageState::ready;
  } else {
    stage.state = StageState::absent;
    stage.message = fmt::format("dependency_reconcile would make {} steps.", plan->steps.size());
  }
  co_return stage;
}

void add_hyperpod(HyperpodGetAnswer found, ClusterGetAnswer& answer) {
  StageView stage{.name = "hyperpod"};
  for (auto& view : found.hyperpod) {
    stage.status = view.status;
    stage.state = state_of_status(view.status, view.ours);
    if (view.failure) stage.message = view.failure->message;
    if (view.ours && view.node_recovery != "Automatic") {
      answer.drift.push_back(view.name + ": node recovery is not Automatic");
    }
    for (const auto& group : view.groups) {
      for (const auto& what : group.drift) answer.drift.push_back(fmt::format("{}: {}", group.name, what));
    }
    answer.hyperpod.push_back(std::move(view));
  }
  answer.stages.push_back(std::move(stage));
}

FoundHyperpod to_found(const HyperpodDescription& cluster) {
  FoundHyperpod found{.name = cluster.cluster_name.value_or(""),
                      .arn = cluster.cluster_arn.value_or(""),
                      .status = cluster.cluster_status.value_or(""),
                      .orchestrator = "unknown"};
  if (!eks_arn_of(cluster).empty()) {
    found.orchestrator = "eks";
  } else if (!cluster.orchestrator || cluster.orchestrator->slurm) {
    // SageMaker names no orchestrator for clusters that were made before it knew others than Slurm.
    found.orchestrator = "slurm";
    found.note = "It runs Slurm, which is not managed here.";
  }
  return found;
}

Task<FoundCluster> look_at_one(aws::Client& client, fleet::Fleet& fleet, domain::ClusterKey key,
                               net::Deadline deadline) {
  FoundCluster found{.name = key.name};
  auto facts = co_await look_at_eks(client, key.name, deadline);
  if (facts && *facts) {
    found.arn = (*facts)->arn;
    found.status = (*facts)->status;
    found.kubernetes_version = (*facts)->version;
  } else if (facts || facts.error().code == codes::access_denied) {
    // Gone meanwhile, or it can't be looked at: it is there all the same.
    found.status = facts ? "DELETED" : "UNREADABLE";
  } else {
    co_return fail(facts.error());
  }
  auto record = co_await fleet.get(std::move(key));
  if (!record) co_return fail(record.error());
  found.managed = record->has_value();
  if (*record) found.tag = (*record)->tag;
  co_return found;
}

}  // namespace

Task<ClusterListAnswer> list_clusters(fleet::Fleet& fleet, contract::PageOptions page) {
  auto found = co_await fleet.list(page.limit, page.cursor);
  if (!found) co_return fail(found.error());
  ClusterListAnswer answer{.next_cursor = found->next_cursor};
  for (const auto& record : found->clusters) answer.clusters.push_back(to_summary(record));
  co_return answer;
}

Task<ClusterGetAnswer> get_cluster(aws::Accounts& accounts, fleet::Fleet& fleet, kube::EksClusters& clusters,
                                   Caller caller, ClusterGet request) {
  auto place = co_await find_place(accounts, fleet, std::move(request.cluster.value));
  if (!place) co_return fail(place.error());
  ClusterGetAnswer answer{.summary = to_summary(place->record), .arn = cluster_arn_of(place->target)};
  auto network = co_await network_stage(*place, caller.deadline);
  if (!network) co_return fail(network.error());
  const bool ours = network->state != StageState::foreign && network->state != StageState::unknown;
  answer.stages.push_back(std::move(*network));
  auto facts = co_await look_at_eks(*place->client, place->target.name, caller.deadline);
  if (!facts) co_return fail(facts.error());
  StageView control_plane{.name = "control_plane"};
  if (*facts) {
    answer.kubernetes_version = (*facts)->version;
    answer.platform_version = (*facts)->platform_version;
    answer.vpc_id = (*facts)->vpc_id;
    answer.authentication_mode = (*facts)->authentication_mode;
    control_plane.status = (*facts)->status;
    control_plane.state = state_of_status((*facts)->status, ours);
  }
  const bool usable = *facts && (*facts)->status == "ACTIVE";
  answer.stages.push_back(std::move(control_plane));
  if (usable) {
    auto dependencies = co_await dependency_stage(accounts, fleet, clusters, caller, answer.summary.cluster);
    if (!dependencies) co_return fail(dependencies.error());
    answer.stages.push_back(std::move(*dependencies));
  } else {
    answer.stages.push_back({.name = "dependencies"});
  }
  auto hyperpod = co_await get_hyperpod(accounts, fleet, caller, {.cluster = {{answer.summary.cluster}}});
  if (!hyperpod) co_return fail(hyperpod.error());
  add_hyperpod(std::move(*hyperpod), answer);
  co_return answer;
}

Task<ClusterDiscoverAnswer> discover_clusters(aws::Accounts& accounts, fleet::Fleet& fleet, Caller caller,
                                              ClusterDiscover request) {
  auto account = accounts.get(request.profile ? std::optional(request.profile->value) : std::nullopt,
                              request.region ? std::optional(request.region->value) : std::nullopt);
  if (!account) co_return fail(account.error());
  aws::Client& client = (*account)->client();
  auto identity = co_await look_at_identity(client, caller.deadline);
  if (!identity) co_return fail(identity.error());
  ClusterDiscoverAnswer answer{.region = client.region(), .account = identity->place.account};
  auto names = co_await aws::collect<eks::ListClusters>(client, {}, &eks::ListClustersResponse::clusters,
                                                        {.deadline = caller.deadline});
  if (!names) co_return fail(within("List EKS clusters", names.error()));
  for (const auto& name : *names) {
    auto found = co_await look_at_one(client, fleet, {name, answer.region, answer.account}, caller.deadline);
    if (!found) co_return fail(found.error());
    answer.clusters.push_back(std::move(*found));
  }
  auto hyperpod = co_await all_hyperpod(client, caller.deadline);
  if (!hyperpod) co_return fail(hyperpod.error());
  for (const auto& cluster : *hyperpod) {
    const std::string arn = eks_arn_of(cluster);
    const auto on = std::ranges::find(answer.clusters, arn, &FoundCluster::arn);
    auto& list = arn.empty() || on == answer.clusters.end() ? answer.other_hyperpod : on->hyperpod;
    list.push_back(to_found(cluster));
  }
  co_return answer;
}

Task<ClusterForgetAnswer> forget_cluster(fleet::Fleet& fleet, Caller caller, ClusterForget request) {
  auto record = co_await fleet.find(std::move(request.cluster.value));
  if (!record) co_return fail(record.error());
  ClusterForgetAnswer answer{.cluster = domain::to_text(record->key)};
  if (caller.dry_run) co_return answer;
  auto gone = co_await fleet.forget(record->key);
  if (!gone) co_return fail(gone.error());
  answer.forgotten = *gone;
  co_return answer;
}

}  // namespace instantstart::capabilities
