#include "app/fault_points.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <string>

#include <fmt/ranges.h>

namespace instantstart::app {
namespace {

constexpr std::array<std::string_view, 7> k_points{"after_accept", "before_intent", "after_intent",
                                                   "before_act",   "after_act",     "after_receipt",
                                                   "before_finish"};

}  // namespace

Result<operations::FaultPoint> die_at(std::string_view specification) {
  const auto colon = specification.find(':');
  const std::string point(specification.substr(0, colon));
  std::int64_t times = 1;
  if (colon != std::string_view::npos) {
    const std::string_view digits = specification.substr(colon + 1);
    const auto [end, failure] = std::from_chars(digits.begin(), digits.end(), times);
    if (failure != std::errc() || end != digits.end() || times < 1) {
      return fail("invalid_request", "--die-at takes POINT or POINT:NUMBER.");
    }
  }
  if (std::ranges::find(k_points, point) == k_points.end()) {
    return fail("invalid_request",
                fmt::format("There is no point '{}'; there are {}.", point, fmt::join(k_points, ", ")));
  }
  return [point, left = times](std::string_view passed, std::string_view, std::string_view) mutable {
    if (passed == point && --left == 0) std::raise(SIGKILL);
  };
}

}  // namespace instantstart::app
