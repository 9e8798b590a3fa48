// The plans of submitting and deleting a job, from what was seen. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "capabilities/dependencies/dependency_plan.h"
#include "capabilities/training/job_object.h"
#include "capabilities/training/job_seen.h"
#include "contract/plan.h"

namespace instantstart::capabilities {

inline constexpr std::string_view k_operator_component = "training_operator";

struct SubmitFacts {
  TrainingSubmit request;
  ClusterTarget cluster;
  bool namespace_exists = true;
  std::vector<TrainingNode> nodes;    ///< Of HyperPod, that have joined.
  std::vector<TrainingGroup> groups;  ///< Of HyperPod.
  std::optional<TypeFacts> type;      ///< Of the chosen type, where none of its nodes has joined.
  std::optional<std::string> data_claim;
  bool data_read_only = false;
  std::vector<SeenComponent> components;  ///< The operator, and what it needs.
};

/// The type that the job's nodes have, "ml.p5.48xlarge": the wanted one, else that of the first group with
/// GPUs, else of the first group. nullopt: the cluster has no groups and no nodes.
std::optional<std::string> choose_instance_type(const SubmitFacts& facts);

struct SettledJob {
  JobSpec spec;
  std::vector<std::string> warnings;  ///< What may become true later.
};

/// With all that nodes and storage say. Error `invalid_request` with everything that can't be, all at once.
Result<SettledJob> settle(const SubmitFacts& facts);

/// Errors: `name_taken`, with the differences; `conflict` when the operator can't be installed.
Result<contract::Plan> plan_submit(const SubmitFacts& facts, const SettledJob& settled, const JobSeen& seen);

struct DeleteFacts {
  ClusterTarget cluster;
  std::string space;
  std::string name;
  bool foreign = false;
  JobSeen seen;  ///< It exists.
};
/// Error `blocked` for a job that was not submitted here, unless that is wanted.
Result<contract::Plan> plan_delete(const DeleteFacts& facts);

}  // namespace instantstart::capabilities
