// Logs of jobs as bytes that the events socket sends: topics "log/<cluster>/<namespace>/<job>", and with
// "/<rank>" what the latest run of that rank's pod writes. An offset is a place in that log (log_keeper.h).
#pragma once

#include <string_view>

#include "aws/accounts.h"
#include "faces/events/byte_source.h"
#include "fleet/fleet.h"
#include "kube/eks_clusters.h"
#include "workload_logs/log_keeper.h"

namespace instantstart::app {

inline constexpr std::string_view k_log_topic = "log/";

/// All outlive the opener and its sources. Errors of opening: `invalid_request` for a topic that can't be,
/// and those of keep_job_log and LogKeeper::open; of reading: those of LogReader::next.
faces::ByteSourceOpener log_source(aws::Accounts& accounts, fleet::Fleet& fleet, kube::EksClusters& clusters,
                                   workload_logs::LogKeeper& keeper, net::Timekeeper& time);

}  // namespace instantstart::app
