// Lines in and lines out over descriptors, bounded. For the bridge alone.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "net/signal.h"
#include "net/task.h"

namespace instantstart::faces {

/// Neither closes its descriptor. Loop thread only.
class LineReader {
 public:
  LineReader(asio::any_io_executor executor, int descriptor, std::size_t max_bytes);
  ~LineReader();

  struct Line {
    std::string text;       ///< Without its end (LF or CR LF).
    bool too_long = false;  ///< `text` is empty then; the whole line was skipped.
  };
  /// nullopt at the end. What stands before the end without a newline is a line.
  asio::awaitable<std::optional<Line>> next();
  /// Ends a `next` under way as if the input had ended.
  void stop();

 private:
  std::optional<Line> take();

  asio::posix::stream_descriptor stream_;
  std::size_t max_;
  std::string buffer_;
  bool skipping_ = false;
  bool ended_ = false;
};

class LineWriter {
 public:
  LineWriter(asio::any_io_executor executor, int descriptor);
  ~LineWriter();

  void write(std::string line);
  /// Writes what is queued until nothing is left, or nobody reads. One at a time.
  asio::awaitable<void> flush();
  bool broken() const { return broken_; }  ///< Nobody reads any more.
  bool has_more() const { return !queue_.empty(); }

 private:
  asio::posix::stream_descriptor stream_;
  std::deque<std::string> queue_;
  bool broken_ = false;
};

}  // namespace instantstart::faces
