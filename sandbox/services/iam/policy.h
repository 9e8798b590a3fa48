// What policies say about a request: "Policy evaluation logic" in the IAM user guide, for identity policies
// and a permissions boundary. Pure.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/services/iam/policy_document.h"

namespace instantstart::sandbox::iam {

struct AccessRequest {
  std::string action;    ///< "ec2:CreateVpc"
  std::string resource;  ///< An ARN, or "*".
  ConditionContext context;
};

struct NamedPolicy {
  std::string id;
  PolicyDocument document;
};

enum class Decision { allowed, explicit_deny, implicit_deny };

struct Verdict {
  Decision decision = Decision::implicit_deny;
  /// The policies with a statement that decided, in order: those that deny, else those that allow.
  std::vector<std::string> matched;
  /// Condition keys that statements about this action and resource ask for and the request has no value of.
  std::set<std::string> missing_keys;
};

/// A deny wins over every allow; without an allow the answer is implicit_deny. A condition that is not known
/// (numbers, dates, addresses) makes an allow not apply, and a deny apply.
Verdict evaluate(std::span<const NamedPolicy> policies, const AccessRequest& request);

}  // namespace instantstart::sandbox::iam
