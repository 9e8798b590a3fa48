#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>

#include "base/decode.h"
#include "base/error_codes.h"
#include "capabilities/environments/environment_steps.h"
#include "capabilities/environments/stage_requests.h"
#include "operations/engine.h"

namespace instantstart::capabilities {
namespace {

using contract::Caller;
using contract::Plan;
using contract::StepEffect;

constexpr std::string_view k_control_plane = "control_plane";
constexpr std::string_view k_select = "select";
constexpr std::string_view k_dependencies = "dependencies";
constexpr std::string_view k_hyperpod = "hyperpod";
constexpr std::string_view k_storage = "storage";

Stage control_plane_stage(const EnvironmentCreate& request, const Plan& plan) {
  const operations::PlannedChild child{plan, encode(control_plane_of(request)).as_object()};
  return {.id = std::string(k_control_plane),
          .kind = std::string(operations::k_child_operation_step),
          .input = encode(child).as_object(),
          .plan = plan};
}

Stage select_stage(const domain::ClusterKey& key, const Clock& clock) {
  return {.id = std::string(k_select),
          .kind = std::string(k_select_step),
          .after = {std::string(k_control_plane)},
          .input = encode(SelectInput{domain::to_text(key), to_rfc3339(clock.wall())}).as_object(),
          .title = "Select the cluster for you, unless you select another meanwhile"};
}

Stage dependencies_stage(const EnvironmentCreate& request, const domain::ClusterKey& key) {
  return {.id = std::string(k_dependencies),
          .kind = std::string(k_dependencies_stage),
          .after = {std::string(k_control_plane)},
          .input = encode(dependencies_of(request, key)).as_object(),
          .title = "Bring the dependencies of the cluster in place",
          .effect = StepEffect::create};
}

Stage hyperpod_stage(const EnvironmentCreate& request, const domain::ClusterKey& key) {
  const auto& group = request.group;
  return {.id = std::string(k_hyperpod),
          .kind = std::string(k_hyperpod_stage),
          .after = {std::string(k_dependencies)},
          .input = encode(hyperpod_of(request, key)).as_object(),
          .title = fmt::format("Create the HyperPod cluster with {} × {} in the group {}", group.count,
                               group.instance_type.value, group.name.value),
          .effect = StepEffect::create};
}

Stage storage_stage(const EnvironmentStorage& storage, const domain::ClusterKey& key) {
  return {.id = std::string(k_storage),
          .kind = std::string(k_storage_stage),
          .after = {std::string(k_hyperpod)},
          .input = encode(storage_of(storage, key)).as_object(),
          .title = fmt::format("Mount the bucket {} as {}/{} at {}", storage.bucket.value,
                               storage.space.value, storage.name.value, storage.path.value),
          .effect = StepEffect::create};
}

/// The stages of a cluster that can't be looked at yet: what can be checked of them, and no calls.
Task<> add_later_stages(EnvironmentParts parts, Caller caller, EnvironmentCreate request,
                        domain::ClusterKey key, StageList& stages) {
  auto checked = co_await check_hyperpod_create(*parts.accounts, caller, request.profile, request.vpc,
                                                hyperpod_of(request, key));
  if (!checked) co_return fail(checked.error());
  if (request.storage) {
    auto bucket = co_await check_storage_bucket(*parts.accounts, *parts.clusters, caller, request.profile,
                                                storage_of(*request.storage, key));
    if (!bucket) co_return fail(bucket.error());
  }
  stages.warn(
      "The cluster is not there yet: the stages after the control plane are planned when it is, and their "
      "calls are not listed here. Names, instance type, zone, quotas and permissions were checked now.");
  for (auto& warning : *checked) stages.warn(std::move(warning));
  stages.add(dependencies_stage(request, key));
  stages.add(hyperpod_stage(request, key));
  if (!request.storage) co_return Result<>{};
  const auto& space = request.storage->space.value;
  if (space != "default") {
    stages.warn(fmt::format("The namespace {} must be there when the bucket is mounted.", space));
  }
  stages.add(storage_stage(*request.storage, key));
  co_return Result<>{};
}

/// What a control plane that is on its way will answer later.
bool may_be_planned_later(const Error& error) { return error.code == codes::blocked; }

/// The plan, or none with a warning; an error of the request or the account is an error.
Result<> take_plan(Result<Plan> plan, Stage stage, StageList& stages) {
  if (plan) {
    const bool after_dependencies =
        stages.steps.back().id == k_dependencies && !stages.steps.back().calls.empty();
    if (after_dependencies) {
      std::erase_if(plan->warnings, [](const std::string& text) { return text == k_dependencies_missing; });
    }
    stage.plan = std::move(*plan);
  } else if (may_be_planned_later(plan.error())) {
    stages.warn(fmt::format("{}: it can't be planned yet. {}", stage.id, plan.error().message));
  } else {
    return fail(std::move(plan.error()));
  }
  stages.add(std::move(stage));
  return {};
}

/// The stages of a managed cluster, each as its own action would plan it now.
Task<> add_planned_stages(EnvironmentParts parts, Caller caller, EnvironmentCreate request,
                          domain::ClusterKey key, StageList& stages) {
  auto dependencies = co_await plan_dependency_reconcile(*parts.accounts, *parts.fleet, *parts.clusters,
                                                         caller, dependencies_of(request, key));
  auto taken = take_plan(std::move(dependencies), dependencies_stage(request, key), stages);
  if (!taken) co_return taken;
  auto hyperpod = co_await plan_hyperpod_create(*parts.accounts, *parts.fleet, *parts.clusters, caller,
                                                hyperpod_of(request, key));
  taken = take_plan(std::move(hyperpod), hyperpod_stage(request, key), stages);
  if (!taken || !request.storage) co_return taken;
  auto storage = co_await plan_storage_mount(*parts.accounts, *parts.fleet, *parts.clusters, caller,
                                             storage_of(*request.storage, key));
  co_return take_plan(std::move(storage), storage_stage(*request.storage, key), stages);
}

}  // namespace

Task<Plan> plan_environment_create(EnvironmentParts parts, Caller caller, EnvironmentCreate request,
                                   RecentBlocks* recent) {
  auto control_plane = co_await plan_control_plane_create(*parts.accounts, *parts.fleet, caller,
                                                          control_plane_of(request), recent);
  if (!control_plane) co_return fail(control_plane.error());
  auto key = key_of_subject(control_plane->subject);
  if (!key) co_return fail(key.error());
  auto record = co_await parts.fleet->get(*key);
  if (!record) co_return fail(record.error());
  StageList stages;
  stages.add(control_plane_stage(request, *control_plane));
  if (parts.selections != nullptr) stages.add(select_stage(*key, *parts.clock));
  const bool is_there = record->has_value() && worst_effect(*control_plane) != StepEffect::create;
  Result<> added;
  if (is_there) {
    added = co_await add_planned_stages(parts, caller, request, *key, stages);
  } else {
    added = co_await add_later_stages(parts, caller, request, *key, stages);
  }
  if (!added) co_return fail(added.error());
  const bool changes = stages.has_calls() || !is_there;
  co_return Plan{.kind = std::string(k_environment_create),
                 .subject = control_plane->subject,
                 .summary = fmt::format("Environment {} in {}: {}.", key->name, key->region,
                                        changes ? fmt::format("{} stages", stages.steps.size())
                                                : std::string("nothing to change")),
                 .steps = std::move(stages.steps),
                 .warnings = std::move(stages.warnings)};
}

}  // namespace instantstart::capabilities
