// A job as steps hold it, and as the object that the operator takes. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "capabilities/dependencies/cluster_target.h"
#include "capabilities/training/training.h"
#include "kube/object.h"

namespace instantstart::capabilities {

inline constexpr std::string_view k_job_group = "sagemaker.amazonaws.com";
inline constexpr std::string_view k_job_version = "v1";
inline constexpr std::string_view k_job_plural = "hyperpodpytorchjobs";
/// On the job and on its pods, whose logs are found by it.
inline constexpr std::string_view k_job_label = "instantstart/job";
inline constexpr std::string_view k_training_component = "training";
/// The name of the only replica spec: its pods are "<job>-pods-0", "<job>-pods-1" …
inline constexpr std::string_view k_replica_name = "pods";
/// The container in each pod.
inline constexpr std::string_view k_job_container = "pytorch";
inline constexpr std::string_view k_gpu_resource = "nvidia.com/gpu";
inline constexpr std::string_view k_efa_resource = "vpc.amazonaws.com/efa";
inline constexpr std::string_view k_instance_type_label = "node.kubernetes.io/instance-type";
/// Where the agent finds the ranks' output: rules of log_monitoring need it.
inline constexpr std::string_view k_agent_log_folder = "/tmp/hyperpod";

struct JobSpec {
  ClusterTarget cluster;
  std::string name;
  std::string space;
  std::string image;
  std::string script;
  std::vector<std::string> arguments;
  std::int64_t nodes = 1;
  std::int64_t gpus_per_node = 0;
  std::int64_t efa_per_node = 0;
  std::string instance_type;  ///< "ml.p5.48xlarge"
  std::map<std::string, std::string> env;
  std::optional<std::string> cpu;
  std::optional<std::string> memory;
  std::int64_t max_restarts = 0;
  std::optional<RestartPolicy> restart_policy;
  std::vector<LogRule> log_monitoring;
  std::optional<std::string> data_claim;  ///< Mounted at /data.
  bool data_read_only = false;
};
Type describe(JobSpec*);

/// Without what nodes and storage say: instance type, GPUs when they were left out, EFA, the claim.
JobSpec spec_of(const TrainingSubmit& request, ClusterTarget cluster);

/// The argv of each pod. One process a GPU, or one without.
std::vector<std::string> argv_of(const JobSpec& spec);

/// `gvk` is how the server spells the kind.
json::object job_object(const JobSpec& spec, const kube::GroupVersionKind& gvk,
                        std::string_view operation_id);

/// "cluster/<key>/job/<namespace>.<name>": a namespace holds no dot.
std::string job_subject(const ClusterTarget& cluster, std::string_view space, std::string_view name);
/// The longest name that a job of so many nodes may have: pods append "-pods-<n>", and a host's name has 63.
std::size_t longest_job_name(std::int64_t nodes);

}  // namespace instantstart::capabilities
