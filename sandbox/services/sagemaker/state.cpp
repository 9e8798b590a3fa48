#include "sandbox/services/sagemaker/state.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "sandbox/services/sagemaker/errors.h"

namespace instantstart::sandbox::sagemaker {

Type describe(ClusterInternals*) {
  using C = ClusterInternals;
  return object_type<C>(
      "ClusterInternals", "What DescribeCluster doesn't show of a cluster.",
      {field<&C::region>("region", "Where."), field<&C::name>("name", "Its name."),
       field<&C::id>("id", "The end of its ARN."),
       field<&C::eks_cluster_id>("eks_cluster_id", "The id of its EKS cluster."),
       field<&C::kubernetes_version>("kubernetes_version", "Of the EKS cluster."),
       field<&C::set_up>("set_up", "Whether its nodes were asked for."),
       field<&C::rolls_back_creation>("rolls_back_creation", "Whether it ends as Failed."),
       field<&C::events>("events", "How many events it had."),
       field<&C::failure_message>("failure_message", "How its creation is going to fail.")});
}

Type describe(GroupInternals*) {
  using G = GroupInternals;
  return object_type<G>("GroupInternals", "What DescribeCluster doesn't show of a group.",
                        {field<&G::ready>("ready", "Whether it was InService once."),
                         field<&G::deleting>("deleting", "Whether it is being deleted."),
                         field<&G::failed>("failed", "Whether its least count was not reached in time."),
                         field<&G::degraded>("degraded", "Whether an instance could not be had lately."),
                         field<&G::operation_id>("operation_id", "Of its latest change."),
                         field<&G::failure_code>("failure_code", "Why instances can't be had."),
                         field<&G::failure_message>("failure_message", "The same in words.")});
}

Type describe(NodePhase*) {
  using enum NodePhase;
  return enum_type<NodePhase>("NodePhase", "Where a node is on its way.",
                              {{requested, {"requested", "There is no instance yet."}},
                               {starting, {"starting", "The instance boots."}},
                               {lifecycle, {"lifecycle", "It runs the lifecycle script."}},
                               {deep_check, {"deep_check", "Deep health checks run."}},
                               {running, {"running", "It works."}},
                               {draining, {"draining", "Its pods are evicted."}},
                               {rebooting, {"rebooting", "The instance boots again."}},
                               {updating, {"updating", "It gets another image."}},
                               {stopping, {"stopping", "The instance is being terminated."}},
                               {failed, {"failed", "It is lost."}}});
}

Type describe(NodeInternals*) {
  using N = NodeInternals;
  return object_type<N>(
      "NodeInternals", "What DescribeClusterNode doesn't show of a node.",
      {field<&N::cluster_key>("cluster_key", "Its cluster."), field<&N::group>("group", "Its group."),
       field<&N::phase>("phase", "Where it is on its way."),
       field<&N::joined>("joined", "Whether it is a node of Kubernetes."),
       field<&N::subnet_id>("subnet_id", "Where it is."),
       field<&N::interfaces>("interfaces", "Its network interfaces."),
       field<&N::fault>("fault", "What is wrong with it."),
       field<&N::recovery>("recovery", "What is being done about it."),
       field<&N::next_version>("next_version", "Of the image that it gets."),
       field<&N::zones>("zones", "Where it may be."), field<&N::types>("types", "What it may be.")});
}

Type describe(SoftwareUpdate*) {
  using S = SoftwareUpdate;
  return object_type<S>("SoftwareUpdate", "An update of images under way.",
                        {field<&S::versions>("versions", "Wanted, by group."),
                         field<&S::image_id>("image_id", "The wanted image, where one was named."),
                         field<&S::batch_count>("batch_count", "Instances at once."),
                         field<&S::batch_percent>("batch_percent", "Instances at once, in percent."),
                         field<&S::wait_seconds>("wait_seconds", "Between batches.")});
}

Type describe(TagSet*) {
  return object_type<TagSet>("TagSet", "The tags of one resource.",
                             {field<&TagSet::tags>("tags", "Values by key.")});
}

Type describe(TokenUse*) {
  return object_type<TokenUse>(
      "TokenUse", "A client token that was used.",
      {field<&TokenUse::parameters>("parameters", "Digest of the request."),
       field<&TokenUse::answer>("answer", "What was answered."), field<&TokenUse::at_ms>("at_ms", "When.")});
}

Type describe(Beginning*) {
  return object_type<Beginning>("Beginning", "When the account was made.",
                                {field<&Beginning::at_ms>("at_ms", "Milliseconds since 1970.")});
}

State::State(World& the_world, Neighbours the_neighbours)
    : world(the_world),
      others(the_neighbours),
      clusters(world, "sagemaker.cluster"),
      cluster_internals(world, "sagemaker.cluster_internals"),
      software_updates(world, "sagemaker.software_update"),
      groups(world, "sagemaker.group"),
      nodes(world, "sagemaker.node"),
      node_internals(world, "sagemaker.node_internals"),
      events(world, "sagemaker.event"),
      tokens(world, "sagemaker.token"),
      tags(world, "sagemaker.tags"),
      beginning(world, "sagemaker.beginning") {}

std::string cluster_key(std::string_view region, std::string_view name) { return regional_id(region, name); }

std::string child_key(std::string_view cluster_key, std::string_view rest) {
  return fmt::format("{}/{}", cluster_key, rest);
}

aws::Timestamp timestamp(WallTime time) { return {time}; }

Reply<std::string> find_cluster(const State& state, const Call& call, const std::string& name_or_arn) {
  std::string key = cluster_key(call.region, name_or_arn);
  if (state.clusters.contains(key)) return key;
  for (const auto& [other, cluster] : state.clusters.starting_with(cluster_key(call.region, ""))) {
    if (cluster.cluster_arn == name_or_arn) return other;
  }
  return fault("ResourceNotFound", fmt::format("Cluster with name or ARN {} does not exist.", name_or_arn));
}

bool is_continuous(const api::DescribeClusterResponse& cluster) {
  return cluster.node_provisioning_mode == "Continuous";
}

const api::ClusterInstanceGroupDetails* find_group(const api::DescribeClusterResponse& cluster,
                                                   std::string_view name) {
  const auto& groups = aws::items(cluster.instance_groups);
  const auto found =
      std::ranges::find_if(groups, [name](const auto& group) { return group.instance_group_name == name; });
  return found == groups.end() ? nullptr : &*found;
}

std::vector<std::string> node_keys(const State& state, const std::string& cluster_key,
                                   std::string_view group) {
  std::vector<std::string> keys;
  for (const auto& [key, node] : state.node_internals.starting_with(cluster_key + "/")) {
    if (group.empty() || node.group == group) keys.push_back(key);
  }
  return keys;
}

}  // namespace instantstart::sandbox::sagemaker
