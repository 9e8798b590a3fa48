#include "sandbox/services/sagemaker/lifecycle_script.h"

#include <utility>

#include <fmt/format.h>

#include "aws/shapes/iam.h"
#include "sandbox/core/arn.h"

namespace instantstart::sandbox::sagemaker {
namespace {

struct ObjectName {
  std::string bucket;
  std::string key;
};

/// "s3://bucket/prefix" and "on_create.sh"
ObjectName object_of(const api::ClusterLifeCycleConfig& config) {
  std::string uri = config.source_s3_uri.value_or("");
  uri.erase(0, uri.find("://") == std::string::npos ? 0 : uri.find("://") + 3);
  const auto slash = uri.find('/');
  ObjectName name{.bucket = uri.substr(0, slash),
                  .key = slash == std::string::npos ? std::string() : uri.substr(slash + 1)};
  if (!name.key.empty() && !name.key.ends_with('/')) name.key += '/';
  name.key += config.on_create.value_or(config.on_init_complete.value_or(""));
  return name;
}

/// Whether the role's policies allow it. One whose document the sandbox doesn't know is taken to allow it.
bool may(const State& state, const std::string& region, const std::string& role, const std::string& action,
         const std::string& resource) {
  const aws::iam::SimulatePrincipalPolicyRequest question{
      .policy_source_arn = role,
      .action_names = {{action}},
      .resource_arns = {{resource}},
      .context_entries = {{{.context_key_name = "aws:ResourceAccount",
                            .context_key_values = {{state.world.account()}},
                            .context_key_type = "string"}}}};
  const Call call{.region = region, .request_id = {}, .invoked_by = "sagemaker.amazonaws.com"};
  auto reply = state.others.iam.answer_now(aws::iam::SimulatePrincipalPolicy::info(), call, &question);
  if (!reply) return reply.error().code == "InvalidInput";
  const auto* answer = reply->as<aws::iam::SimulatePolicyResponse>();
  if (!answer || aws::items(answer->evaluation_results).empty()) return false;
  return answer->evaluation_results->front().eval_decision == "allowed";
}

/// AWS's managed policies are written for the partition that they are in; those that the sandbox has are
/// "aws"'s.
bool may_read(const State& state, const std::string& region, const std::string& role,
              const ObjectName& script) {
  for (const std::string_view partition : {partition_of(region), std::string_view("aws")}) {
    const std::string bucket = fmt::format("arn:{}:s3:::{}", partition, script.bucket);
    if (may(state, region, role, "s3:ListBucket", bucket) &&
        may(state, region, role, "s3:GetObject", fmt::format("{}/{}", bucket, script.key))) {
      return true;
    }
  }
  return false;
}

std::string script_name(const api::ClusterInstanceGroupDetails& group) {
  if (!group.life_cycle_config) return "";
  const auto& config = *group.life_cycle_config;
  return config.on_create.value_or(config.on_init_complete.value_or(""));
}

void log(State& state, std::string_view kind, const std::string& node_key,
         const std::vector<std::string>& lines) {
  const NodeInternals* node = state.node_internals.find(node_key);
  const auto* details = state.nodes.find(node_key);
  if (!node || !details) return;
  const ClusterInternals& cluster = *state.cluster_internals.find(node->cluster_key);
  state.others.logs.append(cluster.region, log_group(cluster),
                           fmt::format("{}/{}/{}", kind, node->group, details->instance_id.value_or("")),
                           lines);
}

}  // namespace

std::optional<std::string> script_failure(const State& state, const std::string& region,
                                          const api::ClusterInstanceGroupDetails& group) {
  if (!group.life_cycle_config || !group.life_cycle_config->source_s3_uri) return std::nullopt;
  const ObjectName script = object_of(*group.life_cycle_config);
  if (!state.others.s3.has_bucket(script.bucket)) {
    return fmt::format("An error occurred (NoSuchBucket): The specified bucket {} does not exist",
                       script.bucket);
  }
  const std::string role = *group.execution_role;
  if (!may_read(state, region, role, script)) {
    return fmt::format("An error occurred (AccessDenied): {} is not allowed to read s3://{}/{}", role,
                       script.bucket, script.key);
  }
  if (!state.others.s3.find_object(script.bucket, script.key)) {
    return fmt::format("An error occurred (NoSuchKey): s3://{}/{} does not exist", script.bucket, script.key);
  }
  return std::nullopt;
}

std::string log_group(const ClusterInternals& cluster) {
  return fmt::format("/aws/sagemaker/Clusters/{}/{}", cluster.name, cluster.id);
}

void log_script(State& state, const std::string& node_key, const std::vector<std::string>& lines) {
  log(state, "LifecycleConfig", node_key, lines);
}

void log_health_agent(State& state, const std::string& node_key, const std::vector<std::string>& lines) {
  log(state, "SagemakerHealthMonitoringAgent", node_key, lines);
}

std::vector<std::string> lines_of_success(const api::ClusterInstanceGroupDetails& group) {
  const std::string script = script_name(group);
  if (script.empty()) return {"No lifecycle script is configured."};
  return {fmt::format("Downloading lifecycle scripts from {}", *group.life_cycle_config->source_s3_uri),
          fmt::format("Executing lifecycle script: {}", script), "[start] " + script, "[stop] " + script,
          "Lifecycle script finished with exit code 0"};
}

std::vector<std::string> lines_of_failure(const api::ClusterInstanceGroupDetails& group,
                                          std::string_view failure) {
  return {fmt::format("Downloading lifecycle scripts from {}",
                      group.life_cycle_config->source_s3_uri.value_or("")),
          std::string(failure), "Lifecycle scripts did not run successfully."};
}

}  // namespace instantstart::sandbox::sagemaker
