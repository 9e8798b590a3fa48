// Why a HyperPod cluster or group failed: its failure message, its events and the log of the lifecycle script
// joined to one cause, with what to look at next. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/describe.h"
#include "base/error.h"
#include "capabilities/clusters/hyperpod.h"

namespace instantstart::capabilities {

struct ClusterEvent {
  std::string at;     ///< RFC 3339
  std::string level;  ///< "Warn" or "Error"
  std::string group;
  std::string instance_id;
  std::string text;
};
Type describe(ClusterEvent*);

/// The log that the lifecycle script writes to CloudWatch Logs.
struct LifecycleLog {
  std::string group;   ///< "/aws/sagemaker/Clusters/demo/abc123"
  std::string state;   ///< "present", "absent", "unreadable"; empty when nobody looked.
  std::string stream;  ///< "LifecycleConfig/workers/i-…"
  std::vector<std::string> last_lines;
};
Type describe(LifecycleLog*);

struct FailureFacts {
  std::string failure_message;       ///< SageMaker's, of the cluster.
  std::vector<ClusterEvent> events;  ///< Newest first.
  LifecycleLog log;
};

/// "/aws/sagemaker/Clusters/<name>/<id>", the id being the end of the ARN (HyperPod guide, "Cluster logs").
std::string log_group_of(std::string_view name, std::string_view arn);

/// An EC2 instance id in a sentence.
std::optional<std::string> instance_in(std::string_view text);

/// One of the causes of FailureView, from a sentence of AWS's; "unknown" when it says nothing we know.
std::string_view cause_of_text(std::string_view text);

FailureView explain(const FailureFacts& facts);

/// As the error of a step. Facts are in detail; the code is capacity_unavailable, quota_exceeded,
/// access_denied, blocked or upstream_error.
Error to_error(const FailureView& failure, std::string_view what);

}  // namespace instantstart::capabilities
