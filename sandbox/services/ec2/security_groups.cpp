#include "sandbox/services/ec2/security_groups.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "sandbox/core/arn.h"
#include "sandbox/services/ec2/errors.h"
#include "sandbox/services/ec2/listing.h"
#include "sandbox/services/ec2/queries.h"
#include "sandbox/services/ec2/security_group_rules.h"
#include "sandbox/services/ec2/tags.h"
#include "sandbox/services/ec2/vpcs.h"

namespace instantstart::sandbox::ec2 {
namespace {

using aws::ec2::SecurityGroup;
using aws::ec2::SecurityGroupRule;

constexpr std::size_t k_longest_text = 255;

constexpr std::array<FilterName, 25> k_filters{
    {{"description", "Description"},
     {"egress.ip-permission.cidr", "IpPermissionsEgress.IpRanges.CidrIp"},
     {"egress.ip-permission.from-port", "IpPermissionsEgress.FromPort"},
     {"egress.ip-permission.group-id", "IpPermissionsEgress.UserIdGroupPairs.GroupId"},
     {"egress.ip-permission.group-name", "IpPermissionsEgress.UserIdGroupPairs.GroupName"},
     {"egress.ip-permission.ipv6-cidr", "IpPermissionsEgress.Ipv6Ranges.CidrIpv6"},
     {"egress.ip-permission.prefix-list-id", "IpPermissionsEgress.PrefixListIds.PrefixListId"},
     {"egress.ip-permission.protocol", "IpPermissionsEgress.IpProtocol"},
     {"egress.ip-permission.to-port", "IpPermissionsEgress.ToPort"},
     {"egress.ip-permission.user-id", "IpPermissionsEgress.UserIdGroupPairs.UserId"},
     {"group-id", "GroupId"},
     {"group-name", "GroupName"},
     {"ip-permission.cidr", "IpPermissions.IpRanges.CidrIp"},
     {"ip-permission.from-port", "IpPermissions.FromPort"},
     {"ip-permission.group-id", "IpPermissions.UserIdGroupPairs.GroupId"},
     {"ip-permission.group-name", "IpPermissions.UserIdGroupPairs.GroupName"},
     {"ip-permission.ipv6-cidr", "IpPermissions.Ipv6Ranges.CidrIpv6"},
     {"ip-permission.prefix-list-id", "IpPermissions.PrefixListIds.PrefixListId"},
     {"ip-permission.protocol", "IpPermissions.IpProtocol"},
     {"ip-permission.to-port", "IpPermissions.ToPort"},
     {"ip-permission.user-id", "IpPermissions.UserIdGroupPairs.UserId"},
     {"owner-id", "OwnerId"},
     {"tag:", "Tags"},
     {"tag-key", "Tags.Key"},
     {"vpc-id", "VpcId"}}};

SecurityGroup shown(const State& state, std::string_view region, SecurityGroup group) {
  group.ip_permissions = permissions_of(state, region, *group.group_id, Direction::ingress);
  group.ip_permissions_egress = permissions_of(state, region, *group.group_id, Direction::egress);
  const std::string id = *group.group_id;
  return with_tags(state, region, id, std::move(group));
}

std::optional<AwsFault> refuse_text(std::string_view text, std::string_view parameter) {
  if (text.empty()) return missing_parameter(parameter).error();
  if (text.size() > k_longest_text) {
    return invalid_value(text, parameter,
                         fmt::format("The length must be less than or equal to {}.", k_longest_text))
        .error();
  }
  const bool is_ascii = std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F; });
  if (is_ascii) return std::nullopt;
  return invalid_value(text, parameter, "Character sets beyond ASCII are not supported.").error();
}

std::optional<AwsFault> refuse_name(std::string_view name) {
  if (auto refusal = refuse_text(name, "GroupName")) return refusal;
  if (name.starts_with("sg-")) {
    return invalid_value(name, "GroupName", "Group names may not be in the format sg-*.").error();
  }
  if (name == k_default_group) {
    return invalid_parameter("Cannot use reserved security group name: default").error();
  }
  return std::nullopt;
}

