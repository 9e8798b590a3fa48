#include "sandbox/services/iam/roles.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "sandbox/core/arn.h"
#include "sandbox/services/iam/managed_policies.h"
#include "sandbox/services/iam/paging.h"
#include "sandbox/services/iam/role_rules.h"

namespace instantstart::sandbox::iam {
namespace {

using aws::iam::Role;
using aws::iam::Tag;

constexpr std::string_view k_service_path = "/aws-service-role/";

std::optional<AwsFault> refuse_boundary(const std::optional<std::string>& arn) {
  if (!arn || find_managed_policy(*arn)) return std::nullopt;
  return fault("NoSuchEntity", fmt::format("Scope ARN: {} does not exist or is not attachable.", *arn))
      .error();
}

std::optional<AwsFault> refuse_role(const State& state, const Call& call,
                                    const aws::iam::CreateRoleRequest& in) {
  if (auto refusal = refuse_name(*in.role_name, "roleName")) return refusal;
  if (auto refusal = refuse_path(in.path.value_or("/"))) return refusal;
  if (in.path.value_or("/").starts_with(k_service_path)) {
    return fault("ValidationError", "Only AWS services may make roles with the path /aws-service-role/.")
        .error();
  }
  if (state.roles.contains(role_key(*in.role_name))) {
    return fault("EntityAlreadyExists", fmt::format("Role with name {} already exists.", *in.role_name))
        .error();
  }
  if (auto refusal = refuse_trust_policy(state, *in.assume_role_policy_document)) return refusal;
  if (auto refusal = refuse_tags(state, call, {}, aws::items(in.tags))) return refusal;
  if (auto refusal = refuse_boundary(in.permissions_boundary)) return refusal;
  if (state.roles.size() < state.limits.roles) return std::nullopt;
  return fault("LimitExceeded",
               fmt::format("Cannot exceed quota for RolesPerAccount: {}", state.limits.roles))
      .error();
}

}  // namespace

std::string role_key(std::string_view name) { return to_lower(name); }

Reply<const Role*> find_role(const State& state, std::string_view name) {
  const Role* role = state.roles.find(role_key(name));
  if (role && role->role_name == name) return role;
  return fault("NoSuchEntity", fmt::format("The role with name {} cannot be found.", name));
}

const Role* find_role_by_arn(const State& state, std::string_view arn) {
  const auto slash = arn.rfind('/');
  if (slash == std::string_view::npos) return nullptr;
  const Role* role = state.roles.find(role_key(arn.substr(slash + 1)));
  return role && role->arn == arn ? role : nullptr;
}

Reply<const Role*> find_own_role(const State& state, std::string_view name) {
  auto role = find_role(state, name);
  if (!role || !(*role)->path->starts_with(k_service_path)) return role;
  return fault(
      "UnmodifiableEntity",
      fmt::format("Cannot perform the operation on the protected role '{}' - this role is only modifiable "
                  "by AWS",
                  name));
}

const Role& make_role(State& state, std::string_view region, const RoleSpec& spec) {
  Role role{.path = spec.path,
            .role_name = spec.name,
            .role_id = state.world.make_capital_id("AROA"),
            .arn = make_global_arn("iam", region, state.world.account(),
                                   fmt::format("role{}{}", spec.path, spec.name)),
            .create_date = timestamp(state.world.now()),
            .assume_role_policy_document = spec.trust_policy,
            .description = spec.description,
            .max_session_duration = spec.max_session_seconds};
  if (spec.boundary) {
    role.permissions_boundary = aws::iam::AttachedPermissionsBoundary{
        .permissions_boundary_type = "Policy", .permissions_boundary_arn = spec.boundary};
  }
  if (!spec.tags.empty()) role.tags = spec.tags;
  const std::string key = role_key(spec.name);
  state.roles.put(key, std::move(role));
  return *state.roles.find(key);
}

Role shown(Role role) {
  role.assume_role_policy_document = percent_encode(*role.assume_role_policy_document);
  return role;
}

Reply<aws::iam::CreateRoleResponse> create_role(State& state, const Call& call,
                                                const aws::iam::CreateRoleRequest& in) {
  if (auto refusal = refuse_role(state, call, in)) return std::unexpected(std::move(*refusal));
  const Role& role = make_role(state, call.region,
                               {.path = in.path.value_or("/"),
                                .name = *in.role_name,
                                .trust_policy = *in.assume_role_policy_document,
                                .description = in.description,
                                .max_session_seconds = in.max_session_duration.value_or(3600),
                                .boundary = in.permissions_boundary,
                                .tags = aws::items(in.tags)});
  return aws::iam::CreateRoleResponse{.role = shown(role)};
}

Reply<aws::iam::GetRoleResponse> get_role(State& state, const Call&, const aws::iam::GetRoleRequest& in) {
  const auto role = find_role(state, *in.role_name);
  if (!role) return std::unexpected(role.error());
  Role copy = shown(**role);
  copy.role_last_used.emplace();
  return aws::iam::GetRoleResponse{.role = std::move(copy)};
}

Reply<aws::iam::ListRolesResponse> list_roles(State& state, const Call&,
                                              const aws::iam::ListRolesRequest& in) {
  std::vector<std::pair<std::string, Role>> sorted;
  for (const auto& [key, role] : state.roles) {
    if (!role.path->starts_with(in.path_prefix.value_or("/"))) continue;
    Role copy = shown(role);
    copy.tags.reset();  // Lists show a part only, says ListRoles' documentation.
    copy.permissions_boundary.reset();
    sorted.emplace_back(key, std::move(copy));
  }
  auto page = page_of(std::move(sorted), in);
  if (!page) return std::unexpected(std::move(page.error()));
  return aws::iam::ListRolesResponse{
      .roles = std::move(page->items), .is_truncated = page->is_truncated, .marker = page->marker};
}

Reply<aws::Empty> delete_role(State& state, const Call&, const aws::iam::DeleteRoleRequest& in) {
  const auto role = find_own_role(state, *in.role_name);
  if (!role) return std::unexpected(role.error());
  const std::string key = role_key(*in.role_name);
  if (!state.attached_policies.starting_with(key + "/").empty()) {
    return fault("DeleteConflict", "Cannot delete entity, must detach all policies first.");
  }
  if (!state.inline_policies.starting_with(key + "/").empty()) {
    return fault("DeleteConflict", "Cannot delete entity, must delete policies first.");
  }
  state.roles.erase(key);
  return {};
}

Reply<aws::Empty> update_assume_role_policy(State& state, const Call&,
                                            const aws::iam::UpdateAssumeRolePolicyRequest& in) {
  const auto role = find_own_role(state, *in.role_name);
  if (!role) return std::unexpected(role.error());
  if (auto refusal = refuse_trust_policy(state, *in.policy_document))
    return std::unexpected(std::move(*refusal));
  state.roles.edit(role_key(*in.role_name),
                   [&in](Role& record) { record.assume_role_policy_document = in.policy_document; });
  return {};
}

Reply<aws::Empty> tag_role(State& state, const Call& call, const aws::iam::TagRoleRequest& in) {
  const auto role = find_own_role(state, *in.role_name);
  if (!role) return std::unexpected(role.error());
  const auto& added = aws::items(in.tags);
  if (auto refusal = refuse_tags(state, call, aws::items((*role)->tags), added)) {
    return std::unexpected(std::move(*refusal));
  }
  state.roles.edit(role_key(*in.role_name), [&added](Role& record) {
    if (!record.tags) record.tags.emplace();
    for (const auto& tag : added) {
      std::erase_if(*record.tags,
                    [&tag](const Tag& old) { return to_lower(*old.key) == to_lower(*tag.key); });
      record.tags->push_back(tag);
    }
  });
  return {};
}

Reply<aws::Empty> untag_role(State& state, const Call& call, const aws::iam::UntagRoleRequest& in) {
  const auto role = find_own_role(state, *in.role_name);
  if (!role) return std::unexpected(role.error());
  std::set<std::string> keys;
  for (const auto& key : aws::items(in.tag_keys)) {
    if (key.starts_with("aws:") && call.invoked_by.empty()) {
      return fault("InvalidInput", "System tags cannot be added/updated/removed");
    }
    keys.insert(to_lower(key));
  }
  state.roles.edit(role_key(*in.role_name), [&keys](Role& record) {
    if (!record.tags) return;
    std::erase_if(*record.tags, [&keys](const Tag& tag) { return keys.contains(to_lower(*tag.key)); });
    if (record.tags->empty()) record.tags.reset();
  });
  return {};
}

Reply<aws::iam::UpdateRoleResponse> update_role(State& state, const Call&,
                                                const aws::iam::UpdateRoleRequest& in) {
  const auto role = find_own_role(state, *in.role_name);
  if (!role) return std::unexpected(role.error());
  state.roles.edit(role_key(*in.role_name), [&in](Role& record) {
    if (in.description) record.description = in.description;
    if (in.max_session_duration) record.max_session_duration = in.max_session_duration;
  });
  return aws::iam::UpdateRoleResponse{};
}

Reply<aws::iam::ListRoleTagsResponse> list_role_tags(State& state, const Call&,
                                                     const aws::iam::ListRoleTagsRequest& in) {
  const auto role = find_role(state, *in.role_name);
  if (!role) return std::unexpected(role.error());
  std::vector<std::pair<std::string, Tag>> sorted;
  for (const auto& tag : aws::items((*role)->tags)) sorted.emplace_back(*tag.key, tag);
  std::ranges::sort(sorted, {}, [](const auto& entry) -> const std::string& { return entry.first; });
  auto page = page_of(std::move(sorted), in);
  if (!page) return std::unexpected(std::move(page.error()));
  return aws::iam::ListRoleTagsResponse{
      .tags = std::move(page->items), .is_truncated = page->is_truncated, .marker = page->marker};
}

Reply<aws::iam::ListInstanceProfilesForRoleResponse> list_instance_profiles_for_role(
    State& state, const Call&, const aws::iam::ListInstanceProfilesForRoleRequest& in) {
  const auto role = find_role(state, *in.role_name);
  if (!role) return std::unexpected(role.error());
  return aws::iam::ListInstanceProfilesForRoleResponse{
      .instance_profiles = std::vector<aws::iam::InstanceProfile>{}, .is_truncated = false};
}

}  // namespace instantstart::sandbox::iam
