// Rules of security groups, from the properties of a template to EC2's permissions.
#pragma once

#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "aws/shapes/ec2.h"
#include "sandbox/services/cloudformation/resources/resource_type.h"

namespace instantstart::sandbox::cloudformation {

/// One rule: its properties but GroupId. "Encountered unsupported property X".
Reply<aws::ec2::IpPermission> permission_of(const json::object& rule);
Reply<std::vector<aws::ec2::IpPermission>> permissions_of(const json::object& properties,
                                                          std::string_view list);

/// The ids of the rules that were made.
Reply<std::vector<std::string>> authorize(const ResourceContext& context, const std::string& group,
                                          bool egress,
                                          const std::vector<aws::ec2::IpPermission>& permissions);
Reply<void> revoke(const ResourceContext& context, const std::string& group, bool egress,
                   const std::vector<aws::ec2::IpPermission>& permissions);

}  // namespace instantstart::sandbox::cloudformation
