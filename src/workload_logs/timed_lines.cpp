#include "workload_logs/timed_lines.h"

#include <algorithm>
#include <utility>

#include "base/time.h"

namespace instantstart::workload_logs {
namespace {

/// "2026-11-30T19:35:29.000000000+00:00" and some room.
constexpr std::size_t k_longest_time = 40;

bool is_time(std::string_view text) { return parse_rfc3339(text).has_value(); }

}  // namespace

int compare_times(std::string_view a, std::string_view b) {
  if (a == b) return 0;
  // The time zone of the node may have changed between the two; milliseconds are not always enough.
  const auto left = parse_rfc3339(a);
  const auto right = parse_rfc3339(b);
  if (left && right && *left != *right) return *left < *right ? -1 : 1;
  return a < b ? -1 : 1;
}

TimedLines::TimedLines(StreamCursor from) : cursor_(std::move(from)), seeking_(!cursor_.time.empty()) {}

std::string TimedLines::take(std::string_view piece) {
  std::string fresh;
  while (!piece.empty()) {
    if (at_ == At::time) {
      const auto end = piece.find_first_of(" \n");
      const auto length = std::min(end, piece.size());
      time_ += piece.substr(0, length);
      piece.remove_prefix(length);
      const bool complete = end != std::string_view::npos;
      if (!complete && time_.size() <= k_longest_time) return fresh;
      const bool timed = complete && piece.front() == ' ' && is_time(time_);
      const std::string text = std::exchange(time_, "");
      if (timed) piece.remove_prefix(1);
      begin_line(timed ? std::string_view(text) : "");
      if (!timed) take_text(text, fresh);
      continue;
    }
    const auto end = piece.find('\n');
    const auto length = end == std::string_view::npos ? piece.size() : end + 1;
    take_text(piece.substr(0, length), fresh);
    piece.remove_prefix(length);
    if (end != std::string_view::npos) end_line();
  }
  return fresh;
}

/// Without a time it is either the end of a line that began before what was asked for, or a word of the
/// kubelet itself, which is not in the log and comes only once.
void TimedLines::begin_line(std::string_view time) {
  counted_ = !time.empty();
  at_ = At::new_text;
  skip_ = 0;
  if (!counted_) {
    if (seeking_) at_ = At::known_text;
    return;
  }
  if (seeking_) {
    const int order = compare_times(time, cursor_.time);
    if (order < 0 || (order == 0 && seen_ < cursor_.lines)) {
      at_ = At::known_text;
      if (order == 0) ++seen_;
      return;
    }
    if (order == 0) {
      seeking_ = false;
      skip_ = cursor_.part;
      return;
    }
    not_found();
  }
  if (time != cursor_.time) cursor_ = {.time = std::string(time)};
}

/// A line after the cursor's time has come. That is as it should be when the last line was taken whole.
void TimedLines::not_found() {
  seeking_ = false;
  gap_ = seen_ < cursor_.lines || cursor_.part > 0;
}

void TimedLines::take_text(std::string_view text, std::string& fresh) {
  if (at_ == At::known_text) return;
  const auto known = std::min<std::int64_t>(skip_, std::ssize(text));
  skip_ -= known;
  text.remove_prefix(static_cast<std::size_t>(known));
  fresh += text;
  if (counted_) cursor_.part += std::ssize(text);
}

void TimedLines::end_line() {
  if (at_ == At::new_text && counted_) {
    ++cursor_.lines;
    cursor_.part = 0;
  }
  at_ = At::time;
}

}  // namespace instantstart::workload_logs
