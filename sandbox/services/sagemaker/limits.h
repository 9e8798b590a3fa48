// Durations of HyperPod's state machines, as they are seen in accounts, and its fixed limits. Durations are
// divided by the world's scale.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace instantstart::sandbox::sagemaker {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

/// Before the first instance is asked for.
inline constexpr seconds k_time_to_set_up{150};
/// From asking for an instance to having it; the next ones follow one after another.
inline constexpr seconds k_time_to_launch{60};
inline constexpr seconds k_time_between_launches{3};
inline constexpr seconds k_time_to_boot{120};
inline constexpr seconds k_time_of_lifecycle_script{150};
/// "Deep health checks": one to two hours.
inline constexpr minutes k_time_of_deep_checks{75};
inline constexpr seconds k_time_to_stop{90};
/// After an instance could not be had, or its lifecycle script failed.
inline constexpr minutes k_time_to_retry{5};
/// MinInstanceCount is to be met in this time (API reference).
inline constexpr hours k_time_for_minimum{3};
/// Until the health monitoring agent has seen a fault.
inline constexpr seconds k_time_to_detect{60};
/// Spot: the notice before an instance is taken away (EC2 user guide).
inline constexpr seconds k_time_of_spot_notice{120};
/// Between two looks at whether a node is drained, and when that is given up.
inline constexpr seconds k_time_to_drain{60};
inline constexpr seconds k_time_to_reboot{240};
inline constexpr seconds k_time_to_update{300};

/// API reference: of one call, and the notes on BatchDeleteClusterNodes.
inline constexpr std::size_t k_most_deleted = 99;
inline constexpr std::size_t k_most_deleted_logical = 50;
inline constexpr std::size_t k_most_added = 50;
inline constexpr hours k_token_life{8};
inline constexpr std::size_t k_most_tags = 50;

}  // namespace instantstart::sandbox::sagemaker
