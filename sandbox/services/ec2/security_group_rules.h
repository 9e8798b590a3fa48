// The rules of security groups. Kept one by one, as DescribeSecurityGroupRules shows them;
// DescribeSecurityGroups gathers those of one protocol and port range into a permission.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/services/ec2/state.h"

namespace instantstart::sandbox::ec2 {

enum class Direction { ingress, egress };

/// What makes a rule that rule, in canonical form; exactly one of the last four is set.
struct RuleKey {
  std::string protocol;         ///< "tcp", "udp", "icmp", "icmpv6", a number, or "-1" for all
  std::int64_t from_port = -1;  ///< For ICMP the type. -1 is all.
  std::int64_t to_port = -1;    ///< For ICMP the code.
  std::string cidr_ipv4;
  std::string cidr_ipv6;
  std::string prefix_list_id;
  std::string group_id;

  bool operator==(const RuleKey&) const = default;
};

struct RequestedRule {
  RuleKey key;
  std::optional<std::string> description;
};

/// The rules that permissions spell out, canonical: "6" is "tcp", "10.0.0.1/8" is 10.0.0.0/8. Refuses unknown
/// protocols, impossible ports, malformed blocks, groups that don't exist, and a rule that is there twice.
Reply<std::vector<RequestedRule>> rules_in(const State& state, std::string_view region,
                                           const aws::ec2::SecurityGroup& group,
                                           const std::vector<aws::ec2::IpPermission>& permissions);

/// No checks. The id of the rule.
std::string add_rule(State& state, std::string_view region, std::string_view group_id, Direction direction,
                     const RuleKey& key, const std::optional<std::string>& description = std::nullopt);
std::vector<aws::ec2::IpPermission> permissions_of(const State& state, std::string_view region,
                                                   std::string_view group_id, Direction direction);
/// With the group.
void forget_rules(State& state, std::string_view region, std::string_view group_id);

Reply<aws::ec2::DescribeSecurityGroupRulesResult> describe_security_group_rules(
    State& state, const Call& call, const aws::ec2::DescribeSecurityGroupRulesRequest& in);
Reply<aws::ec2::AuthorizeSecurityGroupIngressResult> authorize_security_group_ingress(
    State& state, const Call& call, const aws::ec2::AuthorizeSecurityGroupIngressRequest& in);
Reply<aws::ec2::AuthorizeSecurityGroupEgressResult> authorize_security_group_egress(
    State& state, const Call& call, const aws::ec2::AuthorizeSecurityGroupEgressRequest& in);
Reply<aws::ec2::RevokeSecurityGroupIngressResult> revoke_security_group_ingress(
    State& state, const Call& call, const aws::ec2::RevokeSecurityGroupIngressRequest& in);
Reply<aws::ec2::RevokeSecurityGroupEgressResult> revoke_security_group_egress(
    State& state, const Call& call, const aws::ec2::RevokeSecurityGroupEgressRequest& in);

}  // namespace instantstart::sandbox::ec2
