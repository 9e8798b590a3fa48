#include "sandbox/services/cloudformation/resources/security_rules.h"

#include <array>

#include <fmt/format.h>

#include "sandbox/services/cloudformation/resources/requests.h"
#include "sandbox/services/cloudformation/template/contains.h"

namespace instantstart::sandbox::cloudformation {

namespace ec2 = aws::ec2;

namespace {

constexpr std::array<std::string_view, 11> k_members{"IpProtocol",
                                                     "FromPort",
                                                     "ToPort",
                                                     "CidrIp",
                                                     "CidrIpv6",
                                                     "Description",
                                                     "SourceSecurityGroupId",
                                                     "SourceSecurityGroupOwnerId",
                                                     "DestinationSecurityGroupId",
                                                     "SourcePrefixListId",
                                                     "DestinationPrefixListId"};

/// The property of a source or a destination, whichever the rule has.
std::optional<std::string> peer(const json::object& rule, std::string_view what) {
  auto source = text(rule, fmt::format("Source{}", what));
  return source ? source : text(rule, fmt::format("Destination{}", what));
}

}  // namespace

Reply<ec2::IpPermission> permission_of(const json::object& rule) {
  for (const auto& [name, ignored] : rule) {
    if (contains(k_members, std::string_view(name))) continue;
    return invalid(fmt::format("Encountered unsupported property {}", std::string_view(name)));
  }
  ec2::IpPermission permission{.ip_protocol = text(rule, "IpProtocol"),
                               .from_port = integer(rule, "FromPort"),
                               .to_port = integer(rule, "ToPort")};
  const auto description = text(rule, "Description");
  if (const auto block = text(rule, "CidrIp")) {
    permission.ip_ranges = {{{.description = description, .cidr_ip = block}}};
  }
  if (const auto block = text(rule, "CidrIpv6")) {
    permission.ipv6_ranges = {{{.description = description, .cidr_ipv6 = block}}};
  }
  if (const auto group = peer(rule, "SecurityGroupId")) {
    permission.user_id_group_pairs = {{{.description = description,
                                        .user_id = text(rule, "SourceSecurityGroupOwnerId"),
                                        .group_id = group}}};
  }
  if (const auto list = peer(rule, "PrefixListId")) {
    permission.prefix_list_ids = {{{.description = description, .prefix_list_id = list}}};
  }
  return permission;
}

Reply<std::vector<ec2::IpPermission>> permissions_of(const json::object& properties, std::string_view list) {
  std::vector<ec2::IpPermission> permissions;
  for (const auto& rule : objects(properties, list)) {
    auto permission = permission_of(rule);
    if (!permission) return std::unexpected(std::move(permission.error()));
    permissions.push_back(std::move(*permission));
  }
  return permissions;
}

Reply<std::vector<std::string>> authorize(const ResourceContext& context, const std::string& group,
                                          bool egress, const std::vector<ec2::IpPermission>& permissions) {
  std::vector<std::string> ids;
  if (permissions.empty()) return ids;
  std::optional<std::vector<ec2::SecurityGroupRule>> rules;
  if (egress) {
    auto made =
        context.ask<ec2::AuthorizeSecurityGroupEgress>({.group_id = group, .ip_permissions = permissions});
    if (!made) return std::unexpected(std::move(made.error()));
    rules = std::move(made->security_group_rules);
  } else {
    auto made =
        context.ask<ec2::AuthorizeSecurityGroupIngress>({.group_id = group, .ip_permissions = permissions});
    if (!made) return std::unexpected(std::move(made.error()));
    rules = std::move(made->security_group_rules);
  }
  for (const auto& rule : aws::items(rules)) ids.push_back(rule.security_group_rule_id.value_or(""));
  return ids;
}

Reply<void> revoke(const ResourceContext& context, const std::string& group, bool egress,
                   const std::vector<ec2::IpPermission>& permissions) {
  if (permissions.empty()) return {};
  if (egress) {
    auto done =
        context.ask<ec2::RevokeSecurityGroupEgress>({.group_id = group, .ip_permissions = permissions});
    if (!done) return std::unexpected(std::move(done.error()));
  } else {
    auto done =
        context.ask<ec2::RevokeSecurityGroupIngress>({.group_id = group, .ip_permissions = permissions});
    if (!done) return std::unexpected(std::move(done.error()));
  }
  return {};
}

}  // namespace instantstart::sandbox::cloudformation