Reply<std::string> requested_vpc(const State& state, const Call& call,
                                 const std::optional<std::string>& vpc_id) {
  if (vpc_id) {
    if (!state.vpcs.contains(regional_id(call.region, *vpc_id))) return not_found(ResourceKind::vpc, *vpc_id);
    return *vpc_id;
  }
  const auto* vpc = default_vpc(state, call.region);
  if (!vpc) return fault("VPCIdNotSpecified", "No default VPC for this user");
  return *vpc->vpc_id;
}

std::string group_arn(const State& state, std::string_view region, std::string_view id) {
  return make_arn("ec2", region, state.world.account(), fmt::format("security-group/{}", id));
}

/// Those that the request names by name, which works in the default VPC only, as ids.
Reply<std::optional<std::vector<std::string>>> requested_ids(
    const State& state, const Call& call, const aws::ec2::DescribeSecurityGroupsRequest& in) {
  if (aws::items(in.group_names).empty()) return in.group_ids;
  std::vector<std::string> ids = aws::items(in.group_ids);
  for (const auto& name : *in.group_names) {
    const auto group = find_group(state, call.region, std::nullopt, name);
    if (!group) return std::unexpected(group.error());
    ids.push_back(*(*group)->group_id);
  }
  return ids;
}

}  // namespace

std::string make_group(State& state, std::string_view region, const GroupSpec& spec) {
  std::string id = state.world.make_id("sg");
  state.security_groups.put(regional_id(region, id), {.group_id = id,
                                                      .vpc_id = spec.vpc_id,
                                                      .security_group_arn = group_arn(state, region, id),
                                                      .owner_id = state.world.account(),
                                                      .group_name = spec.name,
                                                      .description = spec.description});
  add_rule(state, region, id, Direction::egress, {.protocol = "-1", .cidr_ipv4 = "0.0.0.0/0"});
  return id;
}

std::string make_default_group(State& state, std::string_view region, std::string_view vpc_id) {
  std::string id = make_group(state, region,
                              {.vpc_id = std::string(vpc_id),
                               .name = std::string(k_default_group),
                               .description = "default VPC security group"});
  add_rule(state, region, id, Direction::ingress, {.protocol = "-1", .group_id = id});
  return id;
}

void forget_group(State& state, std::string_view region, std::string_view id) {
  forget_rules(state, region, id);
  forget_tags(state, region, id);
  state.security_groups.erase(regional_id(region, id));
}

void forget_groups(State& state, std::string_view region, std::string_view vpc_id) {
  std::vector<std::string> ids;
  for (const auto* group : records_in(state.security_groups, region,
                                      [vpc_id](const SecurityGroup& one) { return one.vpc_id == vpc_id; })) {
    ids.push_back(*group->group_id);
  }
  for (const auto& id : ids) forget_group(state, region, id);
}

bool is_group_in_use(const State& state, std::string_view region, std::string_view id) {
  const bool by_interface = any_in(state.network_interfaces, region, [id](const auto& interface) {
    return std::ranges::any_of(aws::items(interface.groups),
                               [id](const auto& group) { return group.group_id == id; });
  });
  return by_interface || any_in(state.security_group_rules, region, [id](const SecurityGroupRule& rule) {
           return rule.group_id != id && rule.referenced_group_info &&
                  rule.referenced_group_info->group_id == id;
         });
}

