// What a job's containers wrote, through the keeper of logs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aws/accounts.h"
#include "base/describe.h"
#include "base/time.h"
#include "capabilities/storage/storage.h"
#include "capabilities/training/training.h"
#include "contract/action.h"
#include "domain/cluster_key.h"
#include "fleet/fleet.h"
#include "kube/eks_clusters.h"
#include "workload_logs/log_keeper.h"

namespace instantstart::capabilities {

struct JobLogs {
  domain::ClusterReference cluster;
  JobName name;
  NamespaceName space{{"default"}};
  std::optional<std::int64_t> rank;
  std::optional<std::int64_t> attempt;
  bool previous = false;
  std::optional<std::int64_t> offset;
  std::optional<std::int64_t> tail_bytes;
  std::int64_t max_bytes = 5'000;  ///< An agent's answer with all else in it has 8 KiB.
  std::int64_t wait_seconds = 0;
};

struct JobLogStream {
  std::string pod;
  std::string container;
  std::optional<std::int64_t> rank;
  std::int64_t attempt = 0;
  std::int64_t bytes = 0;
  bool ended = false;
  bool incomplete = false;
};

struct JobLogsAnswer {
  std::string cluster;  ///< By key.
  std::string job;
  std::string space;
  std::optional<std::int64_t> attempt;  ///< Of the run that was read; absent for the lines of all.
  std::int64_t offset = 0;              ///< Of the text's first byte.
  std::string text;                     ///< Made valid UTF-8; offsets count the bytes as they were written.
  std::int64_t next_offset = 0;
  std::int64_t first_offset = 0;
  std::int64_t size = 0;
  bool ended = false;
  std::vector<JobLogStream> streams;
  std::int64_t stream_count = 0;
  std::optional<std::string> problem;
};

Type describe(JobLogs*);
Type describe(JobLogStream*);
Type describe(JobLogsAnswer*);

inline constexpr std::int64_t k_most_log_bytes = 262'144;
inline constexpr std::int64_t k_most_log_wait = 45;
inline constexpr std::size_t k_most_log_streams = 8;

/// The beginning of `bytes`, which may be cut anywhere, as valid UTF-8: what is none becomes U+FFFD. A
/// character that is cut off at the end stays for the next time, unless nothing comes after it. The text
/// takes at most `most` bytes as JSON, so that no face has to cut it.
struct ReadableText {
  std::string text;
  std::size_t used = 0;
};
ReadableText readable(std::string_view bytes, bool at_end, std::size_t most);

/// What is kept of a job that was submitted here: its pods have our label.
workload_logs::LogSubject log_subject_of(const fleet::ClusterRecord& cluster, std::string space,
                                         std::string job);
workload_logs::LogName log_name_of(const domain::ClusterKey& cluster, std::string space, std::string job);

/// Of any other: its pods are those that the job controls.
workload_logs::LogSubject foreign_log_subject_of(const fleet::ClusterRecord& cluster, std::string space,
                                                 std::string job);

/// From now on, if it is not already: a job that was made elsewhere is known only once somebody asks. A log
/// that had ended is taken up again when the job was made anew, unless its reader `goes_on` from an offset.
/// Error `not_found` for a job that neither is there nor was.
Task<> keep_job_log(aws::Accounts& accounts, kube::EksClusters& clusters, workload_logs::LogKeeper& keeper,
                    fleet::ClusterRecord cluster, workload_logs::LogName name, bool goes_on,
                    net::Deadline deadline);

/// The row job_logs. All outlive the table; null where rows are only read.
contract::Action job_logs_action(aws::Accounts* accounts, fleet::Fleet* fleet, kube::EksClusters* clusters,
                                 workload_logs::LogKeeper* keeper, const Clock* clock);

}  // namespace instantstart::capabilities
