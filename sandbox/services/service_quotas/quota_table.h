// What Service Quotas knows: names, codes, AWS's defaults, and what this account was granted.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace instantstart::sandbox {

struct Quota {
  std::string_view service_code;  ///< "vpc": Service Quotas' own names, which aren't always the API's.
  std::string_view service_name;
  std::string code;  ///< "L-F678F1CE"
  std::string name;  ///< "VPCs per Region"
  double default_value;
  double granted_value;  ///< What the simulated account has in every region, unless it is changed.
  bool adjustable = true;
};

/// Service by service, in the order in which they are listed.
std::span<const Quota> all_quotas();

/// nullptr when there is none.
const Quota* find_quota(std::string_view service_code, std::string_view quota_code);

/// The name of HyperPod's quota for an instance type: "ml.p5.48xlarge for cluster usage".
std::string cluster_usage_name(std::string_view instance_type);

}  // namespace instantstart::sandbox
