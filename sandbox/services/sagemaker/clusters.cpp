#include "sandbox/services/sagemaker/clusters.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sandbox/services/sagemaker/cluster_run.h"
#include "sandbox/services/sagemaker/errors.h"
#include "sandbox/services/sagemaker/groups.h"
#include "sandbox/services/sagemaker/images.h"
#include "sandbox/services/sagemaker/paging.h"

namespace instantstart::sandbox::sagemaker {
namespace {

std::vector<std::string> plans_of(const api::DescribeClusterResponse& cluster) {
  std::vector<std::string> plans;
  for (const auto& group : aws::items(cluster.instance_groups)) {
    if (group.training_plan_arn) plans.push_back(*group.training_plan_arn);
  }
  return plans;
}

bool is_wanted(const api::DescribeClusterResponse& cluster, const api::ListClustersRequest& in) {
  const auto plans = plans_of(cluster);
  return (!in.name_contains || cluster.cluster_name->contains(*in.name_contains)) &&
         (!in.creation_time_after || *cluster.creation_time > *in.creation_time_after) &&
         (!in.creation_time_before || *cluster.creation_time < *in.creation_time_before) &&
         (!in.training_plan_arn || std::ranges::find(plans, *in.training_plan_arn) != plans.end());
}

/// The worst of its groups.
std::string image_status_of(const api::DescribeClusterResponse& cluster) {
  std::string oldest(latest_release());
  for (const auto& group : aws::items(cluster.instance_groups)) {
    oldest = std::min(oldest, group.current_image_release_version.value_or(oldest));
  }
  return image_status(oldest);
}

api::ClusterSummary summary_of(const api::DescribeClusterResponse& cluster) {
  api::ClusterSummary summary{.cluster_arn = cluster.cluster_arn,
                              .cluster_name = cluster.cluster_name,
                              .creation_time = cluster.creation_time,
                              .cluster_status = cluster.cluster_status,
                              .image_version_status = image_status_of(cluster)};
  if (auto plans = plans_of(cluster); !plans.empty()) summary.training_plan_arns = std::move(plans);
  return summary;
}

}  // namespace

Reply<api::DescribeClusterResponse> describe_cluster(State& state, const Call& call,
                                                     const api::DescribeClusterRequest& in) {
  const auto key = find_cluster(state, call, *in.cluster_name);
  if (!key) return std::unexpected(key.error());
  return shown(state, *key);
}

Reply<api::ListClustersResponse> list_clusters(State& state, const Call& call,
                                               const api::ListClustersRequest& in) {
  std::vector<std::pair<std::string, api::ClusterSummary>> wanted;
  for (const auto& [key, cluster] : state.clusters.starting_with(cluster_key(call.region, ""))) {
    if (!is_wanted(cluster, in)) continue;
    const auto made = cluster.creation_time->time.time_since_epoch().count();
    wanted.emplace_back(
        in.sort_by == "NAME" ? *cluster.cluster_name : fmt::format("{:020}{}", made, *cluster.cluster_name),
        summary_of(cluster));
  }
  auto page = page_of(std::move(wanted), in, in.sort_order == "Descending");
  if (!page) return std::unexpected(std::move(page.error()));
  return api::ListClustersResponse{.next_token = std::move(page->next_token),
                                   .cluster_summaries = std::move(page->items)};
}

Reply<api::DeleteClusterResponse> delete_cluster(State& state, const Call& call,
                                                 const api::DeleteClusterRequest& in) {
  const auto key = find_cluster(state, call, *in.cluster_name);
  if (!key) return std::unexpected(key.error());
  const auto& cluster = *state.clusters.find(*key);
  const std::string arn = *cluster.cluster_arn;
  if (cluster.cluster_status != "InService" && cluster.cluster_status != "Failed") {
    return conflict(fmt::format("Cluster {} is {} and can not be deleted now.", *cluster.cluster_name,
                                *cluster.cluster_status));
  }
  begin_deletion(state, *key);
  return api::DeleteClusterResponse{.cluster_arn = arn};
}

}  // namespace instantstart::sandbox::sagemaker
