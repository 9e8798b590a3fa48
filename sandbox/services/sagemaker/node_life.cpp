#include "sandbox/services/sagemaker/node_life.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sandbox/services/sagemaker/cluster_events.h"
#include "sandbox/services/sagemaker/cluster_run.h"
#include "sandbox/services/sagemaker/images.h"
#include "sandbox/services/sagemaker/instance_choice.h"
#include "sandbox/services/sagemaker/lifecycle_script.h"
#include "sandbox/services/sagemaker/node_objects.h"
#include "sandbox/services/sagemaker/node_recovery.h"
#include "sandbox/services/sagemaker/software_updates.h"
#include "sandbox/services/sagemaker/training_plans.h"

namespace instantstart::sandbox::sagemaker {
namespace {

using api::ClusterInstanceGroupDetails;
using api::ClusterNodeDetails;

constexpr std::string_view k_efa_failure =
    "Instance {} failed to provision with the following error: \"EFA health checks did not run successfully. "
    "Ensure that your VPC and security groups are properly configured before attempting to create a new "
    "cluster.\"";
constexpr std::string_view k_script_failure =
    "Instance {} failed to provision with the following error: \"Lifecycle scripts did not run successfully. "
    "Ensure the scripts exist in provided S3 path, are accessible, and run without errors. Please see "
    "CloudWatch logs for lifecycle script execution details.\"";

struct Place {
  ClusterInternals cluster;
  ClusterInstanceGroupDetails group;
};
Place place_of(const State& state, const NodeInternals& node) {
  const auto& cluster = *state.clusters.find(node.cluster_key);
  const auto* group = find_group(cluster, node.group);
  return {*state.cluster_internals.find(node.cluster_key), group ? *group : ClusterInstanceGroupDetails{}};
}

/// With continuous provisioning it is tried again for ever; without, the whole change fails.
void cannot_provision(State& state, const std::string& key, const std::string& message) {
  const NodeInternals node = *state.node_internals.find(key);
  if (!is_continuous(*state.clusters.find(node.cluster_key))) {
    fail_change(state, node.cluster_key, message);
    return;
  }
  state.groups.edit(child_key(node.cluster_key, node.group),
                    [](GroupInternals& group) { group.degraded = true; });
  set_phase(state, key, NodePhase::requested, "Pending", message);
  go_on_after(state, key, k_time_to_retry);
}

void release_interfaces(State& state, const std::string& key) {
  const NodeInternals node = *state.node_internals.find(key);
  const std::string region = state.cluster_internals.find(node.cluster_key)->region;
  for (const auto& id : node.interfaces) state.others.network.remove_interface(region, id);
  state.node_internals.edit(key, [](NodeInternals& record) {
    record.interfaces.clear();
    record.subnet_id.clear();
  });
}

/// The node leaves Kubernetes and gives back what it holds in the network.
void end_instance(State& state, const std::string& key) {
  const NodeInternals node = *state.node_internals.find(key);
  if (node.joined) state.others.nodes.leave(eks_cluster_of(state, key), kubernetes_name(state, key));
  release_interfaces(state, key);
  state.node_internals.edit(key, [](NodeInternals& record) {
    record.joined = false;
    record.fault.clear();
    record.recovery.clear();
  });
}

/// The customer's ENI first; nothing is left behind when one can't be had.
Reply<std::vector<std::string>> make_interfaces(State& state, const Place& place, const Choice& choice,
                                                const InstanceShape& shape, const std::string& instance_id) {
  const auto& cluster = *state.clusters.find(cluster_key(place.cluster.region, place.cluster.name));
  const bool efa_only =
      place.group.network_interface && place.group.network_interface->interface_type == "efa-only";
  ec2::InterfaceSpec spec{
      .subnet_id = choice.subnet_id,
      .group_ids = aws::items(network_of(cluster, place.group).security_group_ids),
      .description = fmt::format("SageMaker HyperPod {} {}", place.cluster.name, instance_id),
      .type = "interface",
      .requester_id = "hyperpod.sagemaker.amazonaws.com",
      .instance_id = instance_id,
      .addresses = std::max<std::int64_t>(1, shape.addresses_per_interface)};
  std::vector<std::string> ids;
  const std::int64_t count = efa_only ? 1 : std::max<std::int64_t>(1, shape.efa_interfaces);
  for (std::int64_t i = 0; i < count; ++i) {
    auto id = state.others.network.add_interface(place.cluster.region, spec);
    if (!id) {
      for (const auto& made : ids) state.others.network.remove_interface(place.cluster.region, made);
      return std::unexpected(std::move(id.error()));
    }
    ids.push_back(std::move(*id));
    spec.type = "efa";
    spec.addresses = 1;
  }
  return ids;
}

void record_instance(State& state, const std::string& key, const Place& place, const Choice& choice,
                     const std::string& instance_id, const std::string& interface_id) {
  const auto& subnet = *state.others.network.find_subnet(place.cluster.region, choice.subnet_id);
  const auto& interface = *state.others.network.find_interface(place.cluster.region, interface_id);
  state.nodes.edit(key, [&](ClusterNodeDetails& node) {
    node.instance_id = instance_id;
    node.instance_type = choice.type;
    node.launch_time = now(state);
    node.life_cycle_config = place.group.life_cycle_config;
    node.override_vpc_config = place.group.override_vpc_config;
    node.threads_per_core = place.group.threads_per_core;
    node.instance_storage_configs = place.group.instance_storage_configs;
    node.private_primary_ip = interface.private_ip_address;
    node.private_dns_hostname = interface.private_dns_name;
    node.placement = api::ClusterInstancePlacement{.availability_zone = subnet.availability_zone,
                                                   .availability_zone_id = subnet.availability_zone_id};
    node.current_image_id = node.desired_image_id = place.group.desired_image_id;
    node.current_image_release_version = node.desired_image_release_version =
        place.group.desired_image_release_version;
    node.network_interface = place.group.network_interface;
    node.capacity_type =
        place.group.capacity_requirements && place.group.capacity_requirements->spot ? "Spot" : "OnDemand";
  });
}

/// Where it may be: what a training plan has reserved is in one zone, while the plan lasts.
Reply<std::vector<std::string>> zones_for(const State& state, const Place& place, const NodeInternals& node) {
  if (!place.group.training_plan_arn) return node.zones;
  const auto plan = find_plan(state, place.cluster.region, *place.group.training_plan_arn);
  if (!plan || plan->status != "Active") {
    return fault("InsufficientInstanceCapacity",
                 fmt::format("Training plan {} is {}.", *place.group.training_plan_arn,
                             plan ? *plan->status : "Expired"));
  }
  return std::vector<std::string>{*plan->reserved_capacity_summaries->front().availability_zone};
}

void launch(State& state, const std::string& key) {
  const NodeInternals node = *state.node_internals.find(key);
  const Place place = place_of(state, node);
  const GroupInternals* group = state.groups.find(child_key(node.cluster_key, node.group));
  if (group && group->failure_code) {
    const std::string message = fmt::format("{}: {}", *group->failure_code, *group->failure_message);
    tell_node(state, key, "Error", "Instance provisioning failed", message);
    return cannot_provision(state, key, message);
  }
  const auto zones = zones_for(state, place, node);
  const auto choice =
      zones ? choose_instance(state, place.cluster.region, *state.clusters.find(node.cluster_key),
                              place.group, *zones, node.types)
            : Reply<Choice>(std::unexpected(zones.error()));
  const std::string instance_id = state.world.make_id("i");
  auto interfaces = choice ? make_interfaces(state, place, *choice, *shape_of(choice->type), instance_id)
                           : Reply<std::vector<std::string>>(std::unexpected(choice.error()));
  if (!interfaces) {
    tell_node(state, key, "Error", "Instance provisioning failed", interfaces.error().message);
    return cannot_provision(state, key, interfaces.error().message);
  }
  record_instance(state, key, place, *choice, instance_id, interfaces->front());
  state.node_internals.edit(key, [&](NodeInternals& record) {
    record.subnet_id = choice->subnet_id;
    record.interfaces = std::move(*interfaces);
  });
  state.groups.edit(child_key(node.cluster_key, node.group),
                    [](GroupInternals& record) { record.degraded = false; });
  set_phase(state, key, NodePhase::starting, "Pending");
  tell_node(state, key, "Info", "Instance was launched and is starting");
  go_on_after(state, key, k_time_to_boot);
}

void begin_script(State& state, const std::string& key) {
  set_phase(state, key, NodePhase::lifecycle, "Pending");
  tell_node(state, key, "Info", "Lifecycle scripts are running", std::nullopt, "InProgress");
  go_on_after(state, key, k_time_of_lifecycle_script);
}

void join(State& state, const std::string& key, const Place& place, bool deep_checks) {
  const ClusterNodeDetails& details = *state.nodes.find(key);
  const InstanceShape shape = shape_of(*details.instance_type).value_or(InstanceShape{});
  state.others.nodes.join(place.cluster.eks_cluster_id, make_node({.cluster = place.cluster,
                                                                   .group = place.group,
                                                                   .node = details,
                                                                   .shape = shape,
                                                                   .deep_checks = deep_checks}));
  state.node_internals.edit(key, [](NodeInternals& record) { record.joined = true; });
  log_health_agent(state, key, {"Health monitoring agent started", "No fault was found"});
}

/// What its instances do with EFA at first needs one group that lets everything through between its members.
bool passes_efa_checks(const State& state, const std::string& key, const Place& place) {
  const auto shape = shape_of(state.nodes.find(key)->instance_type.value_or(""));
  if (!shape || shape->efa_interfaces == 0) return true;
  const auto& cluster = *state.clusters.find(cluster_key(place.cluster.region, place.cluster.name));
  return std::ranges::any_of(aws::items(network_of(cluster, place.group).security_group_ids),
                             [&](const std::string& id) {
                               return state.others.network.members_reach_each_other(place.cluster.region, id);
                             });
}

/// The instance is given up.
void fail_instance(State& state, const std::string& key, const std::string& message) {
  end_instance(state, key);
  state.nodes.edit(key, [](ClusterNodeDetails& record) { record.instance_id.reset(); });
  cannot_provision(state, key, message);
}

void finish_script(State& state, const std::string& key) {
  const NodeInternals node = *state.node_internals.find(key);
  const Place place = place_of(state, node);
  if (!passes_efa_checks(state, key, place)) {
    const std::string message = fmt::format(fmt::runtime(k_efa_failure), *state.nodes.find(key)->instance_id);
    tell_node(state, key, "Error", "EFA health checks failed", message);
    return fail_instance(state, key, message);
  }
  if (const auto failure = script_failure(state, place.cluster.region, place.group)) {
    const std::string id = *state.nodes.find(key)->instance_id;
    const std::string message = fmt::format(fmt::runtime(k_script_failure), id);
    log_script(state, key, lines_of_failure(place.group, *failure));
    tell_node(state, key, "Error", "Lifecycle scripts failed", message, "Failed");
    return fail_instance(state, key, message);
  }
  log_script(state, key, lines_of_success(place.group));
  tell_node(state, key, "Info", "Lifecycle scripts finished", std::nullopt, "Succeeded");
  const bool deep_checks = !aws::items(place.group.on_start_deep_health_checks).empty();
  join(state, key, place, deep_checks);
  if (!deep_checks) {
    set_phase(state, key, NodePhase::running, "Running");
    tell_node(state, key, "Info", "Instance is running");
    return;
  }
  set_phase(state, key, NodePhase::deep_check, "DeepHealthCheckInProgress");
  tell_node(state, key, "Info", "Deep health checks are running");
  go_on_after(state, key, k_time_of_deep_checks);
}

void finish_deep_check(State& state, const std::string& key) {
  if (!state.node_internals.find(key)->fault.empty()) {
    update_node(state, key, {.labels = {{std::string(k_deep_check_label), "Failed"}}});
    tell_node(state, key, "Error", "Deep health checks failed; the instance is replaced",
              "Deep health checks failed.");
    log_health_agent(state, key, {"Deep health check failed"});
    return replace_instance(state, key);
  }
  update_node(state, key,
              {.labels = {{std::string(k_deep_check_label), "Passed"},
                          {std::string(k_health_label), std::string(k_schedulable)}},
               .taints_removed = {health_taint()}});
  set_phase(state, key, NodePhase::running, "Running");
  tell_node(state, key, "Info", "Deep health checks passed; the instance is running");
}

void forget_node(State& state, const std::string& key) {
  state.world.cancel_timer(k_node_timer, key);
  state.nodes.erase(key);
  state.node_internals.erase(key);
}

void take_step(State& state, const std::string& key) {
  switch (state.node_internals.find(key)->phase) {
    case NodePhase::requested: return launch(state, key);
    case NodePhase::starting: return begin_script(state, key);
    case NodePhase::lifecycle: return finish_script(state, key);
    case NodePhase::deep_check: return finish_deep_check(state, key);
    case NodePhase::running: return act_on_fault(state, key);
    case NodePhase::draining: return finish_draining(state, key);
    case NodePhase::rebooting: return finish_reboot(state, key);
    case NodePhase::updating: return finish_image(state, key);
    case NodePhase::stopping: return forget_node(state, key);
    case NodePhase::failed: return;
  }
}

}  // namespace

void advance_node(State& state, const std::string& node_key) {
  const NodeInternals* node = state.node_internals.find(node_key);
  if (!node) return;
  const std::string cluster = node->cluster_key;
  take_step(state, node_key);
  settle(state, cluster);
}

std::vector<std::string> request_nodes(State& state, const std::string& cluster_key,
                                       const NodeRequest& request) {
  std::vector<std::string> ids;
  for (std::int64_t i = 0; i < request.count; ++i) {
    std::string id = state.world.make_id("node");
    const std::string key = child_key(cluster_key, id);
    state.node_internals.put(
        key,
        {.cluster_key = cluster_key, .group = request.group, .zones = request.zones, .types = request.types});
    const auto* group = find_group(*state.clusters.find(cluster_key), request.group);
    ClusterNodeDetails node{.instance_group_name = request.group,
                            .node_logical_id = id,
                            .instance_status = api::ClusterInstanceStatusDetails{.status = "Pending"},
                            .launch_time = now(state)};
    if (const auto types = types_of(*group); !types.empty()) node.instance_type = types.front();
    if (group->kubernetes_config) {
      const auto& config = *group->kubernetes_config;
      node.kubernetes_config =
          api::ClusterKubernetesConfigNodeDetails{.current_labels = config.desired_labels,
                                                  .desired_labels = config.desired_labels,
                                                  .current_taints = config.desired_taints,
                                                  .desired_taints = config.desired_taints};
    }
    state.nodes.put(key, std::move(node));
    go_on_after(state, key, k_time_to_launch + k_time_between_launches * (request.queued + i));
    ids.push_back(std::move(id));
  }
  return ids;
}

void stop_node(State& state, const std::string& node_key) {
  const NodeInternals node = *state.node_internals.find(node_key);
  if (node.phase == NodePhase::stopping) return;
  if (node.phase == NodePhase::requested) return forget_node(state, node_key);
  tell_node(state, node_key, "Info", "Instance is being terminated");
  end_instance(state, node_key);
  set_phase(state, node_key, NodePhase::stopping, "ShuttingDown");
  go_on_after(state, node_key, k_time_to_stop);
}

void replace_instance(State& state, const std::string& node_key) {
  tell_node(state, node_key, "Info", "Instance is being replaced");
  end_instance(state, node_key);
  state.nodes.edit(node_key, [](ClusterNodeDetails& node) {
    node.instance_id.reset();
    node.private_primary_ip.reset();
    node.private_dns_hostname.reset();
    node.placement.reset();
  });
  set_phase(state, node_key, NodePhase::requested, "Pending");
  go_on_after(state, node_key, k_time_to_launch);
}

void set_phase(State& state, const std::string& node_key, NodePhase phase, std::string_view status,
               std::string message) {
  state.node_internals.edit(node_key, [phase](NodeInternals& node) { node.phase = phase; });
  state.nodes.edit(node_key, [&](ClusterNodeDetails& node) {
    node.instance_status = api::ClusterInstanceStatusDetails{.status = std::string(status)};
    if (!message.empty()) node.instance_status->message = std::move(message);
  });
}

void go_on_after(State& state, const std::string& node_key, milliseconds time) {
  state.world.set_timer(k_node_timer, node_key, time);
}

std::string kubernetes_name(const State& state, const std::string& node_key) {
  return node_name(state.nodes.find(node_key)->instance_id.value_or(""));
}

const std::string& eks_cluster_of(const State& state, const std::string& node_key) {
  return state.cluster_internals.find(state.node_internals.find(node_key)->cluster_key)->eks_cluster_id;
}

void update_node(State& state, const std::string& node_key, const NodeUpdate& change) {
  if (!state.node_internals.find(node_key)->joined) return;
  state.others.nodes.update(eks_cluster_of(state, node_key), kubernetes_name(state, node_key), change);
}

}  // namespace instantstart::sandbox::sagemaker
