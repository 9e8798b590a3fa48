// How other simulated services write logs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace instantstart::sandbox::logs {

class LogWriter {
 public:
  virtual ~LogWriter() = default;
  /// Adds lines, all of the present moment, to a stream. Group and stream are made when they are not there.
  /// Durable with the world's next commit.
  virtual void append(std::string_view region, std::string_view group, std::string_view stream,
                      const std::vector<std::string>& lines) = 0;
};

}  // namespace instantstart::sandbox::logs
