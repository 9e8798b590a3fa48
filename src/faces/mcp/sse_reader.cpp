#include "faces/mcp/sse_reader.h"

#include <utility>

#include "base/error_codes.h"

namespace instantstart::faces {

Result<std::vector<std::string>> SseReader::feed(std::string_view bytes) {
  std::vector<std::string> events;
  for (const char byte : bytes) {
    const bool paired = std::exchange(after_return_, byte == '\r') && byte == '\n';
    if (paired) continue;
    if (byte == '\r' || byte == '\n') {
      end_line(events);
    } else {
      line_ += byte;
    }
    if (line_.size() + data_.size() > max_) {
      return fail(codes::body_too_large, "An event of the stream is too long.");
    }
  }
  return events;
}

void SseReader::end_line(std::vector<std::string>& events) {
  const std::string line = std::exchange(line_, {});
  if (line.empty()) {
    if (has_data_) events.push_back(std::exchange(data_, {}));
    has_data_ = false;
    return;
  }
  constexpr std::string_view k_data = "data:";
  if (!line.starts_with(k_data)) return;
  std::string_view value = std::string_view(line).substr(k_data.size());
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (has_data_) data_ += '\n';
  data_ += value;
  has_data_ = true;
}

}  // namespace instantstart::faces
