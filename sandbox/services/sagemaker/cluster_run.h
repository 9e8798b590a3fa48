// A cluster's way from Creating to gone, and what follows for it from what its nodes do.
#pragma once

#include <string>
#include <string_view>

#include "sandbox/services/sagemaker/state.h"

namespace instantstart::sandbox::sagemaker {

/// Keys are those of clusters on their way.
inline constexpr std::string_view k_cluster_timer = "sagemaker.cluster";
void advance_cluster(State& state, const std::string& cluster_key);
/// Keys are those of groups whose least count is to be met.
inline constexpr std::string_view k_minimum_timer = "sagemaker.minimum";
void end_wait_for_minimum(State& state, const std::string& group_key);

/// After something has happened to a node: groups and the cluster become what follows from it.
void settle(State& state, const std::string& cluster_key);
/// Without continuous provisioning, one instance that can't be had fails the whole change: the cluster rolls
/// back, after its creation to Failed, after an update to InService with the instances that it has.
void fail_change(State& state, const std::string& cluster_key, const std::string& message);
void begin_deletion(State& state, const std::string& cluster_key);

void set_status(State& state, const std::string& cluster_key, std::string_view status);

}  // namespace instantstart::sandbox::sagemaker
