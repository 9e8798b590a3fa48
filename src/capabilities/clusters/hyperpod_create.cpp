#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/decode.h"
#include "base/error_codes.h"
#include "capabilities/clusters/cluster_place.h"
#include "capabilities/clusters/compute_subnet_calls.h"
#include "capabilities/clusters/execution_role.h"
#include "capabilities/clusters/hyperpod_plan.h"
#include "capabilities/clusters/hyperpod_preflight.h"
#include "capabilities/clusters/hyperpod_request.h"
#include "capabilities/clusters/lifecycle_script.h"
#include "capabilities/dependencies/dependencies.h"
#include "domain/cluster_name.h"

namespace instantstart::capabilities {
namespace {

using contract::Plan;

/// Interfaces and pods of one node take some dozens of addresses; of a node with many EFA interfaces, more.
constexpr std::int64_t k_addresses_of_node = 50;

/// EKS, and who calls.
struct Ground {
  Identity identity;
  EksFacts eks;
  std::vector<HyperpodDescription> clusters;  ///< All of the account and region.
};

Task<Ground> look_at_ground(ClusterPlace place, net::Deadline deadline) {
  Ground ground;
  auto identity = co_await identity_in(*place.client, place.target, deadline);
  if (!identity) co_return fail(identity.error());
  ground.identity = std::move(*identity);
  auto eks = co_await look_at_eks(*place.client, place.target.name, deadline);
  if (!eks) co_return fail(eks.error());
  if (!*eks) co_return fail(codes::not_found, fmt::format("There is no EKS cluster {}.", place.target.name));
  ground.eks = std::move(**eks);
  if (ground.eks.status != "ACTIVE" && ground.eks.status != "UPDATING") {
    co_return fail(codes::blocked, fmt::format("The EKS cluster {} is {}; HyperPod needs it ACTIVE.",
                                               place.target.name, ground.eks.status));
  }
  auto clusters = co_await all_hyperpod(*place.client, deadline);
  if (!clusters) co_return fail(clusters.error());
  ground.clusters = std::move(*clusters);
  co_return ground;
}

Result<HyperpodSituation> named(const ClusterPlace& place, const Ground& ground, HyperpodCreate request) {
  HyperpodSituation situation;
  auto role = execution_role_name(place.target);
  if (!role) return fail(role.error());
  auto name = request.name ? Result<std::string>(request.name->value)
                           : domain::hyperpod_name(domain::ClusterName{place.target.name});
  if (!name) return fail(name.error());
  for (const auto& cluster : ground.clusters) {
    if (eks_arn_of(cluster) != ground.eks.arn || cluster.cluster_name == *name) continue;
    // An EKS cluster carries one HyperPod cluster (HyperPod guide, "Orchestrating with Amazon EKS").
    return fail(codes::name_taken,
                fmt::format("The EKS cluster {} has the HyperPod cluster {} already, and carries one.",
                            place.target.name, cluster.cluster_name.value_or("")));
  }
  situation.bucket_input = {place.target, lifecycle_bucket(place.target), lifecycle_key()};
  situation.role_input = {place.target, *role, situation.bucket_input.bucket, std::nullopt};
  if (request.group.volume_kms_key) situation.role_input.kms_key = request.group.volume_kms_key->value;
  situation.hyperpod_input = {.cluster = place.target,
                              .name = std::move(*name),
                              .eks_arn = ground.eks.arn,
                              .role_name = std::move(*role),
                              .security_group_ids = ground.eks.security_group_ids,
                              .group = std::move(request.group)};
  return situation;
}

Task<> add_seen(ClusterPlace place, HyperpodSituation& situation, net::Deadline deadline) {
  auto role = co_await look_at_execution_role(*place.client, situation.role_input, deadline);
  if (!role) co_return fail(role.error());
  situation.role = std::move(*role);
  auto bucket = co_await look_at_lifecycle(*place.client, situation.bucket_input, false, deadline);
  if (!bucket) co_return fail(bucket.error());
  situation.bucket = std::move(*bucket);
  auto hyperpod =
      co_await look_at_hyperpod_cluster(*place.client, place.target, situation.hyperpod_input.name, deadline);
  if (!hyperpod) co_return fail(hyperpod.error());
  situation.hyperpod = std::move(*hyperpod);
  co_return Result<>{};
}

Task<> add_subnet(ClusterPlace place, const EksFacts& eks, std::string zone, HyperpodSituation& situation,
                  net::Deadline deadline) {
  situation.subnet_input = ComputeSubnetInput{place.target, std::move(zone), eks.vpc_id};
  auto subnet = co_await look_at_compute_subnet(*place.client, *situation.subnet_input, "", deadline);
  if (!subnet) co_return fail(subnet.error());
  situation.subnet = std::move(*subnet);
  const auto& seen = situation.subnet;
  if (missing_calls(seen).empty()) situation.hyperpod_input.subnet_id = seen.subnet->id;
  const auto needed = situation.hyperpod_input.group.count * k_addresses_of_node;
  if (seen.subnet && seen.free_addresses < needed) {
    situation.warnings.push_back(fmt::format("The subnet {} has {} free addresses; the nodes may need {}.",
                                             seen.subnet->id, seen.free_addresses, needed));
  }
  co_return Result<>{};
}

/// A new cluster: everything that is wrong, with the request or the account, is one answer.
Task<> prepare_new(ClusterPlace place, Ground ground, HyperpodSituation& situation, net::Deadline deadline) {
  const auto& group = situation.hyperpod_input.group;
  auto facts = co_await look_around_hyperpod(*place.client, ground.identity, ground.eks, group,
                                             std::move(ground.clusters), deadline);
  if (!facts) co_return fail(within("Look before creating", facts.error()));
  if (auto error = to_error(hyperpod_problems(group, *facts))) co_return fail(std::move(*error));
  situation.warnings = std::move(facts->warnings);
  if (facts->plan && facts->plan->status == "Scheduled") {
    situation.warnings.emplace_back("The training plan has not begun: nodes come when it does.");
  }
  auto subnet = co_await add_subnet(place, ground.eks, choose_zone(group, *facts), situation, deadline);
  if (!subnet) co_return fail(subnet.error());
  if (!situation.subnet.subnet && situation.subnet.nat.empty()) {
    co_return fail(codes::blocked,
                   fmt::format("The VPC {} has no NAT gateway that is available: nodes could not reach AWS.",
                               ground.eks.vpc_id));
  }
  co_return Result<>{};
}

/// One that is there: what is named and can't be changed is refused; a subnet of ours is completed.
Task<> prepare_existing(ClusterPlace place, Ground ground, HyperpodSituation& situation,
                        net::Deadline deadline) {
  const auto& input = situation.hyperpod_input;
  const auto found = std::ranges::find_if(ground.clusters, [&](const HyperpodDescription& cluster) {
    return cluster.cluster_arn == situation.hyperpod.arn;
  });
  if (found == ground.clusters.end()) co_return Result<>{};
  const auto view = to_view(*found, true);
  const auto group = std::ranges::find(view.groups, input.group.name.value, &GroupView::name);
  if (group == view.groups.end()) {
    co_return fail(invalid_request(
        {{"/group/name", "unknown", "is no group of this cluster; another group is added by itself",
          input.group.name.value, std::nullopt}}));
  }
  if (auto problems = fixed_problems(input.group, *group); !problems.empty()) {
    co_return fail(invalid_request(std::move(problems)));
  }
  auto zones = co_await compute_zones(*place.client, place.target, ground.eks.vpc_id, deadline);
  if (!zones) co_return fail(zones.error());
  for (const auto& zone : *zones) {
    const ComputeSubnetInput asked{place.target, zone, ground.eks.vpc_id};
    auto subnet = co_await look_at_compute_subnet(*place.client, asked, "", deadline);
    if (!subnet) co_return fail(subnet.error());
    if (!subnet->subnet || std::ranges::count(group->subnet_ids, subnet->subnet->id) == 0) continue;
    situation.subnet_input = asked;
    situation.subnet = std::move(*subnet);
  }
  if (situation.hyperpod_input.group.zone && situation.subnet_input &&
      situation.subnet_input->zone != situation.hyperpod_input.group.zone->value) {
    co_return fail(
        invalid_request({{"/group/zone", "fixed", "can't be changed; it is " + situation.subnet_input->zone,
                          situation.hyperpod_input.group.zone->value, std::nullopt}}));
  }
  if (!group->subnet_ids.empty()) situation.hyperpod_input.subnet_id = group->subnet_ids.front();
  co_return Result<>{};
}

/// CreateCluster is refused without HyperPod's dependencies; which of them it looks for is not public.
Task<> warn_of_dependencies(aws::Accounts& accounts, fleet::Fleet& fleet, kube::EksClusters& clusters,
                            contract::Caller caller, HyperpodSituation& situation) {
  DependencyReconcile asked{.cluster = {{domain::to_text(key_of(situation.hyperpod_input.cluster))}},
                            .components = std::vector<ComponentName>{{{"health_agent"}}}};
  auto plan =
      co_await plan_dependency_reconcile(accounts, fleet, clusters, std::move(caller), std::move(asked));
  if (!plan) {
    situation.warnings.push_back(
        fmt::format("HyperPod's dependencies could not be looked at: {}", plan.error().message));
  } else if (!plan->steps.empty()) {
    situation.warnings.emplace_back(k_dependencies_missing);
  }
  co_return Result<>{};
}

}  // namespace

Task<Plan> plan_hyperpod_create(aws::Accounts& accounts, fleet::Fleet& fleet, kube::EksClusters& clusters,
                                contract::Caller caller, HyperpodCreate request) {
  auto place = co_await find_place(accounts, fleet, std::move(request.cluster.value));
  if (!place) co_return fail(place.error());
  auto ground = co_await look_at_ground(*place, caller.deadline);
  if (!ground) co_return fail(ground.error());
  auto situation = named(*place, *ground, std::move(request));
  if (!situation) co_return fail(situation.error());
  auto seen = co_await add_seen(*place, *situation, caller.deadline);
  if (!seen) co_return fail(seen.error());
  const auto& hyperpod = situation->hyperpod;
  const bool is_new = !hyperpod.exists || hyperpod.status == "Failed";
  if (hyperpod.exists && (!hyperpod.maker || hyperpod.eks_arn != ground->eks.arn)) {
    co_return fail(hyperpod_name_taken(situation->hyperpod_input, hyperpod));
  }
  if (is_new) {
    auto warned = co_await warn_of_dependencies(accounts, fleet, clusters, caller, *situation);
    if (!warned) co_return fail(warned.error());
    auto warnings = std::move(situation->warnings);
    auto prepared = co_await prepare_new(*place, std::move(*ground), *situation, caller.deadline);
    if (!prepared) co_return fail(prepared.error());
    situation->warnings.insert(situation->warnings.begin(), warnings.begin(), warnings.end());
  } else {
    auto prepared = co_await prepare_existing(*place, std::move(*ground), *situation, caller.deadline);
    if (!prepared) co_return fail(prepared.error());
  }
  co_return to_plan(std::move(*situation));
}

Task<Plan> plan_hyperpod_delete(aws::Accounts& accounts, fleet::Fleet& fleet, contract::Caller caller,
                                HyperpodDelete request) {
  auto place = co_await find_place(accounts, fleet, std::move(request.cluster.value));
  if (!place) co_return fail(place.error());
  aws::Client& client = *place->client;
  auto identity = co_await identity_in(client, place->target, caller.deadline);
  if (!identity) co_return fail(identity.error());
  HyperpodRemains remains{.cluster = place->target};
  auto found = co_await hyperpod_of(client, cluster_arn_of(place->target), caller.deadline);
  if (!found) co_return fail(found.error());
  for (const auto& cluster : *found) {
    const auto view = to_view(cluster, true);
    remains.hyperpod.push_back({place->target, view.name, view.arn});
    for (const auto& group : view.groups) {
      remains.hyperpod_groups.push_back(fmt::format("{} ({} nodes)", group.name, group.current));
    }
  }
  auto role = execution_role_name(place->target);
  if (!role) co_return fail(role.error());
  remains.bucket_input = {place->target, lifecycle_bucket(place->target), lifecycle_key()};
  remains.role_input = {place->target, *role, remains.bucket_input.bucket, std::nullopt};
  auto role_seen = co_await look_at_execution_role(client, remains.role_input, caller.deadline);
  if (!role_seen) co_return fail(role_seen.error());
  remains.role = std::move(*role_seen);
  auto bucket = co_await look_at_lifecycle(client, remains.bucket_input, true, caller.deadline);
  if (!bucket) co_return fail(bucket.error());
  remains.bucket = std::move(*bucket);
  auto eks = co_await look_at_eks(client, place->target.name, caller.deadline);
  if (!eks) co_return fail(eks.error());
  if (*eks) {
    auto zones = co_await compute_zones(client, place->target, (*eks)->vpc_id, caller.deadline);
    if (!zones) co_return fail(zones.error());
    for (const auto& zone : *zones) remains.subnets.push_back({place->target, zone, (*eks)->vpc_id});
  }
  co_return to_deletion_plan(remains);
}

}  // namespace instantstart::capabilities
