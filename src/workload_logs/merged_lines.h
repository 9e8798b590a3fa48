// The lines of one container among those of others.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace instantstart::workload_logs {

/// A longer line is cut into several.
inline constexpr std::size_t k_longest_merged_line = std::size_t{64} << 10;

struct MergedLines {
  std::string text;      ///< Whole lines, each after the prefix.
  std::size_t used = 0;  ///< How much of `from` they are; the rest is the beginning of a line.
};

/// A line ends at "\n", "\r\n" or "\r", and keeps what ended it. A "\r" at the end of `from` waits for what
/// follows. What is cut, or left at the end of the log (`at_end`), gets a "\n".
MergedLines merged_lines(std::string_view from, std::string_view prefix, bool at_end);

}  // namespace instantstart::workload_logs
