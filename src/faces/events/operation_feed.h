// One reader of the engine's events for all sockets: it encodes each event once a topic and wakes who follows
// it. Nobody waits for a slow follower: what is not kept any more is read again from the journal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "faces/events/control_frames.h"
#include "faces/events/topic.h"
#include "net/task.h"
#include "net/task_group.h"
#include "net/time.h"
#include "operations/engine.h"

namespace instantstart::faces {

struct FeedOptions {
  /// The first of what happens is told at once, what follows within this together in one frame.
  milliseconds window{100};
  std::int32_t events_a_frame = 64;
  std::size_t kept_bytes = 256 * 1024;        ///< Of frames of all operations.
  std::size_t kept_bytes_of_one = 32 * 1024;  ///< Of frames of one operation; there may be many.
};

/// Loop thread only. Await `stop` before it is destroyed.
class OperationFeed {
 public:
  /// All that is given must outlive this.
  OperationFeed(asio::any_io_executor executor, net::Timekeeper& time, Log log, operations::Engine& engine,
                FeedOptions options);

  /// Reads on from the newest event there is now.
  Task<> start();
  asio::awaitable<void> stop();

  /// The topic lives as long as somebody holds it. Errors: `not_found` when there is no such operation.
  Task<std::shared_ptr<Topic>> open(std::string name, OperationTopic topic);

  /// Where a follower begins: at the cursor, or at what is new from now on. `invalid_request` for a cursor
  /// ahead of the newest event: it was given by another store, and would hide what comes.
  Task<std::int64_t> begin_at(std::optional<std::int64_t> cursor);

  struct Piece {
    std::int64_t cursor = 0;      ///< Where the follower is afterwards.
    SharedFrame frame = nullptr;  ///< Null when nothing of the topic lay between.
  };
  /// What follows the cursor; the topic has more than nothing.
  Task<Piece> next(std::shared_ptr<Topic> topic, std::int64_t cursor);

 private:
  asio::awaitable<void> read_events();
  void publish(const std::vector<operations::Event>& events);
  void publish(Topic& topic, const std::vector<operations::Event>& events);
  asio::awaitable<void> refresh_views(std::vector<std::shared_ptr<Topic>> topics);
  std::vector<std::shared_ptr<Topic>> live_topics();

  net::Timekeeper& time_;
  Log log_;
  operations::Engine& engine_;
  FeedOptions options_;
  std::int64_t position_ = 0;  ///< The newest event that was looked at.
  std::map<std::string, std::weak_ptr<Topic>, std::less<>> topics_;
  net::TaskGroup group_;
};

}  // namespace instantstart::faces
