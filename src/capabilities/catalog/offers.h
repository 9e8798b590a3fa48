// What AWS says of its offers, put into our words. Pure.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "aws/shapes/ec2.h"
#include "aws/shapes/service_quotas.h"
#include "capabilities/catalog/catalog.h"

namespace instantstart::capabilities {

/// False for the zones that EKS does not take control plane subnets in (EKS user guide, "Subnet requirements
/// for clusters").
bool zone_takes_control_plane(std::string_view zone_id);

/// Availability zones that are usable, by name. `offering` holds the names of zones that offer the asked
/// type, or is null.
std::vector<Zone> to_zones(const std::vector<aws::ec2::AvailabilityZone>& zones,
                           const std::set<std::string>* offering);

/// Zone names by instance type.
using Offerings = std::map<std::string, std::vector<std::string>, std::less<>>;
Offerings to_offerings(const std::vector<aws::ec2::InstanceTypeOffering>& offerings);

/// "ml.p5.48xlarge for cluster usage" by EC2 name.
using ClusterQuotas = std::map<std::string, std::int64_t, std::less<>>;
ClusterQuotas to_cluster_quotas(const std::vector<aws::service_quotas::ServiceQuota>& quotas);

InstanceTypeView to_view(const aws::ec2::InstanceTypeInfo& info, const Offerings& offerings,
                         const ClusterQuotas& quotas);

}  // namespace instantstart::capabilities
