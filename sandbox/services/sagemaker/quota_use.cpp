#include "sandbox/services/sagemaker/quota_use.h"

#include <map>

#include <fmt/format.h>

#include "sandbox/services/sagemaker/instance_choice.h"

namespace instantstart::sandbox::sagemaker {
namespace {

constexpr std::string_view k_of_cluster =
    "Maximum number of instances allowed per SageMaker HyperPod cluster";
constexpr std::string_view k_of_account =
    "Total number of instances allowed across SageMaker HyperPod clusters";
constexpr std::string_view k_of_spot =
    "Total number of Spot instances allowed across SageMaker HyperPod clusters";
constexpr std::string_view k_of_volume =
    "Maximum size of EBS volume in GB for a SageMaker HyperPod cluster instance";

struct Use {
  std::map<std::string, std::int64_t> by_quota;
  std::int64_t all = 0;
  std::int64_t spot = 0;
};

std::string quota_name(std::string_view type, bool spot) {
  return spot ? fmt::format("{} for cluster spot instance usage", type) : cluster_usage_name(type);
}

/// What all clusters of the region are to have.
Use use_in(const State& state, std::string_view region) {
  Use use;
  for (const auto& [key, cluster] : state.clusters.starting_with(cluster_key(region, ""))) {
    if (cluster.cluster_status == "Failed" || cluster.cluster_status == "Deleting") continue;
    for (const auto& group : aws::items(cluster.instance_groups)) {
      const std::int64_t count = group.target_count.value_or(0);
      use.all += count;
      if (is_spot(group)) use.spot += count;
      const auto types = types_of(group);
      if (!group.training_plan_arn && !types.empty()) {
        use.by_quota[quota_name(types.front(), is_spot(group))] += count;
      }
    }
  }
  return use;
}

std::optional<AwsFault> refuse(const State& state, std::string_view region, std::string_view name,
                               std::int64_t used, std::int64_t more) {
  const auto limit =
      static_cast<std::int64_t>(state.others.quotas.applied_by_name(region, "sagemaker", name));
  if (more <= 0 || used + more <= limit) return std::nullopt;
  return AwsFault{
      .code = "ResourceLimitExceeded",
      .message = fmt::format(
          "The account-level service limit '{}' is {} Instances, with current utilization of {} Instances "
          "and "
          "a request delta of {} Instances. Please use AWS Service Quotas to request an increase for this "
          "quota. If AWS Service Quotas is not available, contact AWS support to request an increase for "
          "this "
          "quota.",
          name, limit, used, more)};
}

}  // namespace

std::optional<AwsFault> refuse_demand(const State& state, std::string_view region,
                                      const std::vector<Demand>& demands, std::int64_t in_cluster) {
  const Use use = use_in(state, region);
  std::map<std::string, std::int64_t> wanted;
  std::int64_t more = 0;
  std::int64_t spot = 0;
  for (const auto& demand : demands) {
    more += demand.more;
    if (demand.spot) spot += demand.more;
    if (!demand.type.empty()) wanted[quota_name(demand.type, demand.spot)] += demand.more;
  }
  for (const auto& [name, count] : wanted) {
    const auto found = use.by_quota.find(name);
    const std::int64_t used = found == use.by_quota.end() ? 0 : found->second;
    if (auto refusal = refuse(state, region, name, used, count)) return refusal;
  }
  if (auto refusal = refuse(state, region, k_of_cluster, in_cluster, more)) return refusal;
  if (auto refusal = refuse(state, region, k_of_account, use.all, more)) return refusal;
  return refuse(state, region, k_of_spot, use.spot, spot);
}

std::optional<AwsFault> refuse_volume(const State& state, std::string_view region, std::int64_t size_gb) {
  const auto limit = state.others.quotas.applied_by_name(region, "sagemaker", k_of_volume);
  if (static_cast<double>(size_gb) <= limit) return std::nullopt;
  return AwsFault{
      .code = "ResourceLimitExceeded",
      .message = fmt::format("The account-level service limit '{}' is {} GB; {} GB were requested.",
                             k_of_volume, limit, size_gb)};
}

bool is_spot(const api::ClusterInstanceGroupDetails& group) {
  return group.capacity_requirements && group.capacity_requirements->spot;
}

std::vector<Demand> demand_of(const api::ClusterInstanceGroupDetails& group, std::int64_t more) {
  const auto types = types_of(group);
  // Plans have their instances whatever the quota of the type is.
  const bool counts = !group.training_plan_arn && !types.empty();
  return {{.type = counts ? types.front() : "", .spot = is_spot(group), .more = more}};
}

}  // namespace instantstart::sandbox::sagemaker
