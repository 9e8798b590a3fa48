#include "sandbox/services/s3/byte_range.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include <fmt/format.h>

namespace instantstart::sandbox::s3 {
namespace {

std::optional<std::size_t> number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failure == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

}  // namespace

Reply<std::optional<ByteRange>> read_range(const std::optional<std::string>& header, std::size_t size) {
  constexpr std::string_view k_unit = "bytes=";
  if (!header || !header->starts_with(k_unit)) return std::nullopt;
  const std::string_view text = std::string_view(*header).substr(k_unit.size());
  const auto dash = text.find('-');
  if (dash == std::string_view::npos || text.contains(',')) return std::nullopt;
  const auto first = number(text.substr(0, dash));
  const auto last = number(text.substr(dash + 1));
  const std::string_view first_text = text.substr(0, dash);
  const std::string_view last_text = text.substr(dash + 1);
  const bool is_suffix = first_text.empty() && last;
  const bool is_plain = first && (last_text.empty() || (last && *last >= *first));
  if (!is_suffix && !is_plain) return std::nullopt;
  if (size == 0 || (is_suffix && *last == 0) || (is_plain && *first >= size)) {
    return fault("InvalidRange", "The requested range is not satisfiable", 416,
                 {{"RangeRequested", *header}, {"ActualObjectSize", fmt::to_string(size)}});
  }
  if (is_suffix) return ByteRange{size - std::min(*last, size), size - 1};
  return ByteRange{*first, last ? std::min(*last, size - 1) : size - 1};
}

std::string content_range(const ByteRange& range, std::size_t size) {
  return fmt::format("bytes {}-{}/{}", range.first, range.last, size);
}

}  // namespace instantstart::sandbox::s3
