#include "sandbox/services/cloudformation/change_sets.h"

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/pattern.h"
#include "sandbox/core/arn.h"
#include "sandbox/services/cloudformation/changes.h"
#include "sandbox/services/cloudformation/definition_request.h"
#include "sandbox/services/cloudformation/stacks.h"

namespace instantstart::sandbox::cloudformation {
namespace {

constexpr milliseconds k_time_to_compute = std::chrono::seconds(3);
constexpr std::string_view k_no_changes =
    "The submitted information didn't contain changes. Submit different information to create a change set.";

std::unexpected<AwsFault> no_change_set(std::string_view name) {
  return fault("ChangeSetNotFound", fmt::format("ChangeSet [{}] does not exist", name));
}

Reply<api::DescribeChangeSetOutput> shown(const ChangeSetRecord& record) {
  auto out = record_from_json<api::DescribeChangeSetOutput>(record.shown);
  if (!out) return fault("InternalFailure", out.error().message, 500);
  return std::move(*out);
}

/// By ARN, or by name together with its stack.
std::optional<std::string> find_change_set(const State& state, const Call& call, const std::string& name,
                                           const std::optional<std::string>& stack_name) {
  if (name.starts_with("arn:")) {
    std::string key = regional_id(call.region, name);
    if (state.change_sets.contains(key)) return key;
    return std::nullopt;
  }
  const auto stack = stack_name ? find_stack(state, call, *stack_name) : std::nullopt;
  if (!stack) return std::nullopt;
  for (const auto& [key, record] : state.change_sets.starting_with(call.region + "/")) {
    if (record.stack_key == *stack && record.shown.at("ChangeSetName").as_string() == name) return key;
  }
  return std::nullopt;
}

/// The stack that the change set is of; a CREATE makes it, in review. Not saved yet.
Reply<StackRun> stack_of(State& state, const Call& call, const api::CreateChangeSetInput& in, bool creates) {
  const auto key = find_stack(state, call, *in.stack_name);
  auto run = key ? StackRun::open(state, *key) : std::nullopt;
  const bool in_review = run && run->stack.stack_status == "REVIEW_IN_PROGRESS";
  if (creates && run && !in_review) {
    return invalid(
        fmt::format("Stack [{}] already exists and cannot be created again with the changeSet [{}].",
                    *in.stack_name, *in.change_set_name));
  }
  if (!creates && (!run || in_review || run->stack.stack_status == "DELETE_COMPLETE")) {
    return invalid(fmt::format("Stack [{}] does not exist", *in.stack_name));
  }
  if (run && !creates) {
    if (auto refusal = refuse_update(run->stack)) return std::unexpected(std::move(*refusal));
  }
  if (run) return std::move(*run);
  if (auto refusal = refuse_stack_name(*in.stack_name)) return std::unexpected(std::move(*refusal));
  auto definition = definition_of(in, nullptr);
  if (!definition) return std::unexpected(std::move(definition.error()));
  return make_stack(state, call, *in.stack_name, std::move(*definition));
}

api::DescribeChangeSetOutput answer_of(const State& state, const StackRun& run,
                                       const api::CreateChangeSetInput& in, const std::string& id,
                                       const Definition& definition, ChangePlan plan) {
  std::vector<api::Parameter> parameters;
  for (const auto& [name, value] : definition.parameters) {
    parameters.push_back({.parameter_key = name, .parameter_value = value});
  }
  std::vector<api::Tag> tags;
  for (const auto& [key, value] : definition.tags) tags.push_back({.key = key, .value = value});
  return {.change_set_name = in.change_set_name,
          .change_set_id = id,
          .stack_id = run.stack.stack_id,
          .stack_name = run.stack.stack_name,
          .description = in.description,
          .parameters = std::move(parameters),
          .creation_time = timestamp(state.world.now()),
          .execution_status = "UNAVAILABLE",
          .status = "CREATE_IN_PROGRESS",
          .status_reason = plan.changes_nothing ? std::optional<std::string>(k_no_changes) : std::nullopt,
          .capabilities = aws::items(in.capabilities),
          .tags = std::move(tags),
          .changes = std::move(plan.changes),
          .include_nested_stacks = false,
          .on_stack_failure = in.on_stack_failure,
          .import_existing_resources = false};
}

}  // namespace

void advance_change_set(State& state, const std::string& key) {
  state.change_sets.edit(key, [](ChangeSetRecord& record) {
    const bool fails = record.shown.contains("StatusReason");
    record.shown["Status"] = fails ? "FAILED" : "CREATE_COMPLETE";
    record.shown["ExecutionStatus"] = fails ? "UNAVAILABLE" : "AVAILABLE";
  });
}

Reply<api::CreateChangeSetOutput> create_change_set(State& state, Engine&, const Call& call,
                                                    const api::CreateChangeSetInput& in) {
  static const Pattern k_name("^[a-zA-Z][-a-zA-Z0-9]{0,127}$");
  if (!k_name.matches(*in.change_set_name)) {
    return invalid(
        fmt::format("1 validation error detected: Value '{}' at 'changeSetName' failed to satisfy "
                    "constraint: Member must satisfy regular expression pattern: [a-zA-Z][-a-zA-Z0-9]*",
                    *in.change_set_name));
  }
  const std::string type = in.change_set_type.value_or("UPDATE");
  if (type != "CREATE" && type != "UPDATE") {
    return invalid(fmt::format("The sandbox does not simulate change sets of type {}.", type));
  }
  auto run = stack_of(state, call, in, type == "CREATE");
  if (!run) return std::unexpected(std::move(run.error()));
  if (find_change_set(state, call, *in.change_set_name, *in.stack_name)) {
    return fault("AlreadyExistsException",
                 fmt::format("ChangeSet {} cannot be created due to a mismatch with "
                             "existing attribute ChangeSetName",
                             *in.change_set_name));
  }
  const bool updates = type == "UPDATE";
  auto definition = definition_of(in, updates ? &run->work.definition : nullptr);
  if (!definition) return std::unexpected(std::move(definition.error()));
  auto plan = plan_changes(state, call, {*run->stack.stack_id, *run->stack.stack_name}, *definition,
                           aws::items(in.capabilities), updates ? &run->stack : nullptr,
                           updates ? &run->work : nullptr);
  if (!plan) return std::unexpected(std::move(plan.error()));

  if (!updates && !run->stack.stack_status) {
    run->stack_event("REVIEW_IN_PROGRESS", "User Initiated");
    run->save();
  }
  const std::string id =
      make_arn("cloudformation", call.region, state.world.account(),
               fmt::format("changeSet/{}/{}", *in.change_set_name, state.world.make_request_id()));
  const std::string key = regional_id(call.region, id);
  auto answer = answer_of(state, *run, in, id, *definition, std::move(*plan));
  state.change_sets.put(key, {.stack_key = run->key(),
                              .type = type,
                              .definition = std::move(*definition),
                              .capabilities = aws::items(in.capabilities),
                              .on_failure = in.on_stack_failure,
                              .shown = record_to_json(answer)});
  state.world.set_timer(k_change_set_timer, key, k_time_to_compute);
  return api::CreateChangeSetOutput{.id = id, .stack_id = run->stack.stack_id};
}

Reply<api::DescribeChangeSetOutput> describe_change_set(State& state, Engine&, const Call& call,
                                                        const api::DescribeChangeSetInput& in) {
  const auto key = find_change_set(state, call, *in.change_set_name, in.stack_name);
  if (!key) return no_change_set(*in.change_set_name);
  return shown(*state.change_sets.find(*key));
}

Reply<api::ExecuteChangeSetOutput> execute_change_set(State& state, Engine& engine, const Call& call,
                                                      const api::ExecuteChangeSetInput& in) {
  const auto key = find_change_set(state, call, *in.change_set_name, in.stack_name);
  if (!key) return no_change_set(*in.change_set_name);
  const ChangeSetRecord record = *state.change_sets.find(*key);
  if (record.shown.at("ExecutionStatus").as_string() != "AVAILABLE") {
    return fault("InvalidChangeSetStatus",
                 fmt::format("ChangeSet [{}] cannot be executed in its current status of [{}]",
                             std::string_view(record.shown.at("ChangeSetId").as_string()),
                             std::string_view(record.shown.at("Status").as_string())));
  }
  auto run = StackRun::open(state, record.stack_key);
  if (!run) return no_change_set(*in.change_set_name);
  const bool creates = record.type == "CREATE";
  if (!creates) {
    if (auto refusal = refuse_update(run->stack)) return std::unexpected(std::move(*refusal));
  }
  run->stack.capabilities = record.capabilities;
  run->stack.change_set_id = std::string(record.shown.at("ChangeSetId").as_string());
  take_over(*run, call, std::nullopt, in.client_request_token);
  const bool keeps = in.disable_rollback.value_or(false);
  if (creates) {
    run->work.definition = record.definition;
    run->work.on_failure = record.on_failure.value_or(keeps ? "DO_NOTHING" : "ROLLBACK");
    run->show_definition();
    engine.begin_creation(*run, "User Initiated");
  } else {
    run->work.keeps_failed_update = keeps;
    engine.begin_update(*run, record.definition);
  }
  run->save();
  // What the others told is no longer so.
  std::vector<std::string> others;
  for (const auto& [other, entry] : state.change_sets.starting_with(call.region + "/")) {
    if (entry.stack_key == record.stack_key && other != *key) others.push_back(other);
  }
  for (const auto& other : others) state.change_sets.erase(other);
  state.change_sets.edit(*key,
                         [](ChangeSetRecord& entry) { entry.shown["ExecutionStatus"] = "EXECUTE_COMPLETE"; });
  return api::ExecuteChangeSetOutput{};
}

Reply<api::DeleteChangeSetOutput> delete_change_set(State& state, Engine&, const Call& call,
                                                    const api::DeleteChangeSetInput& in) {
  if (const auto key = find_change_set(state, call, *in.change_set_name, in.stack_name)) {
    state.world.cancel_timer(k_change_set_timer, *key);
    state.change_sets.erase(*key);
  }
  return api::DeleteChangeSetOutput{};
}

}  // namespace instantstart::sandbox::cloudformation
