#include <fmt/core.h>

#include "base/decode.h"
#include "base/error_codes.h"
#include "capabilities/network/control_plane_steps.h"
#include "capabilities/network/preflight.h"
#include "capabilities/network/stack_calls.h"

namespace instantstart::capabilities {
namespace {

using contract::Plan;
using contract::PlannedStep;
using contract::StepEffect;

struct Target {
  domain::ClusterKey key;
  std::optional<std::string> profile;
  bool recorded = false;
};

/// A managed cluster, or one that a key or ARN names though it never got as far as to be managed.
Task<Target> find_target(fleet::Fleet& fleet, ControlPlaneDelete request) {
  const std::optional<std::string> profile =
      request.profile ? std::optional(request.profile->value) : std::nullopt;
  auto record = co_await fleet.find(request.cluster.value);
  if (record) co_return Target{record->key, profile ? profile : record->profile, true};
  if (record.error().code != codes::not_found) co_return fail(record.error());
  if (auto key = domain::key_of_arn(request.cluster.value)) co_return Target{std::move(*key), profile, false};
  if (auto key = domain::parse_cluster_key(request.cluster.value))
    co_return Target{std::move(*key), profile, false};
  co_return fail(record.error());
}

/// The profile must lead to the account that the cluster is in: another account's stack of the same name is
/// not meant.
Task<> check_account(aws::Client& client, domain::ClusterKey key, net::Deadline deadline) {
  auto identity = co_await look_at_identity(client, deadline);
  if (!identity) co_return fail(identity.error());
  if (identity->place.account == key.account) co_return Result<>{};
  co_return fail(codes::invalid_request,
                 fmt::format("{} is in the account {}, and the credentials are of {}.", domain::to_text(key),
                             key.account, identity->place.account));
}

Plan to_plan(const Target& target, const std::string& stack_name, const StackSeen& stack) {
  const std::string key = domain::to_text(target.key);
  Plan plan{.kind = std::string(k_control_plane_delete), .subject = domain::subject_of(target.key)};
  PlannedStep deletion{.id = "stack", .kind = std::string(k_stack_deletion_step)};
  deletion.input = encode(StackDeletionInput{key, target.profile}).as_object();
  if (stack.exists) {
    const bool network = stack.parameters.contains("VpcCidr");
    deletion.title = fmt::format("Delete the EKS control plane {}{} in {}", target.key.name,
                                 network ? " and its network" : "", target.key.region);
    deletion.effect = StepEffect::remove;
    deletion.calls = {{"cloudformation:DeleteStack", "stack/" + stack_name}};
  } else {
    deletion.title = fmt::format("The control plane {} is gone", target.key.name);
  }
  PlannedStep forget{.id = "record",
                     .kind = std::string(k_forget_step),
                     .title = "Forget the cluster here",
                     .after = {"stack"}};
  forget.input = encode(ClusterRecordInput{.cluster = key}).as_object();
  plan.summary = deletion.title + ".";
  plan.steps = {std::move(deletion), std::move(forget)};
  return plan;
}

}  // namespace

Task<Plan> plan_control_plane_delete(aws::Accounts& accounts, fleet::Fleet& fleet, contract::Caller caller,
                                     ControlPlaneDelete request) {
  auto target = co_await find_target(fleet, std::move(request));
  if (!target) co_return fail(target.error());
  auto account = accounts.get(target->profile, target->key.region);
  if (!account) co_return fail(account.error());
  aws::Client& client = (*account)->client();
  auto right = co_await check_account(client, target->key, caller.deadline);
  if (!right) co_return fail(right.error());
  auto stack_name = domain::stack_name({{target->key.name}});
  if (!stack_name) co_return fail(stack_name.error());
  auto stack = co_await look_at_stack(client, *stack_name, caller.deadline);
  if (!stack) co_return fail(stack.error());
  const std::string key = domain::to_text(target->key);
  if (!stack->exists && !target->recorded) {
    co_return fail(codes::not_found, fmt::format("There is no control plane {}.", key));
  }
  if (stack->exists && !is_ours(*stack, key)) {
    co_return fail(taken_by_another({.name = *stack_name, .cluster_key = key}, *stack));
  }
  if (stack->exists && !stack->status.ends_with("_IN_PROGRESS")) {
    auto strangers = co_await find_strangers(client, *stack, target->key, caller.deadline);
    if (!strangers) co_return fail(strangers.error());
    if (!strangers->empty()) co_return fail(orphans(*strangers));
  }
  co_return to_plan(*target, *stack_name, *stack);
}

}  // namespace instantstart::capabilities
