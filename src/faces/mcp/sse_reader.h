// Reads server-sent events (WHATWG HTML, 9.2) from bytes in pieces of any size: the data of each event. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace instantstart::faces {

class SseReader {
 public:
  explicit SseReader(std::size_t max_event_bytes) : max_(max_event_bytes) {}

  /// The data of every event that these bytes complete; events without data don't count. Error
  /// `body_too_large` for a line or an event that is too long; nothing can be read after that.
  Result<std::vector<std::string>> feed(std::string_view bytes);

 private:
  void end_line(std::vector<std::string>& events);

  std::size_t max_;
  std::string line_;
  std::string data_;
  bool has_data_ = false;
  bool after_return_ = false;  // the last byte was CR: an LF that follows belongs to it
};

}  // namespace instantstart::faces
