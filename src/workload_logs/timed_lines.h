// A container's log as the API server sends it with timestamps=true: each line begins with its time. This
// takes the times off again and knows, by them, where the reading stands: the server can be asked for lines
// since a second, and what of that second was taken before is left out here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace instantstart::workload_logs {

/// Up to where a stream was taken.
struct StreamCursor {
  std::string time;  ///< Of the line that was taken last, whole or in part, as it came; "": nothing was.
  std::int64_t lines = 0;  ///< Whole lines that came last, in a row, with this time.
  std::int64_t part = 0;   ///< Bytes of the line after them, which is not at its end.

  bool operator==(const StreamCursor&) const = default;
};

/// -1, 0 or 1 as `a` is before, at or after `b`. Times of one node, which all have the same number of digits.
int compare_times(std::string_view a, std::string_view b);

class TimedLines {
 public:
  /// `from` is the cursor that reading stood at; the stream begins at its second or before.
  explicit TimedLines(StreamCursor from);

  /// The new bytes in `piece`, which was split anywhere.
  std::string take(std::string_view piece);
  const StreamCursor& cursor() const { return cursor_; }
  /// What was taken last was not in the stream any more: something between may be missing.
  bool gap() const { return gap_; }

 private:
  enum class At { time, new_text, known_text };

  void begin_line(std::string_view time);
  void take_text(std::string_view text, std::string& fresh);
  void end_line();
  void not_found();

  StreamCursor cursor_;
  bool seeking_;
  bool gap_ = false;
  bool counted_ = false;   ///< The line has a time.
  std::int64_t seen_ = 0;  ///< Lines of the cursor's time that were passed over while seeking.
  std::int64_t skip_ = 0;  ///< Bytes of this line that were taken before.
  At at_ = At::time;
  std::string time_;
};

}  // namespace instantstart::workload_logs
