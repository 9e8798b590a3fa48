// Instance groups: their counts, their states, and what describes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sandbox/services/sagemaker/state.h"

namespace instantstart::sandbox::sagemaker {

struct NodeCounts {
  std::int64_t all = 0;        ///< Those being terminated as well.
  std::int64_t running = 0;    ///< Joined, whatever their health; without those whose deep checks run.
  std::int64_t instances = 0;  ///< With an instance that isn't being terminated.
  std::int64_t checking = 0;
};
/// Of one group, or of all when it is empty.
NodeCounts count_nodes(const State& state, const std::string& cluster_key, std::string_view group);

/// As DescribeCluster shows the cluster.
api::DescribeClusterResponse shown(const State& state, const std::string& cluster_key);

/// What a request's group becomes, without what is worked out.
api::ClusterInstanceGroupDetails group_of(const api::ClusterInstanceGroupSpecification& spec);
/// An event about what a group's count is to become, of a new operation.
void tell_scaling(State& state, const std::string& cluster_key, const std::string& group, std::int64_t from);

}  // namespace instantstart::sandbox::sagemaker
