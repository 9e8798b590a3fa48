#include "sandbox/services/cloudformation/stacks.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "sandbox/core/arn.h"
#include "sandbox/services/cloudformation/changes.h"
#include "sandbox/services/cloudformation/definition_request.h"
#include "sandbox/services/cloudformation/template/contains.h"

namespace instantstart::sandbox::cloudformation {
namespace {

constexpr std::array<std::string_view, 5> k_updatable{
    "CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE", "CREATE_FAILED", "UPDATE_FAILED"};
/// "You can't delete stacks that have termination protection", and those that an update has in its hands.
constexpr std::array<std::string_view, 5> k_not_deletable{
    "UPDATE_IN_PROGRESS", "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS", "UPDATE_ROLLBACK_IN_PROGRESS",
    "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS", "ROLLBACK_IN_PROGRESS"};

Reply<std::string> on_failure_of(const api::CreateStackInput& in) {
  if (in.on_failure && in.disable_rollback) {
    return invalid("You can specify either DisableRollback or OnFailure, but not both.");
  }
  const std::string otherwise = in.disable_rollback.value_or(false) ? "DO_NOTHING" : "ROLLBACK";
  const std::string wanted = in.on_failure.value_or(otherwise);
  if (wanted == "ROLLBACK" || wanted == "DO_NOTHING" || wanted == "DELETE") return wanted;
  return invalid(
      fmt::format("1 validation error detected: Value '{}' at 'onFailure' failed to satisfy constraint: "
                  "Member must satisfy enum value set: [ROLLBACK, DELETE, DO_NOTHING]",
                  wanted));
}

}  // namespace

std::optional<std::string> find_stack(const State& state, const Call& call, std::string_view name_or_id) {
  if (name_or_id.starts_with("arn:")) {
    std::string key = stack_key(name_or_id);
    if (!key.starts_with(call.region + "/") || !state.stacks.contains(key)) return std::nullopt;
    return key;
  }
  for (const auto& [key, stack] :
       state.stacks.starting_with(fmt::format("{}/{}/", call.region, name_or_id))) {
    if (stack.stack_status != "DELETE_COMPLETE") return key;
  }
  return std::nullopt;
}

StackRun make_stack(State& state, const Call& call, const std::string& name, Definition definition) {
  const std::string id = make_arn("cloudformation", call.region, state.world.account(),
                                  fmt::format("stack/{}/{}", name, state.world.make_request_id()));
  api::Stack stack{.stack_id = id,
                   .stack_name = name,
                   .creation_time = timestamp(state.world.now()),
                   .disable_rollback = false,
                   .notification_arns = std::vector<std::string>{},
                   .enable_termination_protection = false,
                   .drift_information = api::StackDriftInformation{.stack_drift_status = "NOT_CHECKED"}};
  stack.rollback_configuration.emplace();
  StackWork work{.region = call.region, .definition = std::move(definition)};
  StackRun run(state, stack_key(id), std::move(stack), std::move(work));
  run.show_definition();
  return run;
}

void take_over(StackRun& run, const Call& call, const std::optional<std::string>& role_arn,
               const std::optional<std::string>& token) {
  run.work.principal_arn = call.principal_arn;
  run.work.principal_id = call.principal_id;
  run.work.access_key_id = call.access_key_id;
  if (role_arn) {
    run.stack.role_arn = role_arn;
    run.work.principal_arn =
        fmt::format("arn:{}:sts::{}:assumed-role/{}/AWSCloudFormation", partition_of(call.region),
                    run.world().account(), role_arn->substr(role_arn->rfind('/') + 1));
  }
  run.work.token = token;
  if (!call.fails_later) return;
  run.work.planned_code = call.fails_later->code;
  run.work.planned_message = call.fails_later->message;
}

std::optional<AwsFault> refuse_update(const api::Stack& stack) {
  const std::string status = stack.stack_status.value_or("");
  if (contains(k_updatable, std::string_view(status))) return std::nullopt;
  return invalid(fmt::format("Stack:{} is in {} state and can not be updated.", *stack.stack_id, status))
      .error();
}

Reply<api::CreateStackOutput> create_stack(State& state, Engine& engine, const Call& call,
                                           const api::CreateStackInput& in) {
  if (auto refusal = refuse_stack_name(*in.stack_name)) return std::unexpected(std::move(*refusal));
  const json::object request = record_to_json(in);
  const auto earlier = stack_of_token(state, call, "CreateStack", in.client_request_token, request);
  if (!earlier) return std::unexpected(earlier.error());
  if (*earlier) return api::CreateStackOutput{.stack_id = **earlier};
  if (find_stack(state, call, *in.stack_name)) {
    return fault("AlreadyExistsException", fmt::format("Stack [{}] already exists", *in.stack_name));
  }
  auto on_failure = on_failure_of(in);
  if (!on_failure) return std::unexpected(std::move(on_failure.error()));
  auto definition = definition_of(in, nullptr);
  if (!definition) return std::unexpected(std::move(definition.error()));

  StackRun run = make_stack(state, call, *in.stack_name, std::move(*definition));
  const auto plan = plan_changes(state, call, {*run.stack.stack_id, *run.stack.stack_name},
                                 run.work.definition, aws::items(in.capabilities), nullptr, nullptr);
  if (!plan) return std::unexpected(plan.error());
  run.stack.capabilities = aws::items(in.capabilities);
  run.stack.disable_rollback = *on_failure == "DO_NOTHING";
  run.stack.timeout_in_minutes = in.timeout_in_minutes;
  run.stack.enable_termination_protection = in.enable_termination_protection.value_or(false);
  run.work.on_failure = std::move(*on_failure);
  take_over(run, call, in.role_arn, in.client_request_token);
  engine.begin_creation(run, "User Initiated");
  run.save();
  remember_token(state, call, "CreateStack", in.client_request_token, request, *run.stack.stack_id);
  return api::CreateStackOutput{.stack_id = run.stack.stack_id};
}

Reply<api::UpdateStackOutput> update_stack(State& state, Engine& engine, const Call& call,
                                           const api::UpdateStackInput& in) {
  const json::object request = record_to_json(in);
  const auto earlier = stack_of_token(state, call, "UpdateStack", in.client_request_token, request);
  if (!earlier) return std::unexpected(earlier.error());
  if (*earlier) return api::UpdateStackOutput{.stack_id = **earlier};
  const auto key = find_stack(state, call, *in.stack_name);
  auto run = key ? StackRun::open(state, *key) : std::nullopt;
  if (!run || run->stack.stack_status == "DELETE_COMPLETE") {
    return invalid(fmt::format("Stack [{}] does not exist", *in.stack_name));
  }
  if (auto refusal = refuse_update(run->stack)) return std::unexpected(std::move(*refusal));
  auto definition = definition_of(in, &run->work.definition);
  if (!definition) return std::unexpected(std::move(definition.error()));
  const auto plan = plan_changes(state, call, {*run->stack.stack_id, *run->stack.stack_name}, *definition,
                                 aws::items(in.capabilities), &run->stack, &run->work);
  if (!plan) return std::unexpected(plan.error());
  if (plan->changes_nothing) return invalid("No updates are to be performed.");

  run->stack.capabilities = aws::items(in.capabilities);
  run->work.keeps_failed_update = in.disable_rollback.value_or(false);
  take_over(*run, call, in.role_arn, in.client_request_token);
  engine.begin_update(*run, std::move(*definition));
  run->save();
  remember_token(state, call, "UpdateStack", in.client_request_token, request, *run->stack.stack_id);
  return api::UpdateStackOutput{.stack_id = run->stack.stack_id};
}

Reply<aws::Empty> delete_stack(State& state, Engine& engine, const Call& call,
                               const api::DeleteStackInput& in) {
  if (in.deletion_mode && in.deletion_mode != "STANDARD") {
    return invalid("The sandbox does not simulate DeletionMode FORCE_DELETE_STACK.");
  }
  const auto key = find_stack(state, call, *in.stack_name);
  auto run = key ? StackRun::open(state, *key) : std::nullopt;
  // What is gone, or going, needs no deletion.
  if (!run || run->work.phase == Phase::remove || run->stack.stack_status == "DELETE_COMPLETE") return {};
  if (run->stack.enable_termination_protection.value_or(false)) {
    return invalid(fmt::format("Stack [{}] cannot be deleted while TerminationProtection is enabled",
                               *run->stack.stack_name));
  }
  const std::string status = run->stack.stack_status.value_or("");
  if (contains(k_not_deletable, std::string_view(status))) {
    return invalid(
        fmt::format("Stack [{}] cannot be deleted while in status {}", *run->stack.stack_id, status));
  }
  if (!aws::items(in.retain_resources).empty() && status != "DELETE_FAILED") {
    return invalid(
        fmt::format("Invalid operation on stack [{}]. When you delete a stack, specify which resources "
                    "to retain only when the stack is in the DELETE_FAILED state.",
                    *run->stack.stack_id));
  }
  take_over(*run, call, in.role_arn, in.client_request_token);
  run->work.retained = aws::items(in.retain_resources);
  engine.begin_deletion(*run, "User Initiated");
  run->save();
  return {};
}

Reply<api::UpdateTerminationProtectionOutput> update_termination_protection(
    State& state, Engine&, const Call& call, const api::UpdateTerminationProtectionInput& in) {
  const auto key = find_stack(state, call, *in.stack_name);
  auto run = key ? StackRun::open(state, *key) : std::nullopt;
  if (!run || run->stack.stack_status == "DELETE_COMPLETE") {
    return invalid(fmt::format("Stack [{}] does not exist", *in.stack_name));
  }
  run->stack.enable_termination_protection = in.enable_termination_protection;
  run->save();
  return api::UpdateTerminationProtectionOutput{.stack_id = run->stack.stack_id};
}

}  // namespace instantstart::sandbox::cloudformation
