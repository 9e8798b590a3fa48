#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/json.h"
#include "sandbox/core/record.h"
#include "sandbox/services/sagemaker/batch_nodes.h"
#include "sandbox/services/sagemaker/clusters.h"
#include "sandbox/services/sagemaker/errors.h"
#include "sandbox/services/sagemaker/groups.h"
#include "sandbox/services/sagemaker/instance_choice.h"
#include "sandbox/services/sagemaker/limits.h"
#include "sandbox/services/sagemaker/node_life.h"
#include "sandbox/services/sagemaker/quota_use.h"

namespace instantstart::sandbox::sagemaker {
namespace {

using api::AddClusterNodeSpecification;

std::string digest_of(const api::BatchAddClusterNodesRequest& in) {
  json::object request = record_to_json(in);
  request.erase("ClientToken");
  return to_hex(sha256(to_canonical_text(json::value(std::move(request)))));
}

/// The answer to the same call before, if it had the token.
Reply<std::optional<api::BatchAddClusterNodesResponse>> earlier_answer(
    const State& state, const std::string& key, const api::BatchAddClusterNodesRequest& in) {
  if (!in.client_token) return std::nullopt;
  const TokenUse* use = state.tokens.find(child_key(key, *in.client_token));
  const auto age = state.world.now().time_since_epoch() - milliseconds(use ? use->at_ms : 0);
  if (!use || age > k_token_life) return std::nullopt;
  if (use->parameters != digest_of(in)) {
    return validation(
        fmt::format("ClientToken {} was already used with other parameters.", *in.client_token));
  }
  auto answer = record_from_json<api::BatchAddClusterNodesResponse>(use->answer);
  if (!answer) return fault("InternalFailure", answer.error().message, 500);
  return std::optional(std::move(*answer));
}

/// The code of why nodes can't be added, and the same in words.
std::optional<std::pair<std::string, std::string>> refuse_addition(
    const State& state, const Call& call, const std::string& key, const AddClusterNodeSpecification& wanted) {
  using Why = std::pair<std::string, std::string>;
  const auto& cluster = *state.clusters.find(key);
  const std::string& name = *wanted.instance_group_name;
  const auto* group = find_group(cluster, name);
  if (!group) return Why("InstanceGroupNotFound", fmt::format("Instance group {} does not exist.", name));
  const GroupInternals& internals = *state.groups.find(child_key(key, name));
  if (!internals.ready || internals.deleting || internals.failed) {
    return Why("InvalidInstanceGroupStatus", fmt::format("Instance group {} is not InService.", name));
  }
  const auto types = types_of(*group);
  for (const auto& type : aws::items(wanted.instance_types)) {
    if (std::ranges::find(types, type) == types.end()) {
      return Why("IncompatibleInstanceTypes", fmt::format("Instance group {} has no type {}.", name, type));
    }
  }
  const auto& subnets = aws::items(network_of(cluster, *group).subnets);
  for (const auto& zone : aws::items(wanted.availability_zones)) {
    const bool has = std::ranges::any_of(subnets, [&](const std::string& id) {
      const auto* subnet = state.others.network.find_subnet(call.region, id);
      return subnet && subnet->availability_zone == zone;
    });
    if (!has) {
      return Why("IncompatibleAvailabilityZones",
                 fmt::format("Instance group {} has no subnet in {}.", name, zone));
    }
  }
  return std::nullopt;
}

void add(State& state, const Call& call, const std::string& key, const AddClusterNodeSpecification& wanted,
         api::BatchAddClusterNodesResponse& answer) {
  const std::string& name = *wanted.instance_group_name;
  const std::int64_t more = *wanted.increment_target_count_by;
  const std::int64_t from = *find_group(*state.clusters.find(key), name)->target_count;
  edit_group(state, key, name,
             [&](api::ClusterInstanceGroupDetails& group) { group.target_count = from + more; });
  plan_group_failure(state, call, child_key(key, name));
  tell_scaling(state, key, name, from);
  const auto ids = request_nodes(state, key,
                                 {.group = name,
                                  .count = more,
                                  .zones = aws::items(wanted.availability_zones),
                                  .types = aws::items(wanted.instance_types)});
  for (const auto& id : ids) {
    answer.successful->push_back({.node_logical_id = id,
                                  .instance_group_name = name,
                                  .status = "Pending",
                                  .availability_zones = wanted.availability_zones,
                                  .instance_types = wanted.instance_types});
  }
}

}  // namespace

Reply<api::BatchAddClusterNodesResponse> batch_add_cluster_nodes(State& state, const Call& call,
                                                                 const api::BatchAddClusterNodesRequest& in) {
  const auto found = find_cluster(state, call, *in.cluster_name);
  if (!found) return std::unexpected(found.error());
  const std::string key = *found;
  auto earlier = earlier_answer(state, key, in);
  if (!earlier) return std::unexpected(std::move(earlier.error()));
  if (*earlier) return std::move(**earlier);
  const auto& cluster = *state.clusters.find(key);
  if (!is_continuous(cluster)) {
    return validation("BatchAddClusterNodes requires NodeProvisioningMode Continuous.");
  }
  if (cluster.cluster_status != "InService") {
    return validation(fmt::format("Cluster {} is {}: nodes can't be added now.", *cluster.cluster_name,
                                  *cluster.cluster_status));
  }
  const auto& wanted = aws::items(in.nodes_to_add);
  std::int64_t total = 0;
  std::int64_t in_cluster = 0;
  std::vector<Demand> demands;
  for (const auto& one : wanted) {
    total += *one.increment_target_count_by;
    const auto* group = find_group(cluster, *one.instance_group_name);
    if (!group || refuse_addition(state, call, key, one)) continue;
    const auto more = demand_of(*group, *one.increment_target_count_by);
    demands.insert(demands.end(), more.begin(), more.end());
  }
  for (const auto& group : aws::items(cluster.instance_groups)) in_cluster += *group.target_count;
  if (total > static_cast<std::int64_t>(k_most_added)) {
    return validation(fmt::format("At most {} nodes can be added at once.", k_most_added));
  }
  if (auto refusal = refuse_demand(state, call.region, demands, in_cluster)) {
    return std::unexpected(std::move(*refusal));
  }
  api::BatchAddClusterNodesResponse answer{.successful = std::vector<api::NodeAdditionResult>{},
                                           .failed = std::vector<api::BatchAddClusterNodesError>{}};
  for (const auto& one : wanted) {
    const auto why = refuse_addition(state, call, key, one);
    if (!why) {
      add(state, call, key, one, answer);
      continue;
    }
    answer.failed->push_back({.instance_group_name = one.instance_group_name,
                              .error_code = why->first,
                              .failed_count = one.increment_target_count_by,
                              .availability_zones = one.availability_zones,
                              .instance_types = one.instance_types,
                              .message = why->second});
  }
  if (in.client_token) {
    state.tokens.put(child_key(key, *in.client_token),
                     {.parameters = digest_of(in),
                      .answer = record_to_json(answer),
                      .at_ms = state.world.now().time_since_epoch().count()});
  }
  return answer;
}

}  // namespace instantstart::sandbox::sagemaker
