// The status of a HyperPodPyTorchJob, and its pods as the operator makes them. Pure.
//
// AWS documents the fields and some words. Where it is silent: condition types are Created, PodsRunning,
// Running, Restarting, Suspended, Completed, Failed (Kubeflow's and the SDK's words), of which the last one
// is what the job does now; restartType is "ProcessLevelRestart" or "FullJobRestart"; labels of pods are
// sagemaker.amazonaws.com/{job-name,replica-name,replica-index}; of variables only NNODES is known.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "sandbox/kubernetes/training/restart_budget.h"

namespace instantstart::sandbox::kubernetes {

inline constexpr std::string_view k_created = "Created";
inline constexpr std::string_view k_pods_running = "PodsRunning";
inline constexpr std::string_view k_running = "Running";
inline constexpr std::string_view k_restarting = "Restarting";
inline constexpr std::string_view k_suspended = "Suspended";
inline constexpr std::string_view k_completed = "Completed";
inline constexpr std::string_view k_failed = "Failed";

struct JobCondition {
  std::string_view type;
  bool holds = true;
  std::string reason;
  std::string message;
};
/// One that begins to hold comes last. Times change only with the rest.
void set_job_condition(json::object& status, const JobCondition& condition, std::string_view now);
/// As above, where the condition is there and holds.
void end_job_condition(json::object& status, std::string_view type, std::string reason, std::string message,
                       std::string_view now);
bool is_finished_job(const json::object& job);

/// A pod that the job asks for.
struct JobPod {
  std::string name;  ///< "<job>-<replica>-<index>"
  std::string replica;
  std::int64_t index = 0;  ///< Within its replica spec.
};
/// In the order of their ranks.
std::vector<JobPod> pods_of_job(const json::object& job);
json::object make_job_pod(const json::object& job, const JobPod& pod);

/// jobPods and podManagerStatuses.
void set_job_pods(json::object& status, const json::object& job,
                  const std::vector<const json::object*>& pods);
void set_restarts(json::object& status, const RestartCounts& counts);

struct FaultyPods {
  RestartKind restart = RestartKind::none;
  std::vector<std::string> pods;
  std::vector<std::string> instances;
  std::vector<std::int64_t> ranks;
};
void set_faulty_pods(json::object& status, const FaultyPods& faulty);

}  // namespace instantstart::sandbox::kubernetes
