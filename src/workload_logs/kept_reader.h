// A follower's place in a kept log.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "workload_logs/kept_log.h"
#include "workload_logs/log_keeper.h"

namespace instantstart::workload_logs {

/// What `offset` means in a log; see LogKeeper::open for the errors.
Result<std::int64_t> place_in(const KeptLog& log, KeptLog::Which which, std::optional<std::int64_t> offset);

/// `offset` lies in the log. The keeper's parts outlive it.
std::unique_ptr<LogReader> read_kept(net::Timekeeper& time, asio::any_io_executor files,
                                     std::shared_ptr<KeptLog> log, KeptLog::Which which, std::int64_t offset);

}  // namespace instantstart::workload_logs
