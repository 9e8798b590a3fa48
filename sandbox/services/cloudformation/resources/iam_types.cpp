// AWS::IAM::Role and AWS::IAM::OIDCProvider.
#include <array>

#include <boost/json/array.hpp>

#include "aws/shapes/iam.h"
#include "sandbox/services/cloudformation/resources/requests.h"
#include "sandbox/services/cloudformation/resources/resource_type.h"

namespace instantstart::sandbox::cloudformation {
namespace {

namespace iam = aws::iam;

constexpr std::size_t k_longest_role_name = 64;
/// Not an attribute of the type: that the role's policies were put.
constexpr std::string_view k_has_policies = "~policies";

constexpr std::array<Property, 9> k_role_properties{{{"AssumeRolePolicyDocument", Update::in_place, true},
                                                     {"RoleName"},
                                                     {"Path"},
                                                     {"PermissionsBoundary"},
                                                     {"Description", Update::in_place},
                                                     {"MaxSessionDuration", Update::in_place},
                                                     {"ManagedPolicyArns", Update::in_place},
                                                     {"Policies", Update::in_place},
                                                     {"Tags", Update::in_place}}};
constexpr std::array<std::string_view, 2> k_role_attributes{"Arn", "RoleId"};
constexpr std::array<Property, 4> k_provider_properties{{{"Url"},
                                                         {"ClientIdList", Update::in_place},
                                                         {"ThumbprintList", Update::in_place},
                                                         {"Tags", Update::in_place}}};
constexpr std::array<std::string_view, 1> k_provider_attributes{"Arn"};

std::vector<iam::Tag> tag_list(const Tags& tags) {
  std::vector<iam::Tag> list;
  for (const auto& [key, value] : tags) list.push_back({.key = key, .value = value});
  return list;
}

Reply<Made> create_role(const ResourceContext& context, const json::object& properties) {
  const iam::CreateRoleRequest request{
      .path = text(properties, "Path"),
      .role_name = text(properties, "RoleName").value_or(context.made_up_name(k_longest_role_name)),
      .assume_role_policy_document = document(properties, "AssumeRolePolicyDocument"),
      .description = text(properties, "Description"),
      .max_session_duration = integer(properties, "MaxSessionDuration"),
      .permissions_boundary = text(properties, "PermissionsBoundary"),
      .tags = tag_list(context.tags)};
  const auto made = context.ask<iam::CreateRole>(request);
  if (!made) return std::unexpected(made.error());
  return Made{*request.role_name,
              {{"Arn", text_value(made->role->arn)}, {"RoleId", text_value(made->role->role_id)}}};
}

Reply<void> put_policies(const ResourceContext& context, const std::string& role, const json::object& before,
                         const json::object& after) {
  const auto arns_before = texts(before, "ManagedPolicyArns");
  const auto arns_after = texts(after, "ManagedPolicyArns");
  for (const auto& arn : without(arns_before, arns_after)) {
    auto done = context.ask<iam::DetachRolePolicy>({.role_name = role, .policy_arn = arn});
    if (!done && !is_absent(done.error())) return std::unexpected(std::move(done.error()));
  }
  for (const auto& arn : without(arns_after, arns_before)) {
    auto done = context.ask<iam::AttachRolePolicy>({.role_name = role, .policy_arn = arn});
    if (!done) return std::unexpected(std::move(done.error()));
  }
  std::vector<std::string> names;
  for (const auto& policy : objects(after, "Policies")) {
    names.push_back(text(policy, "PolicyName").value_or(""));
    auto done = context.ask<iam::PutRolePolicy>({.role_name = role,
                                                 .policy_name = names.back(),
                                                 .policy_document = document(policy, "PolicyDocument")});
    if (!done) return std::unexpected(std::move(done.error()));
  }
  for (const auto& policy : objects(before, "Policies")) {
    const auto name = text(policy, "PolicyName").value_or("");
    if (without({name}, names).empty()) continue;
    auto done = context.ask<iam::DeleteRolePolicy>({.role_name = role, .policy_name = name});
    if (!done && !is_absent(done.error())) return std::unexpected(std::move(done.error()));
  }
  return {};
}

Reply<Progress> check_role(const ResourceContext& context, const Made& made, const json::object& properties) {
  if (made.attributes.contains(k_has_policies)) return Progress{};
  auto done = put_policies(context, made.physical_id, {}, properties);
  if (!done) return std::unexpected(std::move(done.error()));
  return Progress{.attributes = {{k_has_policies, true}}};
}

Reply<void> retag_role(const ResourceContext& context, const std::string& role) {
  std::vector<std::string> gone;
  for (const auto& [key, ignored] : context.tags_before) {
    if (!context.tags.contains(key)) gone.push_back(key);
  }
  if (!gone.empty()) {
    auto done = context.ask<iam::UntagRole>({.role_name = role, .tag_keys = gone});
    if (!done) return std::unexpected(std::move(done.error()));
  }
  if (context.tags == context.tags_before) return {};
  auto done = context.ask<iam::TagRole>({.role_name = role, .tags = tag_list(context.tags)});
  if (!done) return std::unexpected(std::move(done.error()));
  return {};
}

Reply<Made> update_role(const ResourceContext& context, const Made& made, const json::object& before,
                        const json::object& after) {
  const auto& role = made.physical_id;
  if (differs(before, after, "AssumeRolePolicyDocument")) {
    auto done = context.ask<iam::UpdateAssumeRolePolicy>(
        {.role_name = role, .policy_document = document(after, "AssumeRolePolicyDocument")});
    if (!done) return std::unexpected(std::move(done.error()));
  }
  if (differs(before, after, "Description") || differs(before, after, "MaxSessionDuration")) {
    auto done = context.ask<iam::UpdateRole>(
        {.role_name = role,
         .description = text(after, "Description").value_or(""),
         .max_session_duration = integer(after, "MaxSessionDuration").value_or(3600)});
    if (!done) return std::unexpected(std::move(done.error()));
  }
  auto done = put_policies(context, role, before, after);
  if (done) done = retag_role(context, role);
  if (!done) return std::unexpected(std::move(done.error()));
  return made;
}

/// Takes off every policy, also what others attached meanwhile, as CloudFormation's handler does.
Reply<Progress> remove_role(const ResourceContext& context, const Made& made, const json::object&) {
  const auto& role = made.physical_id;
  const auto attached = context.ask<iam::ListAttachedRolePolicies>({.role_name = role});
  if (!attached) return std::unexpected(attached.error());
  for (const auto& policy : aws::items(attached->attached_policies)) {
    auto done = context.ask<iam::DetachRolePolicy>({.role_name = role, .policy_arn = policy.policy_arn});
    if (!done) return std::unexpected(std::move(done.error()));
  }
  const auto own = context.ask<iam::ListRolePolicies>({.role_name = role});
  if (!own) return std::unexpected(own.error());
  for (const auto& name : aws::items(own->policy_names)) {
    auto done = context.ask<iam::DeleteRolePolicy>({.role_name = role, .policy_name = name});
    if (!done) return std::unexpected(std::move(done.error()));
  }
  auto done = context.ask<iam::DeleteRole>({.role_name = role});
  if (!done) return std::unexpected(std::move(done.error()));
  return Progress{};
}

Reply<Made> create_provider(const ResourceContext& context, const json::object& properties) {
  auto request = request_from<iam::CreateOpenIDConnectProviderRequest>(
      properties, {"Tags", "ClientIdList", "ThumbprintList"});
  if (!request) return std::unexpected(std::move(request.error()));
  if (properties.contains("ClientIdList")) request->client_id_list = texts(properties, "ClientIdList");
  if (properties.contains("ThumbprintList")) request->thumbprint_list = texts(properties, "ThumbprintList");
  request->tags = tag_list(context.tags);
  const auto made = context.ask<iam::CreateOpenIDConnectProvider>(*request);
  if (!made) return std::unexpected(made.error());
  const auto& arn = made->open_id_connect_provider_arn;
  return Made{*arn, {{"Arn", text_value(arn)}}};
}

Reply<Progress> remove_provider(const ResourceContext& context, const Made& made, const json::object&) {
  auto done =
      context.ask<iam::DeleteOpenIDConnectProvider>({.open_id_connect_provider_arn = made.physical_id});
  if (!done) return std::unexpected(std::move(done.error()));
  return Progress{};
}

/// Made anew under its URL, which is what its ARN is made of: the same provider to everybody who looks.
Reply<Made> update_provider(const ResourceContext& context, const Made& made, const json::object& before,
                            const json::object& after) {
  auto gone = remove_provider(context, made, before);
  if (!gone) return std::unexpected(std::move(gone.error()));
  return create_provider(context, after);
}

}  // namespace

std::span<const ResourceType> iam_types() {
  static constexpr std::array<ResourceType, 2> k_types{{
      {.name = "AWS::IAM::Role",
       .properties = k_role_properties,
       .attributes = k_role_attributes,
       .tagged = true,
       .time_to_create = std::chrono::seconds(15),
       .create = create_role,
       .check = check_role,
       .update = update_role,
       .remove = remove_role},
      {.name = "AWS::IAM::OIDCProvider",
       .properties = k_provider_properties,
       .attributes = k_provider_attributes,
       .tagged = true,
       .create = create_provider,
       .update = update_provider,
       .remove = remove_provider},
  }};
  return k_types;
}

}  // namespace instantstart::sandbox::cloudformation
