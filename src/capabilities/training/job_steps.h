// The step kinds of training: their inputs, their decisions (pure, tested as tables) and their makers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "capabilities/training/job_object.h"
#include "capabilities/training/job_reader.h"
#include "capabilities/training/job_seen.h"
#include "operations/step.h"

namespace instantstart::capabilities {

inline constexpr std::string_view k_job_step = "training_job";
inline constexpr std::string_view k_job_logs_step = "training_job_logs";
inline constexpr std::string_view k_job_start_step = "training_job_start";
inline constexpr std::string_view k_job_removal_step = "training_job_removal";

/// Which job shall go.
struct JobRemovalInput {
  ClusterTarget cluster;
  std::string space;
  std::string name;
  std::string uid;  ///< The very job that was looked at.
  bool foreign = false;
};

/// "create" or "delete", and then of this uid.
struct JobRequest {
  std::string call;
  std::string uid;
};

Type describe(JobRemovalInput*);
Type describe(JobRequest*);

operations::Decision choose_job(const std::string& operation_id, const JobSpec& input, const JobSeen& seen,
                                const operations::History& history);
operations::Decision choose_job_start(const JobSpec& input, const JobSeen& seen);
/// `only_operation`: nothing goes but what that one made (an undo).
operations::Decision choose_job_removal(const std::optional<std::string>& only_operation,
                                        const JobRemovalInput& input, const JobSeen& seen,
                                        const operations::History& history);

/// The keeper may be null: nothing is kept then.
std::unique_ptr<const operations::StepKind> job_step(JobReader reader);
std::unique_ptr<const operations::StepKind> job_logs_step(workload_logs::LogKeeper* keeper);
std::unique_ptr<const operations::StepKind> job_start_step(JobReader reader);
std::unique_ptr<const operations::StepKind> job_removal_step(JobReader reader);

}  // namespace instantstart::capabilities
