// Keeps what the containers of workloads write: for as long as the keeper's folder lives, whether or not the
// pods and the server do. There is one stream from the API server per container, however many follow it;
// followers read files.
//
// Each run of a container has a file with exactly its bytes. One more file has the lines of all of them, each
// after "[pod] " ("[pod/container] " where a pod has several): a line ends at "\n", "\r\n" or "\r", or after
// 64 KiB. The place of a byte in a file never changes, so an offset is a cursor. What is on disk is kept in
// step with the store: bytes first, then the row that counts them. After a crash the bytes without a row are
// cut off, and the stream goes on at the row.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <boost/asio/any_io_executor.hpp>

#include "base/log.h"
#include "base/random.h"
#include "kube/eks_clusters.h"
#include "net/task.h"
#include "net/time.h"
#include "store/database.h"
#include "workload_logs/log_subject.h"

namespace instantstart::workload_logs {

struct LogKeeperOptions {
  std::filesystem::path folder;  ///< Made with mode 0700. Empty: nothing can be followed.
  /// Of one workload, on disk. Beyond it the oldest bytes are dropped: half is for the lines of all, half for
  /// the containers. Offsets stay as they are; see first_offset.
  std::int64_t most_bytes = std::int64_t{1} << 30;
};

/// What is read: without a choice, the lines of all.
struct LogChoice {
  std::optional<std::string> pod = {};
  std::optional<std::int64_t> rank = {};
  std::optional<std::string> container = {};
  /// A run of the container; absent: the latest at the time of opening.
  std::optional<std::int64_t> attempt = {};
  bool previous = false;  ///< The run before that.

  bool all() const { return !pod && !rank && !container && !attempt && !previous; }
};

/// One follower's place in a log. May outlive the keeper's `stop`, not the keeper.
class LogReader {
 public:
  virtual ~LogReader() = default;

  /// At least one byte and at most `most` (and never more than 64 KiB), as soon as there are any; nullopt
  /// when the log has ended. Cancellation loses nothing. Errors: `not_found` once it was forgotten,
  /// `conflict` when what comes next was dropped meanwhile (detail "first_offset"), `state_unusable`.
  virtual Task<std::optional<std::string>> next(std::size_t most) = 0;
  /// The same, but an empty text when nothing came by the deadline.
  virtual Task<std::optional<std::string>> next(std::size_t most, net::Deadline deadline) = 0;

  virtual std::int64_t offset() const = 0;  ///< Of the next byte.
  virtual std::int64_t end() const = 0;     ///< Where the log ends by now.
  virtual std::int64_t first_offset() const = 0;
  virtual bool ended() const = 0;                           ///< Nothing will be added.
  virtual std::optional<std::int64_t> attempt() const = 0;  ///< Of the run; nullopt for the lines of all.
};

/// How clusters are reached: EksClusters::open.
using OpenCluster = std::function<Task<std::shared_ptr<kube::EksCluster>>(kube::EksClusterId, net::Deadline)>;

/// Loop thread only. Await `stop` before it is destroyed. The database must be migrated.
class LogKeeper {
 public:
  /// `files` runs what waits for the disk: another thread, or the loop in a simulation. All that is given
  /// outlives this.
  LogKeeper(asio::any_io_executor loop, asio::any_io_executor files, net::Timekeeper& time, Random& random,
            Log log, store::Database& database, OpenCluster open_cluster, LogKeeperOptions options);
  ~LogKeeper();
  LogKeeper(const LogKeeper&) = delete;
  LogKeeper& operator=(const LogKeeper&) = delete;

  static std::span<const store::Migration> migrations();

  /// Goes on with what had not ended.
  Task<> start();
  asio::awaitable<void> stop();

  /// From now on, durably. Doing it again changes nothing; a subject that had ended is taken up again, and
  /// selector, owner and profile are taken over. What the containers wrote before is fetched as far as the
  /// nodes have it. Errors: `state_unusable` without a folder, or when it can't be used.
  Task<> follow(LogSubject subject);
  /// The workload is over: what is still to be read is read, then the log ends. Unknown ones are no error.
  Task<> finish(LogName name);
  /// Deletes what is kept. Unknown ones are no error.
  Task<> forget(LogName name);

  /// nullopt: it was never followed, or was forgotten.
  Task<std::optional<LogView>> look(LogName name);

  /// `offset` absent begins at the first byte that is kept; negative counts from the end. Errors: `not_found`
  /// when there is no such log, or no such stream (yet); `conflict` when what is there was dropped (detail
  /// "first_offset"); `invalid_request` beyond its end.
  Task<std::unique_ptr<LogReader>> open(LogName name, LogChoice choice, std::optional<std::int64_t> offset);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace instantstart::workload_logs
