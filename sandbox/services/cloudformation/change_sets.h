// Change sets: what an operation would do, kept until somebody carries it out.
#pragma once

#include <string>
#include <string_view>

#include "sandbox/services/cloudformation/engine.h"
#include "sandbox/services/cloudformation/records.h"

namespace instantstart::sandbox::cloudformation {

inline constexpr std::string_view k_change_set_timer = "cloudformation.change_set";

/// The time that computing it takes is over.
void advance_change_set(State& state, const std::string& key);

Reply<api::CreateChangeSetOutput> create_change_set(State& state, Engine& engine, const Call& call,
                                                    const api::CreateChangeSetInput& in);
Reply<api::DescribeChangeSetOutput> describe_change_set(State& state, Engine& engine, const Call& call,
                                                        const api::DescribeChangeSetInput& in);
Reply<api::ExecuteChangeSetOutput> execute_change_set(State& state, Engine& engine, const Call& call,
                                                      const api::ExecuteChangeSetInput& in);
Reply<api::DeleteChangeSetOutput> delete_change_set(State& state, Engine& engine, const Call& call,
                                                    const api::DeleteChangeSetInput& in);

}  // namespace instantstart::sandbox::cloudformation
