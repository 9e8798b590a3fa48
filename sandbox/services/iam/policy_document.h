// IAM policy documents: read strictly, as IAM does before it stores one ("IAM JSON policy elements
// reference").
#pragma once

#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sandbox/core/policy_condition.h"

namespace instantstart::sandbox::iam {

struct PolicyStatement {
  std::string id;  ///< Sid; may be empty.
  bool allows = false;
  std::vector<std::string> actions;
  bool all_but_actions = false;  ///< NotAction
  std::vector<std::string> resources;
  bool all_but_resources = false;  ///< NotResource
  /// Pairs of kind and name, {"Service", "eks.amazonaws.com"}; {"*", "*"} is anybody.
  std::vector<std::pair<std::string, std::string>> principals;
  std::vector<PolicyCondition> conditions;
};

struct PolicyDocument {
  std::vector<PolicyStatement> statements;
};

enum class PolicyKind {
  identity,  ///< What a role may do: has resources, no principal.
  trust,     ///< Who may assume a role: has principals, no resources.
};

/// The complaint is a sentence as IAM puts it into MalformedPolicyDocument.
std::expected<PolicyDocument, std::string> parse_policy(std::string_view text, PolicyKind kind);

}  // namespace instantstart::sandbox::iam
