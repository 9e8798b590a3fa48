// One log: its files, how much of them counts, and who waits for more. Bytes come in from the containers'
// streams, are put on the disk and counted in the store, and only then are seen by readers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "base/log.h"
#include "net/signal.h"
#include "net/time.h"
#include "store/database.h"
#include "workload_logs/log_files.h"
#include "workload_logs/log_keeper.h"
#include "workload_logs/log_rows.h"

namespace instantstart::workload_logs {

/// What logs share; all of it outlives them.
struct LogParts {
  asio::any_io_executor loop;
  asio::any_io_executor files;
  net::Timekeeper& time;
  Log log;
  store::Database& database;
  OpenCluster open_cluster;
  LogKeeperOptions options;
};

/// Of a run of a container, as its pod tells it.
struct RunName {
  std::string pod;
  std::string pod_uid;
  std::string container;
  std::int64_t attempt = 0;
};

/// Loop thread only; held by the keeper and by readers.
class KeptLog {
 public:
  KeptLog(const LogParts& parts, StoredLog stored);

  const LogRow& row() const { return row_; }
  LogView view() const;

  // --- for readers: the stream with this index, or the lines of all
  using Which = std::optional<std::size_t>;
  std::int64_t end(Which which) const;
  std::int64_t first(Which which) const;
  bool ended(Which which) const;
  bool forgotten() const { return forgotten_; }
  Result<Which> choose(const LogChoice& choice) const;
  Task<std::shared_ptr<LogFile>> file(Which which);
  net::Signal& grown() { return grown_; }

  // --- for the follower
  /// Makes the folder and takes off what was written but not counted. Before anything is added.
  Task<> prepare();
  std::size_t stream_of(const RunName& run, std::optional<std::int64_t> rank, bool several);
  std::size_t stream_count() const { return streams_.size(); }
  const StreamRow& stream(std::size_t index) const { return streams_[index].row; }
  /// Up to where it was added to, counted or not.
  const StreamCursor& cursor(std::size_t index) const { return streams_[index].cursor; }
  /// Waits while too much waits for the disk.
  asio::awaitable<void> add(std::size_t index, std::string bytes, StreamCursor cursor);
  void end_stream(std::size_t index, bool incomplete);
  /// Something of it is lost; the stream goes on.
  void mark_incomplete(std::size_t index);
  bool is_ending(std::size_t index) const { return streams_[index].ending; }
  void set_error(std::optional<Error> error);
  /// Writes what comes until it is cancelled. Failures of the disk and the store are waited out.
  asio::awaitable<void> write();
  /// Returns when all that was added is counted.
  asio::awaitable<void> written();
  /// The workload has ended; all is counted.
  Task<> end();
  Task<> take_up(LogSubject subject);
  Task<> set_finishing();
  /// Readers are told; the rows are gone.
  void forget();

  std::filesystem::path folder() const { return parts_.options.folder / row_.key; }

 private:
  struct Stream {
    StreamRow row;         ///< As the store has it.
    StreamCursor cursor;   ///< With what waits.
    std::string pending;   ///< Waits for the disk.
    std::string unmerged;  ///< The beginning of a line.
    bool ending = false;
    bool incomplete = false;
    bool dirty = false;
    std::shared_ptr<LogFile> file;
  };
  /// What is written and counted together. Belongs to the disk's thread while that works on it.
  struct Item {
    std::size_t index = 0;
    std::int64_t at = 0;
    std::string bytes;
    StreamRow row;
    std::shared_ptr<LogFile> file;
  };
  struct Batch {
    std::vector<Item> items;
    std::string merged;
    std::int64_t merged_at = 0;
    LogRow row;
    std::shared_ptr<LogFile> merged_file;
    bool drops = false;  ///< What is before `first` is to be given back.
  };

  std::shared_ptr<Batch> take_batch();
  void stay_within_limit(Batch& batch);
  Task<> put(std::shared_ptr<Batch> batch);
  void publish(Batch& batch);
  static Result<> write_files(const std::filesystem::path& folder, Batch& batch);
  static Result<> drop_bytes(const std::filesystem::path& folder, const Batch& batch);
  bool is_dirty() const;

  const LogParts& parts_;
  LogRow row_;
  std::vector<Stream> streams_;
  std::map<std::tuple<std::string, std::string, std::int64_t>, std::size_t>
      by_run_;  ///< Pod's uid, container.
  std::shared_ptr<LogFile> merged_file_;
  std::size_t pending_bytes_ = 0;
  bool writing_ = false;
  bool forgotten_ = false;
  std::optional<Error> error_;        ///< Of the cluster.
  std::optional<Error> write_error_;  ///< Of the disk or the store.
  net::Signal grown_;
  net::Signal added_;
  net::Signal written_;
};

std::string file_name(KeptLog::Which which, std::int64_t number);

}  // namespace instantstart::workload_logs
