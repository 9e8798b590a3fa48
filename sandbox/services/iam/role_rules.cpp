#include "sandbox/services/iam/role_rules.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/pattern.h"
#include "base/text.h"
#include "sandbox/services/iam/policy_document.h"
#include "sandbox/services/iam/roles.h"

namespace instantstart::sandbox::iam {
namespace {

constexpr std::size_t k_longest_path = 512;

AwsFault invalid(std::string message) { return fault("ValidationError", std::move(message)).error(); }

AwsFault malformed(std::string message) {
  return fault("MalformedPolicyDocument", std::move(message)).error();
}

/// Whether a principal of the own account is there. Others are not for us to know.
bool exists(const State& state, const std::string& name) {
  static const Pattern k_own_role("^arn:aws[a-z-]*:iam::[0-9]{12}:role/");
  const bool is_own = name.find(fmt::format("::{}:", state.world.account())) != std::string::npos;
  return !is_own || !k_own_role.matches(name) || find_role_by_arn(state, name);
}

}  // namespace

std::optional<AwsFault> refuse_name(std::string_view name, std::string_view parameter) {
  static const Pattern k_name("^[A-Za-z0-9+=,.@_-]+$");
  if (k_name.matches(name)) return std::nullopt;
  return invalid(
      fmt::format("The specified value for {} is invalid. It must contain only alphanumeric characters "
                  "and/or the following: +=,.@_-",
                  parameter));
}

std::optional<AwsFault> refuse_path(std::string_view path) {
  static const Pattern k_path("^(/|/[!-~]+/)$");
  if (path.size() <= k_longest_path && k_path.matches(path)) return std::nullopt;
  return invalid(
      "The specified value for path is invalid. It must begin and end with / and contain only alphanumeric "
      "characters and/or / characters.");
}

std::optional<AwsFault> refuse_trust_policy(const State& state, std::string_view document) {
  const auto policy = parse_policy(document, PolicyKind::trust);
  if (!policy) return malformed(policy.error());
  for (const auto& statement : policy->statements) {
    for (const auto& [kind, name] : statement.principals) {
      if (kind != "AWS" || exists(state, name)) continue;
      return malformed(fmt::format("Invalid principal in policy: \"AWS\":\"{}\"", name));
    }
  }
  if (characters_without_space(document) <= state.limits.trust_policy_characters) return std::nullopt;
  return fault("LimitExceeded", fmt::format("Cannot exceed quota for ACLSizePerRole: {}",
                                            state.limits.trust_policy_characters))
      .error();
}

std::optional<AwsFault> refuse_tags(const State& state, const Call& call,
                                    const std::vector<aws::iam::Tag>& present,
                                    const std::vector<aws::iam::Tag>& added) {
  std::set<std::string> keys;
  for (const auto& tag : added) {
    const std::string key = to_lower(tag.key.value_or(""));
    if (key.starts_with("aws:") && call.invoked_by.empty()) {
      return fault("InvalidInput", "System tags cannot be added/updated/removed").error();
    }
    if (!keys.insert(key).second) {
      return fault("InvalidInput",
                   "Duplicate tag keys found. Please note that Tag keys are case insensitive.")
          .error();
    }
  }
  for (const auto& tag : present) keys.insert(to_lower(*tag.key));
  if (keys.size() <= state.limits.tags_per_role) return std::nullopt;
  return fault("LimitExceeded", fmt::format("The number of tags has reached the maximum limit: {}.",
                                            state.limits.tags_per_role))
      .error();
}

}  // namespace instantstart::sandbox::iam
