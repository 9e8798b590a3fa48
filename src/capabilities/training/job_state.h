// From a job's object and its pods to what a user is told. Pure; total: all of it is foreign text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "capabilities/training/training.h"

namespace instantstart::capabilities {

/// Whether a pod is one of the job's: by our label, by its owner, or by a name that the operator gives.
bool is_pod_of(const json::object& pod, const json::object& job);

/// `events` are the job's: once a job runs again its status tells no more why it was restarted.
JobView job_view(const json::object& job, const std::vector<json::object>& pods,
                 const std::vector<json::object>& events = {});
/// From the job alone.
JobSummary job_summary(const json::object& job);

/// Its ranks ran at least once.
bool has_run(const json::object& job, const std::vector<json::object>& pods);

/// "2 pods pending: Insufficient nvidia.com/gpu"; one line a reason, most pods first.
std::vector<std::string> pending_in_words(const std::vector<json::object>& pods, std::int64_t wanted);

}  // namespace instantstart::capabilities
