// Tags of EC2's resources.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "aws/shapes/ec2.h"
#include "sandbox/services/cloudformation/resources/resource_type.h"

namespace instantstart::sandbox::cloudformation {

/// Of a create call; `kind` is "vpc", "natgateway", "elastic-ip" …
std::vector<aws::ec2::TagSpecification> tag_specifications(const ResourceContext& context,
                                                           std::string_view kind);
/// From context.tags_before to context.tags.
Reply<void> retag(const ResourceContext& context, const std::string& id);

}  // namespace instantstart::sandbox::cloudformation
