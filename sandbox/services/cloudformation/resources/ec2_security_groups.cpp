// AWS::EC2::SecurityGroup, SecurityGroupIngress, SecurityGroupEgress.
#include <array>

#include "aws/shapes/ec2.h"
#include "sandbox/services/cloudformation/resources/ec2_tags.h"
#include "sandbox/services/cloudformation/resources/requests.h"
#include "sandbox/services/cloudformation/resources/resource_type.h"
#include "sandbox/services/cloudformation/resources/security_rules.h"

namespace instantstart::sandbox::cloudformation {
namespace {

namespace ec2 = aws::ec2;

constexpr std::size_t k_longest_name = 255;
/// Not an attribute of the type: that the group's own rules were put.
constexpr std::string_view k_has_rules = "~rules";

constexpr std::array<Property, 6> k_group_properties{{{"GroupDescription", Update::replacement, true},
                                                      {"GroupName"},
                                                      {"VpcId"},
                                                      {"SecurityGroupIngress", Update::in_place},
                                                      {"SecurityGroupEgress", Update::in_place},
                                                      {"Tags", Update::in_place}}};
constexpr std::array<std::string_view, 3> k_group_attributes{"GroupId", "Id", "VpcId"};
constexpr std::array<Property, 10> k_ingress_properties{{{"GroupId", Update::replacement, true},
                                                         {"IpProtocol", Update::replacement, true},
                                                         {"FromPort"},
                                                         {"ToPort"},
                                                         {"CidrIp"},
                                                         {"CidrIpv6"},
                                                         {"SourceSecurityGroupId"},
                                                         {"SourceSecurityGroupOwnerId"},
                                                         {"SourcePrefixListId"},
                                                         {"Description", Update::in_place}}};
constexpr std::array<Property, 9> k_egress_properties{{{"GroupId", Update::replacement, true},
                                                       {"IpProtocol", Update::replacement, true},
                                                       {"FromPort"},
                                                       {"ToPort"},
                                                       {"CidrIp"},
                                                       {"CidrIpv6"},
                                                       {"DestinationSecurityGroupId"},
                                                       {"DestinationPrefixListId"},
                                                       {"Description", Update::in_place}}};
constexpr std::array<std::string_view, 1> k_rule_attributes{"Id"};

/// What EC2 gives every new group.
std::vector<ec2::IpPermission> all_egress() {
  return {{.ip_protocol = "-1", .ip_ranges = {{{.cidr_ip = "0.0.0.0/0"}}}}};
}

Reply<Made> create_group(const ResourceContext& context, const json::object& properties) {
  const ec2::CreateSecurityGroupRequest request{
      .description = text(properties, "GroupDescription"),
      .group_name = text(properties, "GroupName").value_or(context.made_up_name(k_longest_name)),
      .vpc_id = text(properties, "VpcId"),
      .tag_specifications = tag_specifications(context, "security-group")};
  const auto made = context.ask<ec2::CreateSecurityGroup>(request);
  if (!made) return std::unexpected(made.error());
  return Made{*made->group_id,
              {{"GroupId", text_value(made->group_id)},
               {"Id", text_value(made->group_id)},
               {"VpcId", text_value(request.vpc_id)}}};
}

/// Egress rules of the template take the place of the rule that lets everything out.
Reply<Progress> check_group(const ResourceContext& context, const Made& made,
                            const json::object& properties) {
  if (made.attributes.contains(k_has_rules)) return Progress{};
  const auto ingress = permissions_of(properties, "SecurityGroupIngress");
  if (!ingress) return std::unexpected(ingress.error());
  const auto egress = permissions_of(properties, "SecurityGroupEgress");
  if (!egress) return std::unexpected(egress.error());
  auto put = authorize(context, made.physical_id, false, *ingress);
  if (!put) return std::unexpected(std::move(put.error()));
  if (!egress->empty()) {
    auto gone = revoke(context, made.physical_id, true, all_egress());
    if (!gone) return std::unexpected(std::move(gone.error()));
    put = authorize(context, made.physical_id, true, *egress);
    if (!put) return std::unexpected(std::move(put.error()));
  }
  return Progress{.attributes = {{k_has_rules, true}}};
}

Reply<void> replace_rules(const ResourceContext& context, const std::string& group, std::string_view list,
                          const json::object& before, const json::object& after) {
  if (!differs(before, after, list)) return {};
  const bool egress = list == "SecurityGroupEgress";
  auto old_rules = permissions_of(before, list);
  if (!old_rules) return std::unexpected(std::move(old_rules.error()));
  auto new_rules = permissions_of(after, list);
  if (!new_rules) return std::unexpected(std::move(new_rules.error()));
  if (egress && old_rules->empty()) *old_rules = all_egress();
  if (egress && new_rules->empty()) *new_rules = all_egress();
  auto done = revoke(context, group, egress, *old_rules);
  if (!done && !is_absent(done.error())) return done;
  auto put = authorize(context, group, egress, *new_rules);
  if (!put) return std::unexpected(std::move(put.error()));
  return {};
}

Reply<Made> update_group(const ResourceContext& context, const Made& made, const json::object& before,
                         const json::object& after) {
  auto done = replace_rules(context, made.physical_id, "SecurityGroupIngress", before, after);
  if (done) done = replace_rules(context, made.physical_id, "SecurityGroupEgress", before, after);
  if (done) done = retag(context, made.physical_id);
  if (!done) return std::unexpected(std::move(done.error()));
  return made;
}

Reply<Progress> remove_group(const ResourceContext& context, const Made& made, const json::object&) {
  auto done = context.ask<ec2::DeleteSecurityGroup>({.group_id = made.physical_id});
  if (!done) return std::unexpected(std::move(done.error()));
  return Progress{};
}

template <bool egress>
Reply<Made> create_rule(const ResourceContext& context, const json::object& properties) {
  json::object rule = properties;
  rule.erase("GroupId");
  const auto permission = permission_of(rule);
  if (!permission) return std::unexpected(permission.error());
  const auto ids = authorize(context, text(properties, "GroupId").value_or(""), egress, {*permission});
  if (!ids) return std::unexpected(ids.error());
  const std::string id = ids->empty() ? "" : ids->front();
  return Made{id, {{"Id", text_value(id)}}};
}

template <bool egress>
Reply<Progress> remove_rule(const ResourceContext& context, const Made& made,
                            const json::object& properties) {
  const auto group = text(properties, "GroupId");
  if (egress) {
    auto done = context.ask<ec2::RevokeSecurityGroupEgress>(
        {.security_group_rule_ids = {{made.physical_id}}, .group_id = group});
    if (!done) return std::unexpected(std::move(done.error()));
  } else {
    auto done = context.ask<ec2::RevokeSecurityGroupIngress>(
        {.group_id = group, .security_group_rule_ids = {{made.physical_id}}});
    if (!done) return std::unexpected(std::move(done.error()));
  }
  return Progress{};
}

/// Only the description changes in place; the rule is put anew, since descriptions have no call of their own
/// here.
template <bool egress>
Reply<Made> update_rule(const ResourceContext& context, const Made& made, const json::object& before,
                        const json::object& after) {
  auto gone = remove_rule<egress>(context, made, before);
  if (!gone && !is_absent(gone.error())) return std::unexpected(std::move(gone.error()));
  return create_rule<egress>(context, after);
}

}  // namespace

std::span<const ResourceType> security_group_types() {
  static constexpr std::array<ResourceType, 3> k_types{{
      {.name = "AWS::EC2::SecurityGroup",
       .properties = k_group_properties,
       .attributes = k_group_attributes,
       .tagged = true,
       .time_to_create = std::chrono::seconds(5),
       .create = create_group,
       .check = check_group,
       .update = update_group,
       .remove = remove_group},
      {.name = "AWS::EC2::SecurityGroupIngress",
       .properties = k_ingress_properties,
       .attributes = k_rule_attributes,
       .create = create_rule<false>,
       .update = update_rule<false>,
       .remove = remove_rule<false>},
      {.name = "AWS::EC2::SecurityGroupEgress",
       .properties = k_egress_properties,
       .attributes = k_rule_attributes,
       .create = create_rule<true>,
       .update = update_rule<true>,
       .remove = remove_rule<true>},
  }};
  return k_types;
}

}  // namespace instantstart::sandbox::cloudformation
