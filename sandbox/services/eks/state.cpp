#include "sandbox/services/eks/state.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "sandbox/services/eks/errors.h"

namespace instantstart::sandbox::eks {

Type describe(ClusterInternals*) {
  using C = ClusterInternals;
  return object_type<C>(
      "ClusterInternals", "What DescribeCluster doesn't show of a cluster.",
      {field<&C::id>("id", "Part of the endpoint and of the issuer."), field<&C::region>("region", "Where."),
       field<&C::name>("name", "Its name."), field<&C::creator_arn>("creator_arn", "Who made it."),
       field<&C::signing_key>("signing_key", "Signs the tokens of its service accounts.", {.secret = true}),
       field<&C::bootstraps_creator>("bootstraps_creator", "Whether its maker is its administrator."),
       field<&C::bootstraps_addons>("bootstraps_addons", "Whether it begins with the default add-ons."),
       field<&C::interfaces>("interfaces", "Its network interfaces in the user's subnets."),
       field<&C::failure_code>("failure_code", "How its creation is going to fail."),
       field<&C::failure_message>("failure_message", "The failure's message."),
       field<&C::update_failure_code>("update_failure_code", "How the update is going to fail."),
       field<&C::update_failure_message>("update_failure_message", "The failure's message.")});
}

Type describe(AddonInternals*) {
  using A = AddonInternals;
  return object_type<A>(
      "AddonInternals", "What DescribeAddon doesn't show of an add-on.",
      {field<&A::cluster_key>("cluster_key", "Its cluster."),
       field<&A::overwrite>("overwrite", "Whether it takes fields that others own."),
       field<&A::preserve>("preserve", "Whether its deletion leaves what is in the cluster."),
       field<&A::polls>("polls", "How often its health was asked since its last change."),
       field<&A::failure_code>("failure_code", "How its creation is going to fail."),
       field<&A::failure_message>("failure_message", "The failure's message."),
       field<&A::update_key>("update_key", "The update under way.")});
}

Type describe(TagSet*) {
  return object_type<TagSet>("TagSet", "The tags of one resource.",
                             {field<&TagSet::tags>("tags", "Values by key.")});
}

Type describe(TokenUse*) {
  return object_type<TokenUse>("TokenUse", "A client request token that was used.",
                               {field<&TokenUse::token>("token", "The token."),
                                field<&TokenUse::parameters>("parameters", "Digest of the request."),
                                field<&TokenUse::made>("made", "Key of what it made.")});
}

State::State(World& the_world, iam::Iam& the_iam, ec2::Network& the_network, ControlPlaneHost& the_host,
             LimitsSource the_limits)
    : world(the_world),
      iam(the_iam),
      network(the_network),
      host(the_host),
      limits(std::move(the_limits)),
      clusters(world, "eks.cluster"),
      cluster_internals(world, "eks.cluster_internals"),
      cluster_targets(world, "eks.cluster_target"),
      addons(world, "eks.addon"),
      addon_internals(world, "eks.addon_internals"),
      addon_targets(world, "eks.addon_target"),
      access_entries(world, "eks.access_entry"),
      access_policies(world, "eks.access_policy"),
      pod_identities(world, "eks.pod_identity"),
      updates(world, "eks.update"),
      update_tokens(world, "eks.update_token"),
      creation_tokens(world, "eks.creation_token"),
      tags(world, "eks.tags") {}

std::string cluster_key(std::string_view region, std::string_view name) { return regional_id(region, name); }

std::string child_key(std::string_view cluster_key, std::string_view rest) {
  return fmt::format("{}/{}", cluster_key, rest);
}

aws::Timestamp timestamp(WallTime time) { return {std::chrono::floor<std::chrono::seconds>(time)}; }

Reply<const aws::eks::Cluster*> find_cluster(const State& state, std::string_view region,
                                             std::string_view name) {
  const auto* cluster = state.clusters.find(cluster_key(region, name));
  if (cluster) return cluster;
  return not_found(fmt::format("No cluster found for name: {}.", name));
}

const ClusterInternals* find_cluster_by_id(const State& state, std::string_view id) {
  for (const auto& [key, internals] : state.cluster_internals) {
    if (internals.id == id) return &internals;
  }
  return nullptr;
}

}  // namespace instantstart::sandbox::eks
