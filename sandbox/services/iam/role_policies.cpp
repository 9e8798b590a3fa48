#include "sandbox/services/iam/role_policies.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/time.h"
#include "sandbox/services/iam/managed_policies.h"
#include "sandbox/services/iam/paging.h"
#include "sandbox/services/iam/policy_document.h"
#include "sandbox/services/iam/role_rules.h"
#include "sandbox/services/iam/roles.h"

namespace instantstart::sandbox::iam {
namespace {

using aws::iam::AttachedPolicy;
using aws::iam::GetRolePolicyResponse;

std::string part_key(std::string_view role_name, std::string_view name) {
  return fmt::format("{}/{}", role_key(role_name), name);
}

/// The characters that the role's inline policies would have with this one.
std::size_t size_with(const State& state, const aws::iam::PutRolePolicyRequest& in) {
  std::size_t size = characters_without_space(*in.policy_document);
  for (const auto& [key, policy] : state.inline_policies.starting_with(role_key(*in.role_name) + "/")) {
    if (policy.policy_name != in.policy_name) size += characters_without_space(*policy.policy_document);
  }
  return size;
}

std::unexpected<AwsFault> no_inline_policy(std::string_view name) {
  return fault("NoSuchEntity", fmt::format("The role policy with name {} cannot be found.", name));
}

/// AWS's ids are stable; these are made of the name, so that they are too.
std::string policy_id(const ManagedPolicy& policy) {
  const Sha256 digest = sha256(policy.name);
  std::string id = "ANPA";
  for (const std::uint8_t byte : std::span(digest).first(17)) {
    id += "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[byte % 32];
  }
  return id;
}

aws::Timestamp time_of(std::string_view text) { return timestamp(parse_rfc3339(text).value_or(WallTime{})); }

}  // namespace

Reply<aws::Empty> put_role_policy(State& state, const Call&, const aws::iam::PutRolePolicyRequest& in) {
  const auto role = find_own_role(state, *in.role_name);
  if (!role) return std::unexpected(role.error());
  if (auto refusal = refuse_name(*in.policy_name, "policyName")) return std::unexpected(std::move(*refusal));
  if (const auto policy = parse_policy(*in.policy_document, PolicyKind::identity); !policy) {
    return fault("MalformedPolicyDocument", policy.error());
  }
  if (size_with(state, in) > state.limits.inline_policies_characters) {
    return fault("LimitExceeded", fmt::format("Maximum policy size of {} bytes exceeded for role {}",
                                              state.limits.inline_policies_characters, *in.role_name));
  }
  state.inline_policies.put(
      part_key(*in.role_name, *in.policy_name),
      {.role_name = in.role_name, .policy_name = in.policy_name, .policy_document = in.policy_document});
  return {};
}

Reply<GetRolePolicyResponse> get_role_policy(State& state, const Call&,
                                             const aws::iam::GetRolePolicyRequest& in) {
  const auto role = find_role(state, *in.role_name);
  if (!role) return std::unexpected(role.error());
  const auto* policy = state.inline_policies.find(part_key(*in.role_name, *in.policy_name));
  if (!policy) return no_inline_policy(*in.policy_name);
  GetRolePolicyResponse copy = *policy;
  copy.policy_document = percent_encode(*copy.policy_document);
  return copy;
}

Reply<aws::Empty> delete_role_policy(State& state, const Call&, const aws::iam::DeleteRolePolicyRequest& in) {
  const auto role = find_own_role(state, *in.role_name);
  if (!role) return std::unexpected(role.error());
  if (!state.inline_policies.erase(part_key(*in.role_name, *in.policy_name))) {
    return no_inline_policy(*in.policy_name);
  }
  return {};
}

Reply<aws::iam::ListRolePoliciesResponse> list_role_policies(State& state, const Call&,
                                                             const aws::iam::ListRolePoliciesRequest& in) {
  const auto role = find_role(state, *in.role_name);
  if (!role) return std::unexpected(role.error());
  std::vector<std::pair<std::string, std::string>> sorted;
  for (const auto& [key, policy] : state.inline_policies.starting_with(role_key(*in.role_name) + "/")) {
    sorted.emplace_back(key, *policy.policy_name);
  }
  auto page = page_of(std::move(sorted), in);
  if (!page) return std::unexpected(std::move(page.error()));
  return aws::iam::ListRolePoliciesResponse{
      .policy_names = std::move(page->items), .is_truncated = page->is_truncated, .marker = page->marker};
}

Reply<aws::Empty> attach_role_policy(State& state, const Call&, const aws::iam::AttachRolePolicyRequest& in) {
  const auto role = find_own_role(state, *in.role_name);
  if (!role) return std::unexpected(role.error());
  const ManagedPolicy* policy = find_managed_policy(*in.policy_arn);
  if (!policy) {
    return fault("NoSuchEntity",
                 fmt::format("Policy {} does not exist or is not attachable.", *in.policy_arn));
  }
  if (policy->path == "/aws-service-role/") {
    return fault("PolicyNotAttachable", "Cannot attach a Service Role Policy to a Customer Role.");
  }
  const std::string key = part_key(*in.role_name, *in.policy_arn);
  if (state.attached_policies.contains(key)) return {};
  const auto attached =
      std::ranges::distance(state.attached_policies.starting_with(role_key(*in.role_name) + "/"));
  if (static_cast<std::size_t>(attached) >= state.limits.managed_policies_per_role) {
    return fault("LimitExceeded", fmt::format("Cannot exceed quota for PoliciesPerRole: {}",
                                              state.limits.managed_policies_per_role));
  }
  state.attached_policies.put(key, {.policy_name = std::string(policy->name), .policy_arn = in.policy_arn});
  return {};
}

Reply<aws::Empty> detach_role_policy(State& state, const Call&, const aws::iam::DetachRolePolicyRequest& in) {
  const auto role = find_own_role(state, *in.role_name);
  if (!role) return std::unexpected(role.error());
  if (!state.attached_policies.erase(part_key(*in.role_name, *in.policy_arn))) {
    return fault("NoSuchEntity", fmt::format("Policy {} was not found.", *in.policy_arn));
  }
  return {};
}

Reply<aws::iam::ListAttachedRolePoliciesResponse> list_attached_role_policies(
    State& state, const Call&, const aws::iam::ListAttachedRolePoliciesRequest& in) {
  const auto role = find_role(state, *in.role_name);
  if (!role) return std::unexpected(role.error());
  std::vector<std::pair<std::string, AttachedPolicy>> sorted;
  for (const auto& [key, policy] : state.attached_policies.starting_with(role_key(*in.role_name) + "/")) {
    if (find_managed_policy(*policy.policy_arn)->path.starts_with(in.path_prefix.value_or("/"))) {
      sorted.emplace_back(key, policy);
    }
  }
  auto page = page_of(std::move(sorted), in);
  if (!page) return std::unexpected(std::move(page.error()));
  return aws::iam::ListAttachedRolePoliciesResponse{.attached_policies = std::move(page->items),
                                                    .is_truncated = page->is_truncated,
                                                    .marker = page->marker};
}

Reply<aws::iam::GetPolicyResponse> get_policy(State& state, const Call&,
                                              const aws::iam::GetPolicyRequest& in) {
  const ManagedPolicy* policy = find_managed_policy(*in.policy_arn);
  if (!policy) return fault("NoSuchEntity", fmt::format("Policy {} was not found.", *in.policy_arn));
  const auto attachments = std::ranges::count_if(
      state.attached_policies, [&in](const auto& entry) { return entry.second.policy_arn == in.policy_arn; });
  return aws::iam::GetPolicyResponse{.policy =
                                         aws::iam::Policy{.policy_name = std::string(policy->name),
                                                          .policy_id = policy_id(*policy),
                                                          .arn = in.policy_arn,
                                                          .path = std::string(policy->path),
                                                          .default_version_id = std::string(policy->version),
                                                          .attachment_count = attachments,
                                                          .permissions_boundary_usage_count = 0,
                                                          .is_attachable = true,
                                                          .create_date = time_of(policy->created),
                                                          .update_date = time_of(policy->updated),
                                                          .tags = std::vector<aws::iam::Tag>{}}};
}

}  // namespace instantstart::sandbox::iam
