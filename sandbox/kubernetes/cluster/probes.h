// The probes of containers, by the names of their timers.
#pragma once

#include <string_view>

namespace instantstart::sandbox::kubernetes {

inline constexpr std::string_view k_startup = "startup";
inline constexpr std::string_view k_readiness = "probe";
inline constexpr std::string_view k_liveness = "live";

inline bool is_probe(std::string_view timer) {
  return timer == k_startup || timer == k_readiness || timer == k_liveness;
}

}  // namespace instantstart::sandbox::kubernetes
