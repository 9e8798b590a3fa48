#include "faces/mcp/revision.h"

#include <array>
#include <utility>

namespace instantstart::faces {
namespace {

constexpr std::array k_names = {
    std::pair(Revision::r2024_11_05, std::string_view("2024-11-05")),
    std::pair(Revision::r2025_03_26, std::string_view("2025-03-26")),
    std::pair(Revision::r2025_06_18, std::string_view("2025-06-18")),
    std::pair(Revision::r2025_11_25, std::string_view("2025-11-25")),
    std::pair(Revision::r2026_07_28, k_modern_revision),
};

}  // namespace

std::string_view revision_name(Revision revision) {
  for (const auto& [each, name] : k_names) {
    if (each == revision) return name;
  }
  std::unreachable();
}

std::optional<Revision> find_revision(std::string_view name) {
  for (const auto& [each, known] : k_names) {
    if (known == name) return each;
  }
  return std::nullopt;
}

}  // namespace instantstart::faces
