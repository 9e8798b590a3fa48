// What a role's parts must be like.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/services/iam/state.h"

namespace instantstart::sandbox::iam {

/// Letters, digits and +=,.@_-
std::optional<AwsFault> refuse_name(std::string_view name, std::string_view parameter);
/// "/" or "/a/b/".
std::optional<AwsFault> refuse_path(std::string_view path);
/// MalformedPolicyDocument: also for principals of the own account that don't exist. LimitExceeded.
std::optional<AwsFault> refuse_trust_policy(const State& state, std::string_view document);
/// Keys that differ only in case are one key; those of `present` stay, so they count. "aws:" keys are for
/// AWS's services, which call for somebody.
std::optional<AwsFault> refuse_tags(const State& state, const Call& call,
                                    const std::vector<aws::iam::Tag>& present,
                                    const std::vector<aws::iam::Tag>& added);

}  // namespace instantstart::sandbox::iam
