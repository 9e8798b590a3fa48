#include "sandbox/services/ec2/network.h"

#include "sandbox/services/ec2/queries.h"
#include "sandbox/services/ec2/security_group_rules.h"
#include "sandbox/services/ec2/tags.h"

namespace instantstart::sandbox::ec2 {

const aws::ec2::Vpc* Network::find_vpc(std::string_view region, std::string_view id) const {
  return state_.vpcs.find(regional_id(region, id));
}

const aws::ec2::Subnet* Network::find_subnet(std::string_view region, std::string_view id) const {
  return state_.subnets.find(regional_id(region, id));
}

const aws::ec2::SecurityGroup* Network::find_group(std::string_view region, std::string_view id) const {
  return state_.security_groups.find(regional_id(region, id));
}

const aws::ec2::NetworkInterface* Network::find_interface(std::string_view region,
                                                          std::string_view id) const {
  return state_.network_interfaces.find(regional_id(region, id));
}

bool Network::members_reach_each_other(std::string_view region, std::string_view group_id) const {
  const auto has_rule = [&](bool egress) {
    return any_in(state_.security_group_rules, region, [&](const aws::ec2::SecurityGroupRule& rule) {
      return rule.group_id == group_id && rule.is_egress == egress && rule.ip_protocol == "-1" &&
             rule.referenced_group_info && rule.referenced_group_info->group_id == group_id;
    });
  };
  return has_rule(false) && has_rule(true);
}

Reply<std::string> Network::add_interface(std::string_view region, const InterfaceSpec& spec) {
  return ec2::add_interface(state_, region, spec);
}

void Network::remove_interface(std::string_view region, std::string_view id) {
  ec2::remove_interface(state_, region, id);
}

std::string Network::make_cluster_group(std::string_view region, const GroupSpec& spec) {
  std::string id = make_group(state_, region, spec);
  add_rule(state_, region, id, Direction::ingress, {.protocol = "-1", .group_id = id});
  return id;
}

bool Network::remove_group(std::string_view region, std::string_view id) {
  if (is_group_in_use(state_, region, id)) return false;
  forget_group(state_, region, id);
  return true;
}

void Network::tag(std::string_view region, std::string_view id,
                  const std::map<std::string, std::string>& tags) {
  put_tags(state_, region, id, tags);
}

std::map<std::string, std::string> Network::tags(std::string_view region, std::string_view id) const {
  const TagSet* found = state_.tags.find(regional_id(region, id));
  return found ? found->tags : TagMap{};
}

}  // namespace instantstart::sandbox::ec2
