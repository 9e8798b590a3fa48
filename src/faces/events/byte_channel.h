// One follower's source of bytes on a socket: reads no further ahead than one frame, and only on credit.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/log.h"
#include "faces/events/byte_source.h"
#include "net/signal.h"
#include "net/task_group.h"

namespace instantstart::faces {

/// Loop thread only. Await `stop` before it is destroyed.
class ByteChannel {
 public:
  /// `wake` is notified when there is something to take. All that is given by reference must outlive this.
  ByteChannel(asio::any_io_executor executor, net::Timekeeper& time, Log log, net::Signal& wake,
              std::int32_t channel, std::string topic, std::int64_t credit);

  void start(ByteSourceOpener open, SourceRequest request);
  asio::awaitable<void> stop() { return group_.stop(); }
  bool has_ended() const { return group_.size() == 0; }

  const std::string& topic() const { return topic_; }
  /// False when it would hold more than k_most_credit.
  bool add_credit(std::int64_t bytes);

  /// What the client is to be told next; `last`: nothing comes after it.
  struct Said {
    std::string frame;
    bool binary = false;
    bool last = false;
  };
  std::optional<Said> take();

 private:
  asio::awaitable<void> run(ByteSourceOpener open, SourceRequest request);
  asio::awaitable<void> read(ByteSource& source, const std::string& request_id);
  asio::awaitable<void> say(Said said);

  net::Signal& wake_;
  std::int32_t channel_;
  std::string topic_;
  std::int64_t credit_;
  std::optional<Said> said_;
  net::Signal changed_;  ///< Credit came, or what was said was taken.
  net::TaskGroup group_;
};

}  // namespace instantstart::faces
