#include "sandbox/services/iam/simulation.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/pattern.h"
#include "base/text.h"
#include "sandbox/services/iam/managed_policies.h"
#include "sandbox/services/iam/paging.h"
#include "sandbox/services/iam/policy.h"
#include "sandbox/services/iam/roles.h"

namespace instantstart::sandbox::iam {
namespace {

using aws::iam::EvaluationResult;
using Policies = std::vector<NamedPolicy>;

/// The user that the account begins with (sandbox/core/access_keys.cpp).
constexpr std::string_view k_own_user = ":user/sandbox";

std::unexpected<AwsFault> invalid(std::string message) { return fault("InvalidInput", std::move(message)); }

std::optional<AwsFault> add_managed(std::string_view arn, Policies& policies) {
  const ManagedPolicy* policy = find_managed_policy(arn);
  if (!policy) return fault("NoSuchEntity", fmt::format("Policy {} was not found.", arn)).error();
  if (policy->document.empty()) {
    return invalid(fmt::format("The sandbox does not know what {} allows.", arn)).error();
  }
  policies.push_back({.id = std::string(policy->name),
                      .document = parse_policy(policy->document, PolicyKind::identity).value()});
  return std::nullopt;
}

std::optional<AwsFault> add_texts(const std::optional<std::vector<std::string>>& texts, std::string_view list,
                                  Policies& policies) {
  int number = 0;
  for (const auto& text : aws::items(texts)) {
    auto document = parse_policy(text, PolicyKind::identity);
    if (!document) return invalid(document.error()).error();
    policies.push_back({.id = fmt::format("{}.{}", list, ++number), .document = std::move(*document)});
  }
  return std::nullopt;
}

struct Source {
  Policies policies;
  std::optional<std::string> boundary;
};

Reply<Source> source_of(const State& state, const std::string& arn) {
  static const Pattern k_role("^arn:aws[a-z-]*:iam::[0-9]{12}:role/");
  Source source;
  if (arn.ends_with(k_own_user) && arn.find(state.world.account()) != std::string::npos) {
    if (auto refusal = add_managed("arn:aws:iam::aws:policy/AdministratorAccess", source.policies)) {
      return std::unexpected(std::move(*refusal));
    }
    return source;
  }
  if (!k_role.matches(arn)) {
    return invalid(fmt::format("Invalid Entity Arn: {} does not clearly define entity type and name.", arn));
  }
  const aws::iam::Role* role = find_role_by_arn(state, arn);
  if (!role) {
    return fault("NoSuchEntity",
                 fmt::format("The role with name {} cannot be found.", arn.substr(arn.rfind('/') + 1)));
  }
  const std::string prefix = role_key(*role->role_name) + "/";
  for (const auto& [key, attached] : state.attached_policies.starting_with(prefix)) {
    if (auto refusal = add_managed(*attached.policy_arn, source.policies)) {
      return std::unexpected(std::move(*refusal));
    }
  }
  for (const auto& [key, policy] : state.inline_policies.starting_with(prefix)) {
    source.policies.push_back(
        {.id = fmt::format("role_{}_{}", *policy.role_name, *policy.policy_name),
         .document = parse_policy(*policy.policy_document, PolicyKind::identity).value_or(PolicyDocument{})});
  }
  if (role->permissions_boundary) source.boundary = role->permissions_boundary->permissions_boundary_arn;
  return source;
}

std::map<std::string, std::vector<std::string>> context_of(
    const State& state, const aws::iam::SimulatePrincipalPolicyRequest& in) {
  std::map<std::string, std::vector<std::string>> context{{"aws:principalarn", {*in.policy_source_arn}},
                                                          {"aws:principalaccount", {state.world.account()}}};
  for (const auto& entry : aws::items(in.context_entries)) {
    context.insert_or_assign(to_lower(entry.context_key_name.value_or("")),
                             aws::items(entry.context_key_values));
  }
  return context;
}

std::string_view word_of(Decision decision) {
  switch (decision) {
    case Decision::allowed: return "allowed";
    case Decision::explicit_deny: return "explicitDeny";
    case Decision::implicit_deny: break;
  }
  return "implicitDeny";
}

/// What both say together; `boundary` is nullptr when there is none.
EvaluationResult result_of(const Policies& policies, const Policies* boundary, const AccessRequest& request) {
  Verdict verdict = evaluate(policies, request);
  EvaluationResult result{.eval_action_name = request.action,
                          .eval_resource_name = request.resource,
                          .matched_statements = std::vector<aws::iam::Statement>{},
                          .missing_context_values = std::vector<std::string>(verdict.missing_keys.begin(),
                                                                             verdict.missing_keys.end())};
  for (auto& id : verdict.matched) {
    result.matched_statements->push_back(
        {.source_policy_id = std::move(id), .source_policy_type = "IAM Policy"});
  }
  if (boundary) {
    const Verdict limit = evaluate(*boundary, request);
    const bool allowed = limit.decision == Decision::allowed;
    result.permissions_boundary_decision_detail =
        aws::iam::PermissionsBoundaryDecisionDetail{.allowed_by_permissions_boundary = allowed};
    if (limit.decision == Decision::explicit_deny) {
      verdict.decision = Decision::explicit_deny;
    } else if (!allowed && verdict.decision == Decision::allowed) {
      verdict.decision = Decision::implicit_deny;
    }
  }
  result.eval_decision = std::string(word_of(verdict.decision));
  return result;
}

std::optional<AwsFault> refuse_input(const aws::iam::SimulatePrincipalPolicyRequest& in) {
  static const Pattern k_action("^[A-Za-z0-9-]+:[A-Za-z0-9]+$");
  if (in.resource_policy || in.resource_handling_option) {
    return invalid("The sandbox does not simulate resource policies and resource handling options.").error();
  }
  if (!aws::items(in.policy_exclusion_list).empty()) {
    return invalid("The sandbox does not simulate policy exclusions.").error();
  }
  for (const auto& action : aws::items(in.action_names)) {
    if (!k_action.matches(action)) return invalid(fmt::format("Invalid action name: {}", action)).error();
  }
  return std::nullopt;
}

}  // namespace

Reply<aws::iam::SimulatePolicyResponse> simulate_principal_policy(
    State& state, const Call&, const aws::iam::SimulatePrincipalPolicyRequest& in) {
  if (auto refusal = refuse_input(in)) return std::unexpected(std::move(*refusal));
  auto source = source_of(state, *in.policy_source_arn);
  if (!source) return std::unexpected(std::move(source.error()));
  if (auto refusal = add_texts(in.policy_input_list, "PolicyInputList", source->policies)) {
    return std::unexpected(std::move(*refusal));
  }
  // The request's boundary takes the place of the role's.
  Policies boundary;
  auto refusal =
      add_texts(in.permissions_boundary_policy_input_list, "PermissionsBoundaryPolicyInputList", boundary);
  if (!refusal && boundary.empty() && source->boundary) refusal = add_managed(*source->boundary, boundary);
  if (refusal) return std::unexpected(std::move(*refusal));

  AccessRequest request{.context = context_of(state, in)};
  const auto resources = in.resource_arns.value_or(std::vector<std::string>{"*"});
  std::vector<std::pair<std::string, EvaluationResult>> results;
  for (const auto& action : *in.action_names) {
    for (const auto& resource : resources) {
      request.action = action;
      request.resource = resource;
      results.emplace_back(fmt::format("{:08}", results.size() + 1),
                           result_of(source->policies, boundary.empty() ? nullptr : &boundary, request));
    }
  }
  auto page = page_of(std::move(results), in);
  if (!page) return std::unexpected(std::move(page.error()));
  return aws::iam::SimulatePolicyResponse{.evaluation_results = std::move(page->items),
                                          .is_truncated = page->is_truncated,
                                          .marker = page->marker};
}

}  // namespace instantstart::sandbox::iam
