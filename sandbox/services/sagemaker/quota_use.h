// HyperPod's service quotas, held against what clusters are to have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/services/sagemaker/state.h"

namespace instantstart::sandbox::sagemaker {

/// So many more instances that a request asks for. What a training plan has reserved is not in here.
struct Demand {
  std::string type;
  bool spot = false;
  std::int64_t more = 0;
};
/// `in_cluster`: what the cluster of the request has already. ResourceLimitExceeded in AWS's words.
std::optional<AwsFault> refuse_demand(const State& state, std::string_view region,
                                      const std::vector<Demand>& demands, std::int64_t in_cluster);
/// GB of one volume.
std::optional<AwsFault> refuse_volume(const State& state, std::string_view region, std::int64_t size_gb);

bool is_spot(const api::ClusterInstanceGroupDetails& group);
/// What the group adds to the account's use when it grows by `more`.
std::vector<Demand> demand_of(const api::ClusterInstanceGroupDetails& group, std::int64_t more);

}  // namespace instantstart::sandbox::sagemaker
