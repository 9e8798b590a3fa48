#include "base/text.h"

#include <algorithm>

#include "base/utf8.h"

namespace instantstart {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::size_t allowed_distance(std::string_view a, std::string_view b) {
  return std::max<std::size_t>(1, std::max(a.size(), b.size()) / 3);
}

/// Optimal string alignment: an insertion, deletion, change or swap of neighbours costs 1. Case is free.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_back(b.size() + 1), back(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(two_back, back);
    std::swap(back, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({back[j] + 1, row[j - 1] + 1, back[j - 1] + (same ? 0 : 1)});
      const bool swapped =
          i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], two_back[j - 2] + 1);
    }
  }
  return row[b.size()];
}

/// The longest beginning of at most `max_bytes` bytes that doesn't split a code point.
std::string_view beginning(std::string_view text, std::size_t max_bytes) {
  std::size_t end = 0;
  while (end < text.size()) {
    const std::size_t next = end + first_code_point(text.substr(end)).bytes;
    if (next > max_bytes) break;
    end = next;
  }
  return text.substr(0, end);
}

}  // namespace

std::optional<std::string> nearest(std::string_view text, std::span<const std::string_view> candidates) {
  std::optional<std::string> best;
  std::size_t best_distance = 0;
  for (const auto candidate : candidates) {
    const std::size_t allowed = allowed_distance(text, candidate);
    const std::size_t difference =
        std::max(text.size(), candidate.size()) - std::min(text.size(), candidate.size());
    if (difference > allowed) continue;  // the distance can't be smaller; keeps huge texts cheap
    const std::size_t distance = edit_distance(text, candidate);
    if (distance <= allowed && (!best || distance < best_distance)) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::size_t code_points(std::string_view text) {
  std::size_t count = 0;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    count += point.valid ? 1 : point.bytes;
    text.remove_prefix(point.bytes);
  }
  return count;
}

std::string shortened(std::string_view text, std::size_t max_bytes) {
  constexpr std::string_view k_ellipsis = "…";
  if (text.size() <= max_bytes) return std::string(text);
  if (max_bytes < k_ellipsis.size()) return std::string(beginning(text, max_bytes));
  std::string result(beginning(text, max_bytes - k_ellipsis.size()));
  result += k_ellipsis;
  return result;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string joined;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) joined += separator;
    joined += parts[i];
  }
  return joined;
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string to_lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), lower);
  return result;
}

}  // namespace instantstart
