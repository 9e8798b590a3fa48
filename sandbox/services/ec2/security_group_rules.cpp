#include "sandbox/services/ec2/security_group_rules.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "sandbox/core/arn.h"
#include "sandbox/services/ec2/errors.h"
#include "sandbox/services/ec2/listing.h"
#include "sandbox/services/ec2/queries.h"
#include "sandbox/services/ec2/security_groups.h"
#include "sandbox/services/ec2/tags.h"

namespace instantstart::sandbox::ec2 {
namespace {

using aws::ec2::IpPermission;
using aws::ec2::SecurityGroup;
using aws::ec2::SecurityGroupRule;

constexpr std::array<FilterName, 4> k_filters{{{"group-id", "GroupId"},
                                               {"security-group-rule-id", "SecurityGroupRuleId"},
                                               {"tag:", "Tags"},
                                               {"tag-key", "Tags.Key"}}};

RuleKey key_of(const SecurityGroupRule& rule) {
  return {.protocol = *rule.ip_protocol,
          .from_port = *rule.from_port,
          .to_port = *rule.to_port,
          .cidr_ipv4 = rule.cidr_ipv4.value_or(""),
          .cidr_ipv6 = rule.cidr_ipv6.value_or(""),
          .prefix_list_id = rule.prefix_list_id.value_or(""),
          .group_id = rule.referenced_group_info ? *rule.referenced_group_info->group_id : ""};
}

bool is_of(const SecurityGroupRule& rule, std::string_view group_id, Direction direction) {
  return rule.group_id == group_id && *rule.is_egress == (direction == Direction::egress);
}

/// As EC2 writes a rule into its refusals: "peer: 0.0.0.0/0, TCP, from port: 22, to port: 22, ALLOW".
std::string words_of(const RuleKey& key) {
  const std::string peer = key.cidr_ipv4 + key.cidr_ipv6 + key.prefix_list_id + key.group_id;
  if (key.protocol == "-1") return fmt::format("peer: {}, ALL, ALLOW", peer);
  std::string protocol = key.protocol;
  std::ranges::transform(protocol, protocol.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return fmt::format("peer: {}, {}, from port: {}, to port: {}, ALLOW", peer, protocol, key.from_port,
                     key.to_port);
}

std::vector<const SecurityGroupRule*> rules_of(const State& state, std::string_view region,
                                               std::string_view group_id, Direction direction) {
  return records_in(state.security_group_rules, region,
                    [&](const SecurityGroupRule& rule) { return is_of(rule, group_id, direction); });
}

SecurityGroupRule shown(const State& state, std::string_view region, const SecurityGroupRule& rule) {
  return with_tags(state, region, *rule.security_group_rule_id, rule);
}

/// The permissions of a request, which ingress calls may also spell out flat.
template <class Request>
Reply<std::vector<IpPermission>> requested_permissions(const Request& in) {
  if (!aws::items(in.ip_permissions).empty()) return *in.ip_permissions;
  if (!in.ip_protocol) return missing_parameter("ipPermissions");
  IpPermission flat{.ip_protocol = in.ip_protocol, .from_port = in.from_port, .to_port = in.to_port};
  if (in.cidr_ip) flat.ip_ranges = {{{.cidr_ip = in.cidr_ip}}};
  if (in.source_security_group_name) {
    flat.user_id_group_pairs = {
        {{.user_id = in.source_security_group_owner_id, .group_name = in.source_security_group_name}}};
  }
  return std::vector<IpPermission>{std::move(flat)};
}

std::optional<AwsFault> refuse_rules(const State& state, std::string_view region, const std::string& group_id,
                                     Direction direction, const std::vector<RequestedRule>& added) {
  const auto present = rules_of(state, region, group_id, direction);
  for (const auto& rule : added) {
    for (const auto* other : present) {
      if (key_of(*other) != rule.key) continue;
      return fault("InvalidPermission.Duplicate",
                   fmt::format("the specified rule \"{}\" already exists", words_of(rule.key)))
          .error();
    }
  }
  if (present.size() + added.size() > state.limits(region).rules_per_security_group) {
    return fault("RulesPerSecurityGroupLimitExceeded",
                 "The maximum number of rules per security group has been reached.")
        .error();
  }
  return std::nullopt;
}

template <class Result, class Request>
Reply<Result> authorize(State& state, const Call& call, const SecurityGroup& group, Direction direction,
                        const Request& in) {
  auto permissions = requested_permissions(in);
  if (!permissions) return std::unexpected(std::move(permissions.error()));
  auto rules = rules_in(state, call.region, group, *permissions);
  if (!rules) return std::unexpected(std::move(rules.error()));
  auto tags = requested_tags(call, ResourceKind::security_group_rule, in.tag_specifications);
  if (!tags) return std::unexpected(std::move(tags.error()));
  const std::string group_id = *group.group_id;
  if (auto refusal = refuse_rules(state, call.region, group_id, direction, *rules)) {
    return std::unexpected(std::move(*refusal));
  }
  Result result{.return_ = true, .security_group_rules = std::vector<SecurityGroupRule>{}};
  for (const auto& rule : *rules) {
    const std::string id = add_rule(state, call.region, group_id, direction, rule.key, rule.description);
    put_tags(state, call.region, id, *tags);
    result.security_group_rules->push_back(
        shown(state, call.region, *state.security_group_rules.find(regional_id(call.region, id))));
  }
  return result;
}

/// The ids of the rules that a revoke call means; all of them exist.
template <class Request>
Reply<std::vector<std::string>> revoked_ids(const State& state, const Call& call, const SecurityGroup& group,
                                            Direction direction, const Request& in) {
  const auto present = rules_of(state, call.region, *group.group_id, direction);
  if (!aws::items(in.security_group_rule_ids).empty()) {
    for (const auto& id : *in.security_group_rule_ids) {
      const bool is_here = std::ranges::any_of(
          present, [&id](const auto* rule) { return rule->security_group_rule_id == id; });
      if (!is_here) return not_found(ResourceKind::security_group_rule, id);
    }
    return *in.security_group_rule_ids;
  }
  auto permissions = requested_permissions(in);
  if (!permissions) return std::unexpected(std::move(permissions.error()));
  auto rules = rules_in(state, call.region, group, *permissions);
  if (!rules) return std::unexpected(std::move(rules.error()));
  std::vector<std::string> ids;
  for (const auto& rule : *rules) {
    const auto found =
        std::ranges::find_if(present, [&rule](const auto* other) { return key_of(*other) == rule.key; });
    if (found == present.end()) {
      return fault("InvalidPermission.NotFound", "The specified rule does not exist in this security group.");
    }
    ids.push_back(*(*found)->security_group_rule_id);
  }
  return ids;
}

aws::ec2::RevokedSecurityGroupRule revoked(const SecurityGroupRule& rule) {
  aws::ec2::RevokedSecurityGroupRule shape{.security_group_rule_id = rule.security_group_rule_id,
                                           .group_id = rule.group_id,
                                           .is_egress = rule.is_egress,
                                           .ip_protocol = rule.ip_protocol,
                                           .from_port = rule.from_port,
                                           .to_port = rule.to_port,
                                           .cidr_ipv4 = rule.cidr_ipv4,
                                           .cidr_ipv6 = rule.cidr_ipv6,
                                           .prefix_list_id = rule.prefix_list_id,
                                           .description = rule.description};
  if (rule.referenced_group_info) shape.referenced_group_id = rule.referenced_group_info->group_id;
  return shape;
}

void forget_rule(State& state, std::string_view region, const std::string& id) {
  forget_tags(state, region, id);
  state.security_group_rules.erase(regional_id(region, id));
}

template <class Result, class Request>
Reply<Result> revoke(State& state, const Call& call, const SecurityGroup& group, Direction direction,
                     const Request& in) {
  auto ids = revoked_ids(state, call, group, direction, in);
  if (!ids) return std::unexpected(std::move(ids.error()));
  Result result{.return_ = true,
                .revoked_security_group_rules = std::vector<aws::ec2::RevokedSecurityGroupRule>{}};
  for (const auto& id : *ids) {
    const auto* rule = state.security_group_rules.find(regional_id(call.region, id));
    if (!rule) continue;  // Named twice.
    result.revoked_security_group_rules->push_back(revoked(*rule));
    forget_rule(state, call.region, id);
  }
  return result;
}

}  // namespace

std::string add_rule(State& state, std::string_view region, std::string_view group_id, Direction direction,
                     const RuleKey& key, const std::optional<std::string>& description) {
  World& world = state.world;
  std::string id = world.make_id("sgr");
  SecurityGroupRule rule{.security_group_rule_id = id,
                         .group_id = std::string(group_id),
                         .group_owner_id = world.account(),
                         .is_egress = direction == Direction::egress,
                         .ip_protocol = key.protocol,
                         .from_port = key.from_port,
                         .to_port = key.to_port,
                         .description = description,
                         .security_group_rule_arn = make_arn("ec2", region, world.account(),
                                                             fmt::format("security-group-rule/{}", id))};
  if (!key.cidr_ipv4.empty()) rule.cidr_ipv4 = key.cidr_ipv4;
  if (!key.cidr_ipv6.empty()) rule.cidr_ipv6 = key.cidr_ipv6;
  if (!key.prefix_list_id.empty()) rule.prefix_list_id = key.prefix_list_id;
  if (!key.group_id.empty()) {
    rule.referenced_group_info =
        aws::ec2::ReferencedSecurityGroup{.group_id = key.group_id, .user_id = world.account()};
  }
  state.security_group_rules.put(regional_id(region, id), std::move(rule));
  return id;
}

std::vector<IpPermission> permissions_of(const State& state, std::string_view region,
                                         std::string_view group_id, Direction direction) {
  std::map<std::tuple<std::string, std::int64_t, std::int64_t>, IpPermission> permissions;
  for (const auto* rule : rules_of(state, region, group_id, direction)) {
    const auto [place, is_new] =
        permissions.try_emplace({*rule->ip_protocol, *rule->from_port, *rule->to_port});
    IpPermission& permission = place->second;
    if (is_new) {
      permission = {.ip_protocol = rule->ip_protocol,
                    .user_id_group_pairs = std::vector<aws::ec2::UserIdGroupPair>{},
                    .ip_ranges = std::vector<aws::ec2::IpRange>{},
                    .ipv6_ranges = std::vector<aws::ec2::Ipv6Range>{},
                    .prefix_list_ids = std::vector<aws::ec2::PrefixListId>{}};
      if (rule->ip_protocol != "-1") {
        permission.from_port = rule->from_port;
        permission.to_port = rule->to_port;
      }
    }
    const auto& description = rule->description;
    if (rule->cidr_ipv4) permission.ip_ranges->push_back({description, rule->cidr_ipv4});
    if (rule->cidr_ipv6) permission.ipv6_ranges->push_back({description, rule->cidr_ipv6});
    if (rule->prefix_list_id) permission.prefix_list_ids->push_back({description, rule->prefix_list_id});
    if (rule->referenced_group_info) {
      permission.user_id_group_pairs->push_back({.description = description,
                                                 .user_id = rule->referenced_group_info->user_id,
                                                 .group_id = rule->referenced_group_info->group_id});
    }
  }
  std::vector<IpPermission> list;
  for (auto& [ports, permission] : permissions) list.push_back(std::move(permission));
  return list;
}

void forget_rules(State& state, std::string_view region, std::string_view group_id) {
  std::vector<std::string> ids;
  for (const auto* rule :
       records_in(state.security_group_rules, region,
                  [group_id](const SecurityGroupRule& one) { return one.group_id == group_id; })) {
    ids.push_back(*rule->security_group_rule_id);
  }
  for (const auto& id : ids) forget_rule(state, region, id);
}

Reply<aws::ec2::DescribeSecurityGroupRulesResult> describe_security_group_rules(
    State& state, const Call& call, const aws::ec2::DescribeSecurityGroupRulesRequest& in) {
  auto filters = FilterSet::make(in.filters, k_filters);
  if (!filters) return std::unexpected(std::move(filters.error()));
  auto page = list_records(state.security_group_rules, ResourceKind::security_group_rule, call,
                           in.security_group_rule_ids, *filters, page_request(in),
                           [&](const SecurityGroupRule& rule) { return shown(state, call.region, rule); });
  if (!page) return std::unexpected(std::move(page.error()));
  return aws::ec2::DescribeSecurityGroupRulesResult{.security_group_rules = std::move(page->items),
                                                    .next_token = page->next_token};
}

Reply<aws::ec2::AuthorizeSecurityGroupIngressResult> authorize_security_group_ingress(
    State& state, const Call& call, const aws::ec2::AuthorizeSecurityGroupIngressRequest& in) {
  const auto group = find_group(state, call.region, in.group_id, in.group_name);
  if (!group) return std::unexpected(group.error());
  return authorize<aws::ec2::AuthorizeSecurityGroupIngressResult>(state, call, **group, Direction::ingress,
                                                                  in);
}

Reply<aws::ec2::AuthorizeSecurityGroupEgressResult> authorize_security_group_egress(
    State& state, const Call& call, const aws::ec2::AuthorizeSecurityGroupEgressRequest& in) {
  const auto group = find_group(state, call.region, in.group_id, std::nullopt);
  if (!group) return std::unexpected(group.error());
  return authorize<aws::ec2::AuthorizeSecurityGroupEgressResult>(state, call, **group, Direction::egress, in);
}

Reply<aws::ec2::RevokeSecurityGroupIngressResult> revoke_security_group_ingress(
    State& state, const Call& call, const aws::ec2::RevokeSecurityGroupIngressRequest& in) {
  const auto group = find_group(state, call.region, in.group_id, in.group_name);
  if (!group) return std::unexpected(group.error());
  return revoke<aws::ec2::RevokeSecurityGroupIngressResult>(state, call, **group, Direction::ingress, in);
}

Reply<aws::ec2::RevokeSecurityGroupEgressResult> revoke_security_group_egress(
    State& state, const Call& call, const aws::ec2::RevokeSecurityGroupEgressRequest& in) {
  const auto group = find_group(state, call.region, in.group_id, std::nullopt);
  if (!group) return std::unexpected(group.error());
  return revoke<aws::ec2::RevokeSecurityGroupEgressResult>(state, call, **group, Direction::egress, in);
}

}  // namespace instantstart::sandbox::ec2
