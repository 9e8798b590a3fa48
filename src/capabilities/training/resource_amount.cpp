#include "capabilities/training/resource_amount.h"

#include <charconv>
#include <map>

#include <fmt/core.h>

namespace instantstart::capabilities {

std::optional<double> parse_amount(std::string_view text) {
  static const std::map<std::string_view, double> suffixes{
      {"", 1},        {"n", 1e-9},    {"u", 1e-6},    {"m", 1e-3},   {"k", 1e3},     {"M", 1e6},
      {"G", 1e9},     {"T", 1e12},    {"P", 1e15},    {"E", 1e18},   {"Ki", 1024.0}, {"Mi", 1048576.0},
      {"Gi", 0x1p30}, {"Ti", 0x1p40}, {"Pi", 0x1p50}, {"Ei", 0x1p60}};
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || number < 0) return std::nullopt;
  const auto suffix = suffixes.find(text.substr(static_cast<std::size_t>(end - text.data())));
  if (suffix == suffixes.end()) return std::nullopt;
  return number * suffix->second;
}

std::string bytes_in_words(double bytes) {
  if (bytes >= 0x1p40) return fmt::format("{:.1f} TiB", bytes / 0x1p40);
  if (bytes >= 0x1p30) return fmt::format("{:.1f} GiB", bytes / 0x1p30);
  return fmt::format("{:.0f} MiB", bytes / 0x1p20);
}

}  // namespace instantstart::capabilities
