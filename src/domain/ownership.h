// Proof of ownership in AWS: the tags on everything that is made there.
#pragma once

#include <string_view>

namespace instantstart::domain {

inline constexpr std::string_view k_cluster_tag = "instantstart:cluster";  ///< The cluster's key.
inline constexpr std::string_view k_operation_tag =
    "instantstart:operation";  ///< The operation that made it.

}  // namespace instantstart::domain
