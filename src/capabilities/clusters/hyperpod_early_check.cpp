#include <utility>

#include <fmt/core.h>

#include "base/error_codes.h"
#include "capabilities/clusters/cluster_place.h"
#include "capabilities/clusters/execution_role.h"
#include "capabilities/clusters/hyperpod.h"
#include "capabilities/clusters/hyperpod_preflight.h"
#include "capabilities/clusters/hyperpod_steps.h"
#include "domain/cluster_name.h"

namespace instantstart::capabilities {
namespace {

/// A HyperPod cluster of that name must be ours, and on the EKS cluster that will have this key.
Task<> check_name(aws::Client& client, ClusterTarget target, HyperpodCreate request, net::Deadline deadline) {
  auto name = request.name ? Result<std::string>(request.name->value)
                           : domain::hyperpod_name(domain::ClusterName{{target.name}});
  if (!name) co_return fail(name.error());
  auto role = execution_role_name(target);
  if (!role) co_return fail(role.error());
  auto seen = co_await look_at_hyperpod_cluster(client, target, *name, deadline);
  if (!seen) co_return fail(seen.error());
  if (!seen->exists || (seen->maker && seen->eks_arn == cluster_arn_of(target))) co_return Result<>{};
  co_return fail(
      hyperpod_name_taken({.cluster = target, .name = *name, .eks_arn = cluster_arn_of(target)}, *seen));
}

}  // namespace

Task<std::vector<std::string>> check_hyperpod_create(aws::Accounts& accounts, contract::Caller caller,
                                                     std::optional<domain::Profile> profile,
                                                     std::optional<ExistingVpc> vpc, HyperpodCreate request) {
  auto key = domain::parse_cluster_key(request.cluster.value);
  if (!key) co_return fail(key.error());
  const ClusterTarget target{.name = key->name,
                             .region = key->region,
                             .account = key->account,
                             .profile = profile ? std::optional(profile->value) : std::nullopt};
  auto account = accounts.get(target.profile, target.region);
  if (!account) co_return fail(account.error());
  aws::Client& client = (*account)->client();
  auto identity = co_await identity_in(client, target, caller.deadline);
  if (!identity) co_return fail(identity.error());
  auto named = co_await check_name(client, target, request, caller.deadline);
  if (!named) co_return fail(named.error());
  EksFacts eks{.name = target.name};
  if (vpc) {
    eks.vpc_id = vpc->vpc_id.value;
    for (const auto& subnet : vpc->subnet_ids) eks.subnet_ids.push_back(subnet.value);
  }
  auto clusters = co_await all_hyperpod(client, caller.deadline);
  if (!clusters) co_return fail(clusters.error());
  auto facts = co_await look_around_hyperpod(client, std::move(*identity), std::move(eks), request.group,
                                             std::move(*clusters), caller.deadline);
  if (!facts) co_return fail(within("Look before creating", facts.error()));
  if (auto error = to_error(hyperpod_problems(request.group, *facts))) co_return fail(std::move(*error));
  co_return std::move(facts->warnings);
}

}  // namespace instantstart::capabilities
