// Conditions of policy statements: "IAM JSON policy elements: Condition operators". Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sandbox/services/iam/policy.h"

namespace instantstart::sandbox::iam {

/// The text with each ${key} replaced by the request's only value of that key, and ${*}, ${?}, ${$} by that
/// character; nullopt when there is no such value.
std::optional<std::string> with_variables(std::string_view text, const AccessRequest& request);

/// Strings, ARNs, Bool and Null, with IfExists, ForAllValues and ForAnyValue; false for what is not known.
bool holds(const PolicyCondition& condition, const AccessRequest& request);

}  // namespace instantstart::sandbox::iam
