#include "sandbox/services/sagemaker/node_lists.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sandbox/services/sagemaker/errors.h"
#include "sandbox/services/sagemaker/images.h"
#include "sandbox/services/sagemaker/paging.h"

namespace instantstart::sandbox::sagemaker {
namespace {

using api::ClusterNodeDetails;

api::ClusterNodeSummary summary_of(const ClusterNodeDetails& node, bool with_logical_id) {
  api::ClusterNodeSummary summary{.instance_group_name = node.instance_group_name,
                                  .instance_id = node.instance_id.value_or(""),
                                  .instance_type = node.instance_type,
                                  .launch_time = node.launch_time,
                                  .last_software_update_time = node.last_software_update_time,
                                  .instance_status = node.instance_status,
                                  .private_dns_hostname = node.private_dns_hostname,
                                  .current_image_release_version = node.current_image_release_version};
  if (with_logical_id) summary.node_logical_id = node.node_logical_id;
  if (node.current_image_release_version) {
    summary.image_version_status = image_status(*node.current_image_release_version);
  }
  return summary;
}

bool is_wanted(const ClusterNodeDetails& node, const api::ListClusterNodesRequest& in) {
  if (!node.instance_id && !in.include_node_logical_ids.value_or(false)) return false;
  return (!in.instance_group_name_contains ||
          node.instance_group_name->contains(*in.instance_group_name_contains)) &&
         (!in.creation_time_after || *node.launch_time > *in.creation_time_after) &&
         (!in.creation_time_before || *node.launch_time < *in.creation_time_before);
}

}  // namespace

Reply<api::ListClusterNodesResponse> list_cluster_nodes(State& state, const Call& call,
                                                        const api::ListClusterNodesRequest& in) {
  const auto key = find_cluster(state, call, *in.cluster_name);
  if (!key) return std::unexpected(key.error());
  const bool logical = in.include_node_logical_ids.value_or(false);
  if (logical && !is_continuous(*state.clusters.find(*key))) {
    return validation("IncludeNodeLogicalIds requires NodeProvisioningMode Continuous.");
  }
  std::vector<std::pair<std::string, api::ClusterNodeSummary>> wanted;
  for (const auto& [node_key, node] : state.nodes.starting_with(*key + "/")) {
    if (!is_wanted(node, in)) continue;
    const auto launched = node.launch_time->time.time_since_epoch().count();
    wanted.emplace_back(in.sort_by == "NAME" ? fmt::format("{}/{}", *node.instance_group_name, node_key)
                                             : fmt::format("{:020}{}", launched, node_key),
                        summary_of(node, logical));
  }
  auto page = page_of(std::move(wanted), in, in.sort_order == "Descending");
  if (!page) return std::unexpected(std::move(page.error()));
  return api::ListClusterNodesResponse{.next_token = std::move(page->next_token),
                                       .cluster_node_summaries = std::move(page->items)};
}

Reply<api::DescribeClusterNodeResponse> describe_cluster_node(State& state, const Call& call,
                                                              const api::DescribeClusterNodeRequest& in) {
  const auto key = find_cluster(state, call, *in.cluster_name);
  if (!key) return std::unexpected(key.error());
  if (in.node_id.has_value() == in.node_logical_id.has_value()) {
    return validation("Exactly one of NodeId and NodeLogicalId must be specified.");
  }
  for (const auto& [node_key, node] : state.nodes.starting_with(*key + "/")) {
    const bool named =
        in.node_id ? node.instance_id == in.node_id : node.node_logical_id == in.node_logical_id;
    if (!named) continue;
    ClusterNodeDetails details = node;
    if (details.current_image_release_version) {
      details.image_version_status = image_status(*details.current_image_release_version);
    }
    if (!is_continuous(*state.clusters.find(*key))) details.node_logical_id.reset();
    return api::DescribeClusterNodeResponse{.node_details = std::move(details)};
  }
  return fault("ResourceNotFound",
               fmt::format("Node {} does not exist in cluster {}.",
                           in.node_id ? *in.node_id : *in.node_logical_id, *in.cluster_name));
}

}  // namespace instantstart::sandbox::sagemaker
