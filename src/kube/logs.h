// What containers write, as a stream of bytes.
// https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#get-read-log-of-the-specified-pod
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "kube/connection.h"
#include "kube/object.h"

namespace instantstart::kube {

/// No piece of a stream that is handed on is larger.
inline constexpr std::size_t k_max_piece_bytes = std::size_t{64} << 10;

struct LogOptions {
  std::string container = {};  ///< "" is the pod's only one, or its default.
  bool follow = false;         ///< Goes on until the container ends.
  bool previous = false;       ///< Of the container's run before the last restart.
  bool timestamps = false;     ///< Each line begins with an RFC 3339 time.
  std::optional<std::int64_t> tail_lines = {};
  std::optional<WallTime> since = {};  ///< Cut to seconds by the server.
  std::optional<std::int64_t> limit_bytes = {};
};

/// Pieces of at most k_max_piece_bytes, split anywhere; the reader holds the server back. The deadline ends
/// with the header. Errors: those of Connection::open; `unavailable` while the container is waiting to start.
Task<std::unique_ptr<net::ClientBodyStream>> open_logs(Connection& connection, ObjectName pod,
                                                       LogOptions options, net::Deadline header_deadline);

}  // namespace instantstart::kube
