#include "workload_logs/merged_lines.h"

namespace instantstart::workload_logs {

MergedLines merged_lines(std::string_view from, std::string_view prefix, bool at_end) {
  MergedLines merged;
  const auto add = [&](std::size_t length, std::string_view more) {
    merged.text += prefix;
    merged.text += from.substr(merged.used, length);
    merged.text += more;
    merged.used += length;
  };
  while (merged.used < from.size()) {
    const auto rest = from.substr(merged.used);
    auto end = rest.substr(0, k_longest_merged_line).find_first_of("\r\n");
    if (end == std::string_view::npos) {
      if (rest.size() >= k_longest_merged_line) {
        add(k_longest_merged_line, "\n");
        continue;
      }
      if (at_end) add(rest.size(), "\n");
      break;
    }
    if (rest[end] == '\r') {
      if (end + 1 == rest.size() && !at_end) break;
      if (end + 1 < rest.size() && rest[end + 1] == '\n') ++end;
    }
    add(end + 1, "");
  }
  return merged;
}

}  // namespace instantstart::workload_logs
