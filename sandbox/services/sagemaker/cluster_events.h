// The events of a cluster: what ListClusterEvents tells.
#pragma once

#include <optional>
#include <string>

#include "sandbox/services/sagemaker/state.h"

namespace instantstart::sandbox::sagemaker {

struct EventSpec {
  std::string level = "Info";  ///< "Warn", "Error"
  std::string description;
  std::string group = {};        ///< Empty: of the cluster.
  std::string instance_id = {};  ///< Empty: of the group or cluster.
  api::EventMetadata metadata = {};
  std::string operation_id = {};  ///< Empty: the group's latest, if it has one.
};
/// Nothing is kept of a cluster without continuous provisioning: it has no events.
void tell(State& state, const std::string& cluster_key, EventSpec spec);
/// About one node, with its ENIs.
void tell_node(State& state, const std::string& node_key, std::string level, std::string description,
               std::optional<std::string> failure = std::nullopt,
               std::optional<std::string> script_state = std::nullopt);
void forget_events(State& state, const std::string& cluster_key);

Reply<api::ListClusterEventsResponse> list_cluster_events(State& state, const Call& call,
                                                          const api::ListClusterEventsRequest& in);
Reply<api::DescribeClusterEventResponse> describe_cluster_event(State& state, const Call& call,
                                                                const api::DescribeClusterEventRequest& in);

}  // namespace instantstart::sandbox::sagemaker
