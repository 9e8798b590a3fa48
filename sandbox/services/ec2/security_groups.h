// Security groups; their rules are in security_group_rules.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sandbox/services/ec2/state.h"

namespace instantstart::sandbox::ec2 {

/// The name of the group that each VPC has and nobody can delete.
inline constexpr std::string_view k_default_group = "default";

struct GroupSpec {
  std::string vpc_id;
  std::string name;
  std::string description;
};

/// With the rule that lets everything out; no checks. The id of the group.
std::string make_group(State& state, std::string_view region, const GroupSpec& spec);
/// The VPC's default group, whose members may reach each other.
std::string make_default_group(State& state, std::string_view region, std::string_view vpc_id);
/// Takes the group away with its rules and tags; no checks.
void forget_group(State& state, std::string_view region, std::string_view id);
/// All of the VPC.
void forget_groups(State& state, std::string_view region, std::string_view vpc_id);
/// Whether something else needs the group: a network interface or another group's rule.
bool is_group_in_use(const State& state, std::string_view region, std::string_view id);

/// By id, or by name in the default VPC, as requests name groups.
Reply<const aws::ec2::SecurityGroup*> find_group(const State& state, std::string_view region,
                                                 const std::optional<std::string>& id,
                                                 const std::optional<std::string>& name);

Reply<aws::ec2::CreateSecurityGroupResult> create_security_group(
    State& state, const Call& call, const aws::ec2::CreateSecurityGroupRequest& in);
Reply<aws::ec2::DescribeSecurityGroupsResult> describe_security_groups(
    State& state, const Call& call, const aws::ec2::DescribeSecurityGroupsRequest& in);
Reply<aws::ec2::DeleteSecurityGroupResult> delete_security_group(
    State& state, const Call& call, const aws::ec2::DeleteSecurityGroupRequest& in);

}  // namespace instantstart::sandbox::ec2
