// What containers printed, in the world: so logs outlive the sandbox's process. Of each run of a container
// the last MiB is kept, of each container the runs now and before.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/http.h"
#include "net/signal.h"
#include "sandbox/core/world.h"
#include "sandbox/kubernetes/api/node_access.h"

namespace instantstart::sandbox::kubernetes {

inline constexpr std::size_t k_log_limit = 1024 * 1024;

/// Lines as the kubelet keeps them: "2026-11-30T19:35:29.000000000Z text\n".
struct LogChunk {
  std::string text;
};
Type describe(LogChunk*);

/// One run of one container.
struct LogRun {
  std::string cluster;
  std::string pod_uid;
  std::string container;
  std::int64_t attempt = 0;
};

/// What of a log is asked for; as kubelet's LogOptions.
struct LogWindow {
  bool timestamps = false;
  std::optional<std::int64_t> tail_lines;
  std::optional<WallTime> since;
  std::optional<std::int64_t> limit_bytes;
};

/// The part of kept lines that is wanted, as it is shown.
std::string shown_lines(std::string_view kept, const LogWindow& window);

/// Loop thread only.
class ContainerLogs {
 public:
  explicit ContainerLogs(World& world);

  void append(const LogRun& run, const std::vector<std::string>& lines);
  /// A new run begins: that before the last goes.
  void begin(const LogRun& run);
  /// A run has ended: who follows it reads to the end.
  void ended() { changed_.notify(); }
  void forget_pod(std::string_view cluster, std::string_view pod_uid);
  void forget_cluster(std::string_view cluster);
  /// Followed while `is_running` says so.
  std::unique_ptr<net::BodyStream> open(LogRun run, LogWindow window, bool follow,
                                        std::function<bool()> is_running);

 private:
  class Stream;
  /// The text after a place, which is moved to the end.
  struct Place {
    std::string chunk;
    std::size_t offset = 0;
  };
  std::string read(const LogRun& run, Place& place) const;
  void erase(std::string_view prefix);

  World& world_;
  Collection<LogChunk> chunks_;
  net::Signal changed_;
};

}  // namespace instantstart::sandbox::kubernetes
