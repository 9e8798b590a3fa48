// What outlives a cluster that is deleted: its OIDC provider and the roles of pods.
#include <utility>

#include <fmt/core.h>

#include "base/error_codes.h"
#include "capabilities/dependencies/component.h"
#include "capabilities/dependencies/dependencies.h"
#include "capabilities/dependencies/dependency_steps.h"
#include "capabilities/dependencies/pod_role.h"

namespace instantstart::capabilities {
namespace {

using contract::Plan;
using contract::PlannedStep;
using contract::StepEffect;

PlannedStep removal(std::string id, std::string_view kind, std::string title, contract::PlannedCall call,
                    json::object input) {
  return {.id = std::move(id),
          .kind = std::string(kind),
          .title = std::move(title),
          .effect = StepEffect::remove,
          .calls = {std::move(call)},
          .input = std::move(input)};
}

/// A control plane that is gone has taken the issuer with it, and with it the provider's name.
Task<> add_oidc(ComponentReader reader, ClusterTarget cluster, net::Deadline deadline, Plan& plan) {
  auto oidc = co_await reader.oidc_provider(cluster, deadline);
  if (!oidc && oidc.error().code == codes::not_found) co_return Result<>{};
  if (!oidc) co_return fail(within("Look at the OIDC provider", oidc.error()));
  if (!oidc->arn || !oidc->maker) co_return Result<>{};
  plan.steps.push_back(removal(
      "oidc_provider", k_oidc_removal_step, "Delete the OIDC provider of the cluster",
      {"iam:DeleteOpenIDConnectProvider", *oidc->arn}, encode(OidcInput{.cluster = cluster}).as_object()));
  co_return Result<>{};
}

Task<> add_role(ComponentReader reader, ClusterTarget cluster, const Component& component,
                net::Deadline deadline, Plan& plan) {
  auto name = pod_role_name(cluster, component.identity->purpose);
  if (!name) co_return fail(name.error());
  const std::string policy(component.identity->policy);
  auto role = co_await reader.role(cluster, *name, deadline, policy);
  if (!role) co_return fail(within("Look at the role " + *name, role.error()));
  if (!role->arn || !role->maker) co_return Result<>{};
  const std::string subject = "role/" + *name;
  auto step =
      removal(fmt::format("{}/role", component.name), k_role_removal_step,
              fmt::format("Delete the role {} of {}", *name, component.title), {"iam:DeleteRole", subject},
              encode(RoleInput{.cluster = cluster, .role_name = *name, .policy = policy}).as_object());
  if (role->has_policy) step.calls.insert(step.calls.begin(), {"iam:DetachRolePolicy", subject});
  plan.steps.push_back(std::move(step));
  co_return Result<>{};
}

}  // namespace

Task<Plan> plan_dependency_removal(aws::Accounts& accounts, fleet::Fleet& fleet, kube::EksClusters& clusters,
                                   contract::Caller caller, DependencyRemoval request) {
  auto record = co_await fleet.find(std::move(request.cluster.value));
  if (!record) co_return fail(record.error());
  const ClusterTarget cluster = target_of(*record);
  const ComponentReader reader(accounts, clusters);
  Plan plan{.kind = std::string(k_dependency_removal),
            .subject = domain::subject_of(record->key) + "/part/dependencies"};
  auto oidc = co_await add_oidc(reader, cluster, caller.deadline, plan);
  if (!oidc) co_return fail(oidc.error());
  for (const auto& component : components()) {
    if (!component.identity) continue;
    auto role = co_await add_role(reader, cluster, component, caller.deadline, plan);
    if (!role) co_return fail(role.error());
  }
  plan.summary = fmt::format("Delete what the dependencies of {} have outside the cluster: {} things.",
                             cluster.name, plan.steps.size());
  co_return plan;
}

}  // namespace instantstart::capabilities
