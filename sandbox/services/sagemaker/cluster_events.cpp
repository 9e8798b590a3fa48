#include "sandbox/services/sagemaker/cluster_events.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sandbox/services/sagemaker/errors.h"
#include "sandbox/services/sagemaker/paging.h"

namespace instantstart::sandbox::sagemaker {
namespace {

api::ClusterEventSummary summary_of(const api::ClusterEventDetail& event) {
  return {.event_id = event.event_id,
          .cluster_arn = event.cluster_arn,
          .cluster_name = event.cluster_name,
          .instance_group_name = event.instance_group_name,
          .instance_id = event.instance_id,
          .resource_type = event.resource_type,
          .event_time = event.event_time,
          .description = event.description,
          .event_level = event.event_level,
          .operation_id = event.operation_id};
}

template <class T>
bool agrees(const std::optional<T>& wanted, const std::optional<T>& value) {
  return !wanted || wanted == value;
}

bool is_wanted(const api::ClusterEventDetail& event, const api::ListClusterEventsRequest& in) {
  return agrees(in.instance_group_name, event.instance_group_name) && agrees(in.node_id, event.instance_id) &&
         agrees(in.resource_type, event.resource_type) && agrees(in.operation_id, event.operation_id) &&
         (!in.event_time_after || *event.event_time > *in.event_time_after) &&
         (!in.event_time_before || *event.event_time < *in.event_time_before);
}

Reply<std::string> cluster_with_events(const State& state, const Call& call, const std::string& name) {
  auto key = find_cluster(state, call, name);
  if (!key || is_continuous(*state.clusters.find(*key))) return key;
  return validation(
      "Cluster events are available only for clusters that have NodeProvisioningMode set to Continuous.");
}

std::string number_of_event(State& state, const std::string& cluster_key) {
  std::int64_t number = 0;
  state.cluster_internals.edit(cluster_key,
                               [&number](ClusterInternals& cluster) { number = ++cluster.events; });
  return fmt::format("{:012}", number);
}

}  // namespace

void tell(State& state, const std::string& cluster_key, EventSpec spec) {
  const auto* cluster = state.clusters.find(cluster_key);
  if (!cluster || !is_continuous(*cluster)) return;
  api::ClusterEventDetail event{.event_id = state.world.make_request_id(),
                                .cluster_arn = cluster->cluster_arn,
                                .cluster_name = cluster->cluster_name,
                                .resource_type = "Cluster",
                                .event_time = now(state),
                                .description = std::move(spec.description),
                                .event_level = std::move(spec.level)};
  if (!spec.group.empty()) {
    event.instance_group_name = spec.group;
    event.resource_type = "InstanceGroup";
    const auto* group = state.groups.find(child_key(cluster_key, spec.group));
    if (spec.operation_id.empty() && group) spec.operation_id = group->operation_id;
  }
  if (!spec.operation_id.empty()) event.operation_id = std::move(spec.operation_id);
  const bool is_of_instance = !spec.instance_id.empty() || spec.metadata.instance.has_value();
  if (is_of_instance) event.resource_type = "Instance";
  if (!spec.instance_id.empty()) event.instance_id = std::move(spec.instance_id);
  event.event_details = api::EventDetails{.event_metadata = std::move(spec.metadata)};
  state.events.put(child_key(cluster_key, number_of_event(state, cluster_key)), std::move(event));
}

void tell_node(State& state, const std::string& node_key, std::string level, std::string description,
               std::optional<std::string> failure, std::optional<std::string> script_state) {
  const NodeInternals* node = state.node_internals.find(node_key);
  const auto* details = state.nodes.find(node_key);
  if (!node || !details) return;
  api::InstanceMetadata metadata{.failure_message = std::move(failure),
                                 .lcs_execution_state = std::move(script_state),
                                 .node_logical_id = details->node_logical_id};
  if (!node->interfaces.empty()) {
    metadata.customer_eni = node->interfaces.front();
    metadata.additional_enis =
        api::AdditionalEnis{.efa_enis = {{node->interfaces.begin() + 1, node->interfaces.end()}}};
  }
  tell(state, node->cluster_key,
       {.level = std::move(level),
        .description = std::move(description),
        .group = node->group,
        .instance_id = details->instance_id.value_or(""),
        .metadata = {.instance = std::move(metadata)}});
}

void forget_events(State& state, const std::string& cluster_key) {
  std::vector<std::string> keys;
  for (const auto& [key, event] : state.events.starting_with(cluster_key + "/")) keys.push_back(key);
  for (const auto& key : keys) state.events.erase(key);
}

Reply<api::ListClusterEventsResponse> list_cluster_events(State& state, const Call& call,
                                                          const api::ListClusterEventsRequest& in) {
  const auto key = cluster_with_events(state, call, *in.cluster_name);
  if (!key) return std::unexpected(key.error());
  std::vector<std::pair<std::string, api::ClusterEventSummary>> wanted;
  for (const auto& [event_key, event] : state.events.starting_with(*key + "/")) {
    if (is_wanted(event, in)) wanted.emplace_back(event_key, summary_of(event));
  }
  auto page = page_of(std::move(wanted), in, in.sort_order != "Ascending");
  if (!page) return std::unexpected(std::move(page.error()));
  return api::ListClusterEventsResponse{.next_token = std::move(page->next_token),
                                        .events = std::move(page->items)};
}

Reply<api::DescribeClusterEventResponse> describe_cluster_event(State& state, const Call& call,
                                                                const api::DescribeClusterEventRequest& in) {
  const auto key = cluster_with_events(state, call, *in.cluster_name);
  if (!key) return std::unexpected(key.error());
  for (const auto& [event_key, event] : state.events.starting_with(*key + "/")) {
    if (event.event_id == in.event_id) return api::DescribeClusterEventResponse{.event_details = event};
  }
  return fault("ResourceNotFound", fmt::format("Event {} does not exist.", *in.event_id));
}

}  // namespace instantstart::sandbox::sagemaker
