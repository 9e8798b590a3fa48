// The operations on stacks.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sandbox/services/cloudformation/engine.h"
#include "sandbox/services/cloudformation/records.h"

namespace instantstart::sandbox::cloudformation {

/// By name, a stack that is not deleted; by ARN, any.
std::optional<std::string> find_stack(const State& state, const Call& call, std::string_view name_or_id);
/// A new stack's records, without status or event; its key.
StackRun make_stack(State& state, const Call& call, const std::string& name, Definition definition);
/// Takes over whose call the coming operation is, and what the fault plan wants of it.
void take_over(StackRun& run, const Call& call, const std::optional<std::string>& role_arn,
               const std::optional<std::string>& token);
/// ValidationError unless the stack is in a state that can be updated.
std::optional<AwsFault> refuse_update(const api::Stack& stack);

Reply<api::CreateStackOutput> create_stack(State& state, Engine& engine, const Call& call,
                                           const api::CreateStackInput& in);
Reply<api::UpdateStackOutput> update_stack(State& state, Engine& engine, const Call& call,
                                           const api::UpdateStackInput& in);
Reply<aws::Empty> delete_stack(State& state, Engine& engine, const Call& call,
                               const api::DeleteStackInput& in);
Reply<api::UpdateTerminationProtectionOutput> update_termination_protection(
    State& state, Engine& engine, const Call& call, const api::UpdateTerminationProtectionInput& in);

}  // namespace instantstart::sandbox::cloudformation
