#include <memory>
#include <utility>

#include "base/decode.h"
#include "base/error_codes.h"
#include "capabilities/environments/environment_steps.h"
#include "capabilities/environments/environments.h"

namespace instantstart::capabilities {
namespace {

using contract::Caller;
using contract::Plan;
using operations::PlannedChild;
using operations::StepContext;

/// Who started the environment, for the plan of a stage.
Caller caller_of(const StepContext& context) {
  return {.principal = context.principal,
          .role = contract::Role::operator_,
          .request_id = context.operation_id,
          .deadline = context.deadline};
}

/// How a stage is planned, from the request that is its input.
template <class Request>
using Planner = Task<Plan> (*)(EnvironmentParts parts, Caller caller, Request request);

template <class Request>
Task<PlannedChild> plan_stage(Planner<Request> planner, EnvironmentParts parts, StepContext context,
                              json::object input, bool gone_is_done) {
  auto request = decode<Request>(input);
  if (!request) co_return fail(request.error());
  auto plan = co_await planner(parts, caller_of(context), std::move(*request));
  if (plan) co_return PlannedChild{std::move(*plan), std::move(input)};
  // A stage that takes something away, planned again after it has been.
  if (gone_is_done && plan.error().code == codes::not_found) co_return PlannedChild{};
  co_return fail(plan.error());
}

template <class Request>
void add_stage(operations::KindRegistry& kinds, std::string_view kind, EnvironmentParts parts,
               Planner<Request> planner, bool gone_is_done) {
  kinds.add_child(std::string(kind), [=](StepContext context, json::object input) {
    return plan_stage<Request>(planner, parts, std::move(context), std::move(input), gone_is_done);
  });
}

Task<Plan> plan_dependencies(EnvironmentParts parts, Caller caller, DependencyReconcile request) {
  return plan_dependency_reconcile(*parts.accounts, *parts.fleet, *parts.clusters, std::move(caller),
                                   std::move(request));
}
Task<Plan> plan_hyperpod(EnvironmentParts parts, Caller caller, HyperpodCreate request) {
  return plan_hyperpod_create(*parts.accounts, *parts.fleet, *parts.clusters, std::move(caller),
                              std::move(request));
}
Task<Plan> plan_storage(EnvironmentParts parts, Caller caller, StorageMount request) {
  return plan_storage_mount(*parts.accounts, *parts.fleet, *parts.clusters, std::move(caller),
                            std::move(request));
}
Task<Plan> plan_unmount(EnvironmentParts parts, Caller caller, StorageUnmount request) {
  return plan_storage_unmount(*parts.accounts, *parts.fleet, *parts.clusters, std::move(caller),
                              std::move(request));
}
Task<Plan> plan_hyperpod_removal(EnvironmentParts parts, Caller caller, HyperpodDelete request) {
  return plan_hyperpod_delete(*parts.accounts, *parts.fleet, std::move(caller), std::move(request));
}
Task<Plan> plan_dependencies_removal(EnvironmentParts parts, Caller caller, DependencyRemoval request) {
  return plan_dependency_removal(*parts.accounts, *parts.fleet, *parts.clusters, std::move(caller),
                                 std::move(request));
}
Task<Plan> plan_control_plane_removal(EnvironmentParts parts, Caller caller, ControlPlaneDelete request) {
  return plan_control_plane_delete(*parts.accounts, *parts.fleet, std::move(caller), std::move(request));
}

std::vector<std::string> errors_of(std::vector<std::string> more) {
  for (const char* code : {"access_denied", "blocked", "conflict", "connection_failed", "credentials_expired",
                           "credentials_invalid", "credentials_missing", "name_taken", "not_found",
                           "throttled", "unavailable", "upstream_error"}) {
    more.emplace_back(code);
  }
  return more;
}

}  // namespace

std::vector<contract::Action> environment_actions(EnvironmentParts parts) {
  std::vector<contract::Action> actions;
  actions.push_back(contract::change_action<EnvironmentCreate>(
      {.name = "environment_create",
       .path = "/environments",
       .summary = "Create a whole environment: control plane, HyperPod, storage.",
       .doc = "One operation of operations: control_plane_create, the selection of the new cluster for who "
              "starts it, dependency_reconcile, hyperpod_create and storage_mount. Names, instance type, "
              "zones, quotas and permissions are checked first, also in a dry run. A stage that fails is "
              "retried by itself with operation_retry; those before it are not run again. Asked again with "
              "the same values it changes nothing; with others, only these, as the dry run lists them.",
       .status_action = "operation_get",
       .operation_kind = std::string(k_environment_create),
       .errors = errors_of({"quota_exceeded"}),
       .example = {{"name", "demo"},
                   {"region", "us-west-2"},
                   {"group", json::object{{"instance_type", "ml.p5.48xlarge"}, {"count", 2}}},
                   {"storage", json::object{{"bucket", "demo-data-123456789012"}, {"create", true}}}}},
      [parts, recent = std::make_shared<RecentBlocks>()](Caller caller, EnvironmentCreate request) {
        return plan_environment_create(parts, std::move(caller), std::move(request), recent.get());
      }));
  actions.push_back(contract::change_action<EnvironmentDelete>(
      {.name = "environment_delete",
       .path = "/environments/{cluster}",
       .summary = "Delete an environment: mounts, HyperPod, control plane, network.",
       .doc = "Everything that was made here for the cluster goes, the last first. Buckets that were mounted "
              "stay, with what is in them. It refuses while pods use a mount, and stops before the control "
              "plane, with a list, while there are things in the network that were not made here.",
       .effect = contract::Effect::destroy,
       .method = "DELETE",
       .status_action = "operation_get",
       .operation_kind = std::string(k_environment_delete),
       .errors = errors_of({"ambiguous"}),
       .example = {{"cluster", "demo"}}},
      [parts](Caller caller, EnvironmentDelete request) {
        return plan_environment_delete(parts, std::move(caller), std::move(request));
      }));
  return actions;
}

void add_environment_kinds(operations::KindRegistry& kinds, EnvironmentParts parts) {
  kinds.add(operations::OperationKind{.name = std::string(k_environment_create)});
  kinds.add(operations::OperationKind{.name = std::string(k_environment_delete), .removes = true});
  add_stage<DependencyReconcile>(kinds, k_dependencies_stage, parts, plan_dependencies, false);
  add_stage<HyperpodCreate>(kinds, k_hyperpod_stage, parts, plan_hyperpod, false);
  add_stage<StorageMount>(kinds, k_storage_stage, parts, plan_storage, false);
  add_stage<StorageUnmount>(kinds, k_storage_removal_stage, parts, plan_unmount, true);
  add_stage<HyperpodDelete>(kinds, k_hyperpod_removal_stage, parts, plan_hyperpod_removal, true);
  add_stage<DependencyRemoval>(kinds, k_dependency_removal_stage, parts, plan_dependencies_removal, true);
  add_stage<ControlPlaneDelete>(kinds, k_control_plane_removal_stage, parts, plan_control_plane_removal,
                                true);
  if (parts.selections != nullptr) kinds.add(select_step(*parts.selections, *parts.fleet));
}

}  // namespace instantstart::capabilities
