// Training jobs: a PyTorch script on many nodes, run by the HyperPod training operator (HyperPodPyTorchJob).
//
// The operator hands ranks to the agents (`hyperpodrun`) in the pods, restarts crashed ranks without new
// pods, and counts each restart against a budget; when that is used up, the job fails.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "aws/accounts.h"
#include "base/describe.h"
#include "base/error.h"
#include "capabilities/storage/storage.h"
#include "capabilities/training/job_progress.h"
#include "contract/action.h"
#include "domain/cluster_key.h"
#include "domain/container_image.h"
#include "domain/names.h"
#include "fleet/fleet.h"
#include "kube/eks_clusters.h"
#include "operations/kind.h"

namespace instantstart::workload_logs {
class LogKeeper;
}

namespace instantstart::capabilities {

/// The name of a job; with what the operator appends it must still be a pod's name.
struct JobName : Text<JobName> {};
using domain::ImageName;
/// An absolute path in the container, "/data/train.py".
struct ScriptPath : Text<ScriptPath> {};
/// One element of an argv. It is never split and never seen by a shell.
struct ScriptArgument : Text<ScriptArgument> {};
/// An amount as Kubernetes writes it: "500m", "64Gi".
struct ResourceAmount : Text<ResourceAmount> {};

enum class LogCondition { gt, lt, eq, gteq, lteq };

/// What each pod's agent watches in the standard output of its local rank 0. The condition is the bad case.
struct LogRule {
  std::string name;
  std::string pattern;  ///< Of lines, from their beginning on.
  std::optional<std::string> stop_pattern;
  std::optional<std::int64_t> expected_start_seconds;
  std::optional<std::int64_t> expected_recurring_seconds;
  std::optional<LogCondition> condition;
  std::optional<std::int64_t> threshold;  ///< Of the number that the pattern's group finds.
  std::optional<std::int64_t> data_points;
};

/// Limits within windows of time; beside the limit of all restarts.
struct RestartPolicy {
  std::int64_t window_seconds = 21'600;
  std::optional<std::int64_t> restarts_before_full;
  std::optional<std::int64_t> max_full_restarts;
};

struct TrainingSubmit {
  domain::ClusterReference cluster;
  JobName name;
  NamespaceName space{{"default"}};
  ImageName image;
  ScriptPath script;
  std::vector<ScriptArgument> arguments;
  std::int64_t nodes = 1;
  std::optional<std::int64_t> gpus_per_node;
  std::optional<domain::InstanceType> instance_type;
  std::map<std::string, std::string> env;
  std::optional<ResourceAmount> cpu;
  std::optional<ResourceAmount> memory;
  std::int64_t max_restarts = 10;
  std::optional<RestartPolicy> restart_policy;
  std::vector<LogRule> log_monitoring;
};

struct JobList {
  domain::ClusterReference cluster;
  std::optional<NamespaceName> space;
};

struct JobGet {
  domain::ClusterReference cluster;
  JobName name;
  NamespaceName space{{"default"}};
};

struct JobDelete {
  domain::ClusterReference cluster;
  JobName name;
  NamespaceName space{{"default"}};
  bool foreign = false;
};

enum class JobState {
  pending,   ///< Some of its pods are not there, or not started.
  starting,  ///< Its pods run; the ranks don't yet.
  running,
  restarting,  ///< A rank failed, and the operator brings the ranks back.
  succeeded,
  failed,
  suspended,  ///< Held back, by a queue or a person.
  stopping,   ///< It is being deleted.
};

enum class JobPodState { pending, running, succeeded, failed, unknown };

struct JobPodView {
  std::string name;
  std::optional<std::int64_t> node_rank;
  JobPodState state = JobPodState::unknown;
  std::optional<std::string> node;
  std::int64_t container_restarts = 0;
  std::optional<std::string> reason;  ///< Why it is not running.
};

struct RestartBudget {
  std::optional<std::int64_t> limit;  ///< Of all restarts; absent: the operator's own.
  std::int64_t used = 0;
  std::optional<std::int64_t> left;
  std::optional<std::int64_t> window_seconds;
  std::optional<std::int64_t> window_limit;  ///< Restarts within a window before a full one.
  std::int64_t window_used = 0;
  std::optional<std::int64_t> full_limit;  ///< Restarts of the whole job.
  std::int64_t full_used = 0;
};

/// The pods that failed last.
struct FaultView {
  std::optional<std::string> restart_type;
  std::vector<std::int64_t> ranks;
  std::vector<std::string> pods;
  std::vector<std::string> instances;
};

/// What a rule of log_monitoring found: "hang" (silence), "slow" or "fault".
struct LogFinding {
  std::string kind;
  std::string rule;
};

struct JobSummary {
  std::string name;
  std::string space;
  JobState state = JobState::pending;
  std::string owner;  ///< "instantstart" or "other".
  std::int64_t nodes = 0;
  std::int64_t gpus = 0;  ///< Of all nodes.
  std::optional<std::string> instance_type;
  std::int64_t restarts = 0;
  std::optional<std::string> reason;
  std::optional<std::string> created_at;
  std::optional<std::string> ended_at;
};

struct JobListAnswer {
  std::string cluster;  ///< By key.
  std::vector<JobSummary> jobs;
  std::optional<std::string> next_cursor;
};

struct JobView {
  std::string name;
  std::string space;
  JobState state = JobState::pending;
  std::vector<std::string> reasons;  ///< In words, for whatever isn't running or succeeded.
  std::string owner;
  std::optional<std::string> operation_id;  ///< That submitted it.
  std::int64_t nodes = 0;
  std::int64_t gpus_per_node = 0;
  std::optional<std::string> instance_type;
  std::string image;
  std::vector<std::string> command;
  std::vector<JobPodView> pods;  ///< By rank, at most k_most_pods_shown.
  std::int64_t pods_running = 0;
  RestartBudget restarts;
  std::optional<std::string> failure;
  std::optional<LogFinding> log_finding;
  std::optional<FaultView> latest_fault;
  std::optional<JobProgress> progress;
  std::optional<std::string> created_at;
  std::optional<std::string> started_at;  ///< Its first pod, of those that are there.
  std::optional<std::string> ended_at;
};

struct JobGetAnswer {
  std::string cluster;
  JobView job;
  std::vector<NextAction> next;
};

Type describe(JobName*);
Type describe(ScriptPath*);
Type describe(ScriptArgument*);
Type describe(ResourceAmount*);
Type describe(LogCondition*);
Type describe(LogRule*);
Type describe(RestartPolicy*);
Type describe(TrainingSubmit*);
Type describe(JobList*);
Type describe(JobGet*);
Type describe(JobDelete*);
Type describe(JobState*);
Type describe(JobPodState*);
Type describe(JobPodView*);
Type describe(RestartBudget*);
Type describe(FaultView*);
Type describe(LogFinding*);
Type describe(JobSummary*);
Type describe(JobListAnswer*);
Type describe(JobView*);
Type describe(JobGetAnswer*);

inline constexpr std::size_t k_most_pods_shown = 1'000;

/// Operation kinds; equal to the actions that start them.
inline constexpr std::string_view k_training_submit = "training_submit";
inline constexpr std::string_view k_job_delete = "job_delete";

/// The rows of the contract but for job_logs. All outlive the table; null where rows are only read. Without a
/// keeper of logs there is no progress.
std::vector<contract::Action> training_actions(aws::Accounts* accounts, fleet::Fleet* fleet,
                                               kube::EksClusters* clusters, workload_logs::LogKeeper* keeper);

/// The operation and step kinds behind them. All outlive the registry's engine; the keeper may be null. The
/// kinds of dependencies must be there too: a job's plan uses their steps for the operator.
void add_training_kinds(operations::KindRegistry& kinds, aws::Accounts& accounts, kube::EksClusters& clusters,
                        workload_logs::LogKeeper* keeper);

/// The plans, for operations that run these as a part. Nothing is changed.
Task<contract::Plan> plan_training_submit(aws::Accounts& accounts, fleet::Fleet& fleet,
                                          kube::EksClusters& clusters, contract::Caller caller,
                                          TrainingSubmit request);
Task<contract::Plan> plan_job_delete(aws::Accounts& accounts, fleet::Fleet& fleet,
                                     kube::EksClusters& clusters, contract::Caller caller, JobDelete request);

}  // namespace instantstart::capabilities
