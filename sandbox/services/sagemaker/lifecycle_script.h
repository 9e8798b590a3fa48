// The lifecycle script of an instance: whether it runs, and what it and the cluster write into the logs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/services/sagemaker/state.h"

namespace instantstart::sandbox::sagemaker {

/// Why the script can't run: the bucket or object isn't there, or the role may not read it. nullopt: it runs,
/// or there is none to run.
std::optional<std::string> script_failure(const State& state, const std::string& region,
                                          const api::ClusterInstanceGroupDetails& group);

/// "/aws/sagemaker/Clusters/demo/abc123def456"
std::string log_group(const ClusterInternals& cluster);
/// Into the stream LifecycleConfig/<group>/<instance>.
void log_script(State& state, const std::string& node_key, const std::vector<std::string>& lines);
/// Into the stream SagemakerHealthMonitoringAgent/<group>/<instance>.
void log_health_agent(State& state, const std::string& node_key, const std::vector<std::string>& lines);
/// What the script writes when it runs.
std::vector<std::string> lines_of_success(const api::ClusterInstanceGroupDetails& group);
std::vector<std::string> lines_of_failure(const api::ClusterInstanceGroupDetails& group,
                                          std::string_view failure);

}  // namespace instantstart::sandbox::sagemaker
