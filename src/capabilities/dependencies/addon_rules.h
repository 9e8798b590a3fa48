// What may be concluded from an EKS add-on, and in which words. Pure.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "capabilities/dependencies/component_seen.h"

namespace instantstart::capabilities {

enum class AddonCondition {
  absent,
  ready,
  progressing,
  waiting_for_nodes,  ///< It lacks nothing but nodes.
  short_of_replicas,  ///< There are nodes, and its pods don't run.
  degraded,           ///< Something is wrong that doesn't pass by itself.
  failed,             ///< EKS gave up.
  going,
};

AddonCondition condition_of(const AddonSeen& seen);

/// A sentence for each issue; what EKS said comes behind our words.
std::vector<std::string> words_of(const AddonSeen& seen);

/// "v1.20.4-eksbuild.2": numbers compare as numbers.
std::strong_ordering compare_addon_versions(std::string_view a, std::string_view b);

}  // namespace instantstart::capabilities
