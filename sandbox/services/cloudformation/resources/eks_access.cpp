// AWS::EKS::Addon, AccessEntry, PodIdentityAssociation.
#include <array>

#include <fmt/format.h>

#include "aws/shapes/eks.h"
#include "sandbox/services/cloudformation/resources/requests.h"
#include "sandbox/services/cloudformation/resources/resource_type.h"

namespace instantstart::sandbox::cloudformation {
namespace {

namespace eks = aws::eks;

/// Not an attribute of the type: that the entry's policies were associated.
constexpr std::string_view k_has_policies = "~policies";

constexpr std::array<Property, 10> k_addon_properties{{{"ClusterName", Update::replacement, true},
                                                       {"AddonName", Update::replacement, true},
                                                       {"AddonVersion", Update::in_place},
                                                       {"ConfigurationValues", Update::in_place},
                                                       {"ServiceAccountRoleArn", Update::in_place},
                                                       {"PodIdentityAssociations", Update::in_place},
                                                       {"ResolveConflicts", Update::in_place},
                                                       {"PreserveOnDelete", Update::in_place},
                                                       {"NamespaceConfig"},
                                                       {"Tags"}}};
constexpr std::array<std::string_view, 1> k_addon_attributes{"Arn"};
constexpr std::array<Property, 7> k_entry_properties{{{"ClusterName", Update::replacement, true},
                                                      {"PrincipalArn", Update::replacement, true},
                                                      {"Type"},
                                                      {"Username", Update::in_place},
                                                      {"KubernetesGroups", Update::in_place},
                                                      {"AccessPolicies", Update::in_place},
                                                      {"Tags", Update::in_place}}};
constexpr std::array<std::string_view, 1> k_entry_attributes{"AccessEntryArn"};
constexpr std::array<Property, 8> k_association_properties{{{"ClusterName", Update::replacement, true},
                                                            {"Namespace", Update::replacement, true},
                                                            {"ServiceAccount", Update::replacement, true},
                                                            {"RoleArn", Update::in_place, true},
                                                            {"DisableSessionTags", Update::in_place},
                                                            {"TargetRoleArn", Update::in_place},
                                                            {"Policy", Update::in_place},
                                                            {"Tags", Update::in_place}}};
constexpr std::array<std::string_view, 3> k_association_attributes{"AssociationArn", "AssociationId",
                                                                   "ExternalId"};

/// From context.tags_before to context.tags.
Reply<void> retag(const ResourceContext& context, const std::optional<std::string>& arn) {
  std::vector<std::string> gone;
  for (const auto& [key, ignored] : context.tags_before) {
    if (!context.tags.contains(key)) gone.push_back(key);
  }
  if (!gone.empty()) {
    auto done = context.ask<eks::UntagResource>({.resource_arn = arn, .tag_keys = gone});
    if (!done) return std::unexpected(std::move(done.error()));
  }
  if (context.tags == context.tags_before) return {};
  auto done = context.ask<eks::TagResource>({.resource_arn = arn, .tags = context.tags});
  if (!done) return std::unexpected(std::move(done.error()));
  return {};
}

Reply<Made> create_addon(const ResourceContext& context, const json::object& properties) {
  auto request = request_from<eks::CreateAddonRequest>(properties, {"Tags", "PreserveOnDelete"});
  if (!request) return std::unexpected(std::move(request.error()));
  request->tags = context.tags;
  const auto made = context.ask<eks::CreateAddon>(*request);
  if (!made) return std::unexpected(made.error());
  return Made{fmt::format("{}|{}", *request->cluster_name, *request->addon_name),
              {{"Arn", text_value(made->addon->addon_arn)}}};
}

Reply<eks::Addon> find_addon(const ResourceContext& context, const json::object& properties) {
  auto found = context.ask<eks::DescribeAddon>(
      {.cluster_name = text(properties, "ClusterName"), .addon_name = text(properties, "AddonName")});
  if (!found) return std::unexpected(std::move(found.error()));
  return std::move(*found->addon);
}

/// DEGRADED ends the wait too: CoreDNS stays so until the cluster has nodes, and stacks get past it.
Reply<Progress> check_addon(const ResourceContext& context, const Made&, const json::object& properties) {
  const auto addon = find_addon(context, properties);
  if (!addon) return std::unexpected(addon.error());
  const std::string status = addon->status.value_or("");
  if (status == "ACTIVE" || status == "DEGRADED") return Progress{};
  if (!status.ends_with("_FAILED")) return Progress{.done = false};
  std::string reason = fmt::format("Addon {} is in status {}.", addon->addon_name.value_or(""), status);
  if (addon->health) {
    for (const auto& issue : aws::items(addon->health->issues)) {
      reason += fmt::format(" {}: {}", issue.code.value_or(""), issue.message.value_or(""));
    }
  }
  return fault("NotStabilized", std::move(reason));
}

Reply<Made> update_addon(const ResourceContext& context, const Made& made, const json::object&,
                         const json::object& after) {
  auto request =
      request_from<eks::UpdateAddonRequest>(after, {"Tags", "PreserveOnDelete", "NamespaceConfig"});
  if (!request) return std::unexpected(std::move(request.error()));
  auto done = context.ask<eks::UpdateAddon>(*request);
  if (!done) return std::unexpected(std::move(done.error()));
  return made;
}

Reply<Progress> remove_addon(const ResourceContext& context, const Made&, const json::object& properties) {
  const auto addon = find_addon(context, properties);
  if (!addon) return std::unexpected(addon.error());
  if (addon->status == "DELETING") return Progress{.done = false};
  auto done = context.ask<eks::DeleteAddon>({.cluster_name = text(properties, "ClusterName"),
                                             .addon_name = text(properties, "AddonName"),
                                             .preserve = flag(properties, "PreserveOnDelete")});
  if (!done) return std::unexpected(std::move(done.error()));
  return Progress{.done = false};
}

Reply<Made> create_entry(const ResourceContext& context, const json::object& properties) {
  auto request = request_from<eks::CreateAccessEntryRequest>(properties, {"Tags", "AccessPolicies"});
  if (!request) return std::unexpected(std::move(request.error()));
  request->tags = context.tags;
  const auto made = context.ask<eks::CreateAccessEntry>(*request);
  if (!made) return std::unexpected(made.error());
  return Made{fmt::format("{}|{}", *request->principal_arn, *request->cluster_name),
              {{"AccessEntryArn", text_value(made->access_entry->access_entry_arn)}}};
}

Reply<void> put_access_policies(const ResourceContext& context, const json::object& before,
                                const json::object& after) {
  std::vector<std::string> kept;
  for (json::object policy : objects(after, "AccessPolicies")) {
    auto request = request_from<eks::AssociateAccessPolicyRequest>(std::move(policy));
    if (!request) return std::unexpected(std::move(request.error()));
    kept.push_back(request->policy_arn.value_or(""));
    request->cluster_name = text(after, "ClusterName");
    request->principal_arn = text(after, "PrincipalArn");
    auto done = context.ask<eks::AssociateAccessPolicy>(*request);
    if (!done) return std::unexpected(std::move(done.error()));
  }
  for (const auto& policy : objects(before, "AccessPolicies")) {
    const auto arn = text(policy, "PolicyArn").value_or("");
    if (without({arn}, kept).empty()) continue;
    auto done = context.ask<eks::DisassociateAccessPolicy>({.cluster_name = text(after, "ClusterName"),
                                                            .principal_arn = text(after, "PrincipalArn"),
                                                            .policy_arn = arn});
    if (!done && !is_absent(done.error())) return std::unexpected(std::move(done.error()));
  }
  return {};
}

Reply<Progress> check_entry(const ResourceContext& context, const Made& made,
                            const json::object& properties) {
  if (made.attributes.contains(k_has_policies)) return Progress{};
  auto done = put_access_policies(context, {}, properties);
  if (!done) return std::unexpected(std::move(done.error()));
  return Progress{.attributes = {{k_has_policies, true}}};
}

Reply<Made> update_entry(const ResourceContext& context, const Made& made, const json::object& before,
                         const json::object& after) {
  if (differs(before, after, "Username") || differs(before, after, "KubernetesGroups")) {
    auto request = request_from<eks::UpdateAccessEntryRequest>(after, {"Tags", "AccessPolicies", "Type"});
    if (!request) return std::unexpected(std::move(request.error()));
    if (!request->kubernetes_groups) request->kubernetes_groups.emplace();
    auto done = context.ask<eks::UpdateAccessEntry>(*request);
    if (!done) return std::unexpected(std::move(done.error()));
  }
  auto done = put_access_policies(context, before, after);
  if (done) done = retag(context, text(made.attributes, "AccessEntryArn"));
  if (!done) return std::unexpected(std::move(done.error()));
  return made;
}

Reply<Progress> remove_entry(const ResourceContext& context, const Made&, const json::object& properties) {
  auto done = context.ask<eks::DeleteAccessEntry>(
      {.cluster_name = text(properties, "ClusterName"), .principal_arn = text(properties, "PrincipalArn")});
  if (!done) return std::unexpected(std::move(done.error()));
  return Progress{};
}

Reply<Made> create_association(const ResourceContext& context, const json::object& properties) {
  auto request = request_from<eks::CreatePodIdentityAssociationRequest>(properties, {"Tags", "Policy"});
  if (!request) return std::unexpected(std::move(request.error()));
  request->policy = document(properties, "Policy");
  request->tags = context.tags;
  const auto made = context.ask<eks::CreatePodIdentityAssociation>(*request);
  if (!made) return std::unexpected(made.error());
  const auto& association = *made->association;
  return Made{association.association_arn.value_or(""),
              {{"AssociationArn", text_value(association.association_arn)},
               {"AssociationId", text_value(association.association_id)},
               {"ExternalId", text_value(association.external_id)}}};
}

Reply<Made> update_association(const ResourceContext& context, const Made& made, const json::object&,
                               const json::object& after) {
  auto request = request_from<eks::UpdatePodIdentityAssociationRequest>(
      after, {"Tags", "Policy", "Namespace", "ServiceAccount"});
  if (!request) return std::unexpected(std::move(request.error()));
  request->association_id = text(made.attributes, "AssociationId");
  request->policy = document(after, "Policy");
  auto changed = context.ask<eks::UpdatePodIdentityAssociation>(*request);
  if (!changed) return std::unexpected(std::move(changed.error()));
  auto done = retag(context, made.physical_id);
  if (!done) return std::unexpected(std::move(done.error()));
  return made;
}

Reply<Progress> remove_association(const ResourceContext& context, const Made& made,
                                   const json::object& properties) {
  auto done = context.ask<eks::DeletePodIdentityAssociation>(
      {.cluster_name = text(properties, "ClusterName"),
       .association_id = text(made.attributes, "AssociationId")});
  if (!done) return std::unexpected(std::move(done.error()));
  return Progress{};
}

}  // namespace

std::span<const ResourceType> eks_access_types() {
  static constexpr std::array<ResourceType, 3> k_types{{
      {.name = "AWS::EKS::Addon",
       .properties = k_addon_properties,
       .attributes = k_addon_attributes,
       .tagged = true,
       .time_to_create = std::chrono::seconds(10),
       .create = create_addon,
       .check = check_addon,
       .update = update_addon,
       .remove = remove_addon},
      {.name = "AWS::EKS::AccessEntry",
       .properties = k_entry_properties,
       .attributes = k_entry_attributes,
       .tagged = true,
       .create = create_entry,
       .check = check_entry,
       .update = update_entry,
       .remove = remove_entry},
      {.name = "AWS::EKS::PodIdentityAssociation",
       .properties = k_association_properties,
       .attributes = k_association_attributes,
       .tagged = true,
       .create = create_association,
       .update = update_association,
       .remove = remove_association},
  }};
  return k_types;
}

}  // namespace instantstart::sandbox::cloudformation
