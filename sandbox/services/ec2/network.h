// What other simulated services ask of the network: EKS and HyperPod look at subnets and groups, put network
// interfaces into them and have groups of their own. Not an API of AWS; nothing here is audited as a call.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "sandbox/services/ec2/network_interfaces.h"
#include "sandbox/services/ec2/security_groups.h"
#include "sandbox/services/ec2/state.h"

namespace instantstart::sandbox::ec2 {

class Network {
 public:
  /// The state must outlive it.
  explicit Network(State& state) : state_(state) {}

  /// nullptr when the region has none of that id. Valid until the next change of that record.
  const aws::ec2::Vpc* find_vpc(std::string_view region, std::string_view id) const;
  const aws::ec2::Subnet* find_subnet(std::string_view region, std::string_view id) const;
  const aws::ec2::SecurityGroup* find_group(std::string_view region, std::string_view id) const;
  const aws::ec2::NetworkInterface* find_interface(std::string_view region, std::string_view id) const;

  /// Whether the group has rules, both in and out, that let everything through between its own members, as
  /// EFA needs them ("Prepare an EFA-enabled security group" in the EC2 user guide).
  bool members_reach_each_other(std::string_view region, std::string_view group_id) const;

  /// The id. Refuses what isn't there, and a subnet without enough free addresses.
  Reply<std::string> add_interface(std::string_view region, const InterfaceSpec& spec);
  /// Nothing happens when it is gone.
  void remove_interface(std::string_view region, std::string_view id);

  /// A group whose members may reach each other and everything: what EKS makes for a cluster.
  std::string make_cluster_group(std::string_view region, const GroupSpec& spec);
  /// False while something else needs it.
  bool remove_group(std::string_view region, std::string_view id);

  /// Also tags that users may not set, as "aws:eks:cluster-name" and "aws:cloudformation:stack-name".
  void tag(std::string_view region, std::string_view id, const std::map<std::string, std::string>& tags);
  std::map<std::string, std::string> tags(std::string_view region, std::string_view id) const;

 private:
  State& state_;
};

}  // namespace instantstart::sandbox::ec2
