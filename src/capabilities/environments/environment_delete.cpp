#include <algorithm>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "base/decode.h"
#include "base/error_codes.h"
#include "base/text.h"
#include "capabilities/clusters/cluster_reader.h"
#include "capabilities/environments/environment_steps.h"
#include "capabilities/environments/stage_requests.h"

namespace instantstart::capabilities {
namespace {

using contract::Caller;
using contract::Plan;
using contract::StepEffect;

/// What a plan is made of, one stage after the other.
class Deletion {
 public:
  explicit Deletion(domain::ClusterKey key) : key(std::move(key)) {}

  domain::ClusterReference reference() const { return {{domain::to_text(key)}}; }

  /// Nothing is added for a plan without steps.
  void add(std::string id, std::string_view kind, json::object input, Plan plan) {
    if (plan.steps.empty()) return;
    add(Stage{
        .id = std::move(id), .kind = std::string(kind), .input = std::move(input), .plan = std::move(plan)});
  }
  void add(Stage stage) {
    if (!stages.steps.empty()) stage.after = {stages.steps.back().id};
    stages.add(std::move(stage));
  }

  domain::ClusterKey key;
  StageList stages;
};

/// Whether the Kubernetes API can be asked: a control plane that is gone, or going, has taken its objects
/// along.
Task<bool> has_kubernetes(EnvironmentParts parts, fleet::ClusterRecord record, net::Deadline deadline) {
  auto account = parts.accounts->get(record.profile, record.key.region);
  if (!account) co_return fail(account.error());
  auto eks = co_await look_at_eks((*account)->client(), record.key.name, deadline);
  if (!eks) co_return fail(eks.error());
  co_return eks->has_value() && (*eks)->status != "DELETING" && (*eks)->status != "FAILED";
}

/// Mounts share the driver's role, so they go one after the other. Their buckets stay.
Task<> add_unmounts(EnvironmentParts parts, Caller caller, Deletion& deletion) {
  auto mounts =
      co_await own_mounts(*parts.accounts, *parts.fleet, *parts.clusters, caller, deletion.reference());
  if (!mounts) co_return fail(mounts.error());
  std::set<std::string> buckets;
  for (const auto& mount : *mounts) {
    const StorageUnmount request{deletion.reference(), mount.name, mount.space};
    auto plan =
        co_await plan_storage_unmount(*parts.accounts, *parts.fleet, *parts.clusters, caller, request);
    if (!plan) co_return fail(plan.error());
    deletion.add(fmt::format("storage/{}/{}", mount.space.value, mount.name.value), k_storage_removal_stage,
                 encode(request).as_object(), std::move(*plan));
    buckets.insert(mount.bucket);
  }
  for (const auto& bucket : buckets) {
    deletion.stages.warn(fmt::format("The bucket {} and what is in it stay.", bucket));
  }
  co_return Result<>{};
}

/// Of things that the stages before don't take away.
bool stays_in_the_way(const Error& error) {
  const auto* orphans = error.detail.if_contains("orphans");
  if (orphans == nullptr || !orphans->is_array()) return true;
  return std::ranges::any_of(orphans->as_array(), [](const json::value& orphan) {
    const auto* type = orphan.is_object() ? orphan.as_object().if_contains("type") : nullptr;
    return type != nullptr && (*type == "load_balancer" || *type == "security_group");
  });
}

/// While HyperPod is there the control plane's own plan would be refused: it is made again when its turn
/// comes, and refuses then what is still in the way.
Task<> add_control_plane(EnvironmentParts parts, Caller caller, Deletion& deletion) {
  const ControlPlaneDelete request{.cluster = deletion.reference()};
  auto plan = co_await plan_control_plane_delete(*parts.accounts, *parts.fleet, caller, request);
  Stage stage{.id = "control_plane",
              .kind = std::string(k_control_plane_removal_stage),
              .input = encode(request).as_object()};
  if (plan) {
    stage.plan = std::move(*plan);
  } else {
    const bool later = plan.error().code == codes::blocked && !deletion.stages.steps.empty();
    if (!later || stays_in_the_way(plan.error())) co_return fail(plan.error());
    auto stack = domain::stack_name({{deletion.key.name}});
    if (!stack) co_return fail(stack.error());
    stage.title = fmt::format("Delete the EKS control plane {} with what was made for it", deletion.key.name);
    stage.effect = StepEffect::remove;
    stage.calls = {{"cloudformation:DeleteStack", "stack/" + *stack}};
    deletion.stages.warn(
        "The control plane goes when nothing is left in its network that its stack did not make; what is "
        "found there then stops that stage, and is listed.");
  }
  deletion.add(std::move(stage));
  co_return Result<>{};
}

}  // namespace

Task<Plan> plan_environment_delete(EnvironmentParts parts, Caller caller, EnvironmentDelete request) {
  auto record = co_await parts.fleet->find(std::move(request.cluster.value));
  if (!record) co_return fail(record.error());
  Deletion deletion(record->key);
  auto reachable = co_await has_kubernetes(parts, *record, caller.deadline);
  if (!reachable) co_return fail(reachable.error());
  if (*reachable) {
    auto unmounts = co_await add_unmounts(parts, caller, deletion);
    if (!unmounts) co_return fail(unmounts.error());
  }
  const HyperpodDelete hyperpod{deletion.reference()};
  auto plan = co_await plan_hyperpod_delete(*parts.accounts, *parts.fleet, caller, hyperpod);
  if (!plan) co_return fail(plan.error());
  deletion.add("hyperpod", k_hyperpod_removal_stage, encode(hyperpod).as_object(), std::move(*plan));
  const DependencyRemoval dependencies{deletion.reference()};
  plan =
      co_await plan_dependency_removal(*parts.accounts, *parts.fleet, *parts.clusters, caller, dependencies);
  if (!plan) co_return fail(plan.error());
  deletion.add("dependencies", k_dependency_removal_stage, encode(dependencies).as_object(),
               std::move(*plan));
  auto control_plane = co_await add_control_plane(parts, caller, deletion);
  if (!control_plane) co_return fail(control_plane.error());
  auto& stages = deletion.stages;
  co_return Plan{.kind = std::string(k_environment_delete),
                 .subject = domain::subject_of(record->key),
                 .summary = fmt::format("Delete the environment {} in {}: {} stages.", record->key.name,
                                        record->key.region, stages.steps.size()),
                 .steps = std::move(stages.steps),
                 .warnings = std::move(stages.warnings)};
}

}  // namespace instantstart::capabilities
