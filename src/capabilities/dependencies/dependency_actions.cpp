#include <utility>

#include <fmt/core.h>

#include "capabilities/dependencies/call_errors.h"
#include "capabilities/dependencies/component_state.h"
#include "capabilities/dependencies/dependencies.h"
#include "capabilities/dependencies/dependency_plan.h"
#include "capabilities/dependencies/dependency_steps.h"
#include "kube/kubeconfig.h"

namespace instantstart::capabilities {
namespace {

using contract::Caller;

/// What every handler begins with.
Task<ReconcileFacts> look_at(ComponentReader reader, fleet::Fleet& fleet, std::string reference,
                             std::vector<const Component*> chosen, net::Deadline deadline) {
  auto record = co_await fleet.find(std::move(reference));
  if (!record) co_return fail(record.error());
  ReconcileFacts facts{.cluster = target_of(*record)};
  auto helm = co_await reader.hyperpod_release(facts.cluster, deadline);
  if (!helm) co_return fail(helm.error());
  facts.helm = std::move(*helm);
  for (const auto* component : chosen) {
    auto seen = co_await reader.look(facts.cluster, *component, release_of(facts.helm), deadline);
    if (!seen) co_return fail(within(fmt::format("Look at {}", component->name), seen.error()));
    facts.components.push_back({component, std::move(*seen)});
  }
  co_return facts;
}

Task<DependencyListAnswer> list(ComponentReader reader, fleet::Fleet& fleet, net::Deadline deadline,
                                DependencyList request) {
  auto facts = co_await look_at(reader, fleet, std::move(request.cluster.value), with_needs({}), deadline);
  if (!facts) co_return fail(facts.error());
  DependencyListAnswer answer{.cluster = domain::to_text(key_of(facts->cluster))};
  if (facts->helm) answer.helm_release = fmt::format("{} ({})", facts->helm->name, facts->helm->space);
  for (const auto& [component, seen] : facts->components) {
    answer.dependencies.push_back(view_of(*component, seen, keeper_of(*component, facts->helm)));
  }
  co_return answer;
}

Task<ClusterKubeconfigAnswer> kubeconfig(ComponentReader reader, fleet::Fleet& fleet, net::Deadline deadline,
                                         ClusterKubeconfig request) {
  auto record = co_await fleet.find(std::move(request.cluster.value));
  if (!record) co_return fail(record.error());
  const ClusterTarget target = target_of(*record);
  auto opened = co_await reader.kubernetes(target, deadline);
  if (!opened) co_return fail(opened.error());
  const auto& description = (*opened)->description();
  auto client = reader.aws_client(target);
  if (!client) co_return fail(client.error());
  const auto sts = (*client)->endpoint("sts");
  if (!sts) co_return fail(sts.error());
  auto made = kube::make_kubeconfig({.context = description.arn,
                                     .server = description.endpoint,
                                     .ca_pem = description.ca_pem,
                                     .cluster_name = target.name,
                                     .region = target.region,
                                     .profile = target.profile,
                                     .sts_endpoint = sts->custom ? std::optional(sts->url) : std::nullopt});
  co_return ClusterKubeconfigAnswer{.cluster = domain::to_text(record->key),
                                    .context = description.arn,
                                    .kubeconfig = std::move(made.as_object())};
}

}  // namespace

Task<contract::Plan> plan_dependency_reconcile(aws::Accounts& accounts, fleet::Fleet& fleet,
                                               kube::EksClusters& clusters, Caller caller,
                                               DependencyReconcile request) {
  std::vector<std::string_view> names;
  if (request.components) {
    for (const auto& name : *request.components) names.push_back(name.value);
  }
  auto facts = co_await look_at(ComponentReader(accounts, clusters), fleet, std::move(request.cluster.value),
                                with_needs(names), caller.deadline);
  if (!facts) co_return fail(facts.error());
  facts->adopt = request.adopt;
  co_return plan_reconcile(*facts);
}

std::vector<contract::Action> dependency_actions(aws::Accounts* accounts, fleet::Fleet* fleet,
                                                 kube::EksClusters* clusters) {
  std::vector<contract::Action> actions;
  actions.push_back(contract::read_action<DependencyList, DependencyListAnswer>(
      {.name = "dependency_list",
       .path = "/clusters/{cluster}/dependencies",
       .summary = "What a cluster needs beside HyperPod, each part with its state.",
       .doc = "HyperPod's objects and rights, device plugins, EKS add-ons and the OIDC provider: wanted and "
              "seen "
              "version, state, who installed it, and why it is not ready. waiting_for_nodes is no failure: "
              "such a "
              "part completes by itself when nodes join. Use dependency_reconcile to bring in place what is "
              "missing. It changes nothing.",
       .errors = cluster_call_errors(),
       .example = {{"cluster", "demo"}}},
      [accounts, fleet, clusters](Caller caller, DependencyList request) {
        return list(ComponentReader(*accounts, *clusters), *fleet, caller.deadline, std::move(request));
      }));
  actions.push_back(contract::change_action<DependencyReconcile>(
      {.name = "dependency_reconcile",
       .path = "/clusters/{cluster}/dependencies",
       .summary = "Bring a cluster's dependencies in place; only what differs is changed.",
       .doc =
           "Do it before hyperpod_create, which is refused without them. It does not wait for pods: without "
           "nodes there are none. What a Helm release of the HyperPod chart has switched on is left to it, "
           "and "
           "what somebody else installed is not touched. Asked again when all holds it changes nothing.",
       .status_action = "operation_get",
       .operation_kind = std::string(k_dependency_reconcile),
       .errors = cluster_call_errors({"name_taken"}),
       .example = {{"cluster", "demo"}, {"components", json::array{"health_agent", "nvidia_device_plugin"}}}},
      [accounts, fleet, clusters](Caller caller, DependencyReconcile request) {
        return plan_dependency_reconcile(*accounts, *fleet, *clusters, std::move(caller), std::move(request));
      }));
  actions.push_back(contract::read_action<ClusterKubeconfig, ClusterKubeconfigAnswer>(
      {.name = "cluster_kubeconfig",
       .path = "/clusters/{cluster}/kubeconfig",
       .summary = "A kubeconfig for kubectl and helm; it holds no token.",
       .doc = "kubectl gets its token by `aws eks get-token` with the credentials of whoever runs it, so the "
              "file "
              "grants nothing by itself. It changes nothing.",
       .errors = cluster_call_errors(),
       .example = {{"cluster", "demo"}}},
      [accounts, fleet, clusters](Caller caller, ClusterKubeconfig request) {
        return kubeconfig(ComponentReader(*accounts, *clusters), *fleet, caller.deadline, std::move(request));
      }));
  return actions;
}

void add_dependency_kinds(operations::KindRegistry& kinds, aws::Accounts& accounts,
                          kube::EksClusters& clusters) {
  const ComponentReader reader(accounts, clusters);
  kinds.add(operations::OperationKind{.name = std::string(k_dependency_reconcile)});
  kinds.add(objects_step(reader));
  kinds.add(addon_step(reader));
  kinds.add(operations::OperationKind{.name = std::string(k_dependency_removal)});
  kinds.add(oidc_step(reader));
  kinds.add(oidc_removal_step(reader));
  kinds.add(role_removal_step(reader));
  kinds.add(role_step(reader));
  kinds.add(association_step(reader));
}

}  // namespace instantstart::capabilities