Reply<const SecurityGroup*> find_group(const State& state, std::string_view region,
                                       const std::optional<std::string>& id,
                                       const std::optional<std::string>& name) {
  if (id) {
    const SecurityGroup* group = state.security_groups.find(regional_id(region, *id));
    if (!group) return not_found(ResourceKind::security_group, *id);
    return group;
  }
  if (!name) return missing_parameter("groupName or groupId");
  const auto* vpc = default_vpc(state, region);
  if (!vpc) return fault("VPCIdNotSpecified", "No default VPC for this user");
  const auto found = records_in(state.security_groups, region, [&](const SecurityGroup& group) {
    return group.vpc_id == vpc->vpc_id && group.group_name == name;
  });
  if (!found.empty()) return found.front();
  return fault(
      "InvalidGroup.NotFound",
      fmt::format("The security group '{}' does not exist in default VPC '{}'", *name, *vpc->vpc_id));
}

Reply<aws::ec2::CreateSecurityGroupResult> create_security_group(
    State& state, const Call& call, const aws::ec2::CreateSecurityGroupRequest& in) {
  if (auto refusal = refuse_name(*in.group_name)) return std::unexpected(std::move(*refusal));
  if (auto refusal = refuse_text(*in.description, "GroupDescription")) {
    return std::unexpected(std::move(*refusal));
  }
  auto vpc_id = requested_vpc(state, call, in.vpc_id);
  if (!vpc_id) return std::unexpected(std::move(vpc_id.error()));
  auto tags = requested_tags(call, ResourceKind::security_group, in.tag_specifications);
  if (!tags) return std::unexpected(std::move(tags.error()));
  const bool taken = any_in(state.security_groups, call.region, [&](const SecurityGroup& group) {
    return group.vpc_id == *vpc_id && group.group_name == in.group_name;
  });
  if (taken) {
    return fault("InvalidGroup.Duplicate",
                 fmt::format("The security group '{}' already exists for VPC '{}'", *in.group_name, *vpc_id));
  }
  const auto all = count_in(state.security_groups, call.region, [](const SecurityGroup&) { return true; });
  if (all >= state.limits(call.region).security_groups_per_region) {
    return fault("SecurityGroupLimitExceeded", "The maximum number of security groups has been reached.");
  }
  const std::string id = make_group(
      state, call.region, {.vpc_id = *vpc_id, .name = *in.group_name, .description = *in.description});
  put_tags(state, call.region, id, *tags);
  return aws::ec2::CreateSecurityGroupResult{.group_id = id,
                                             .tags = tags_of(state, call.region, id),
                                             .security_group_arn = group_arn(state, call.region, id)};
}

Reply<aws::ec2::DescribeSecurityGroupsResult> describe_security_groups(
    State& state, const Call& call, const aws::ec2::DescribeSecurityGroupsRequest& in) {
  auto filters = FilterSet::make(in.filters, k_filters);
  if (!filters) return std::unexpected(std::move(filters.error()));
  auto ids = requested_ids(state, call, in);
  if (!ids) return std::unexpected(std::move(ids.error()));
  auto page = list_records(state.security_groups, ResourceKind::security_group, call, *ids, *filters,
                           page_request(in),
                           [&](const SecurityGroup& group) { return shown(state, call.region, group); });
  if (!page) return std::unexpected(std::move(page.error()));
  return aws::ec2::DescribeSecurityGroupsResult{.next_token = page->next_token,
                                                .security_groups = std::move(page->items)};
}

Reply<aws::ec2::DeleteSecurityGroupResult> delete_security_group(
    State& state, const Call& call, const aws::ec2::DeleteSecurityGroupRequest& in) {
  const auto group = find_group(state, call.region, in.group_id, in.group_name);
  if (!group) return std::unexpected(group.error());
  const std::string id = *(*group)->group_id;
  if ((*group)->group_name == k_default_group) {
    return fault("CannotDelete",
                 fmt::format("the specified group: \"{}\" name: \"{}\" cannot be deleted by a user", id,
                             k_default_group));
  }
  if (is_group_in_use(state, call.region, id)) {
    return fault("DependencyViolation", fmt::format("resource {} has a dependent object", id));
  }
  forget_group(state, call.region, id);
  return aws::ec2::DeleteSecurityGroupResult{.return_ = true, .group_id = id};
}

}  // namespace instantstart::sandbox::ec2
