// The kinds of EC2 resources: what their ids look like, what tags call them, and how a missing one is
// refused.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sandbox/core/service.h"

namespace instantstart::sandbox::ec2 {

enum class ResourceKind {
  vpc,
  subnet,
  route_table,
  internet_gateway,
  nat_gateway,
  address,
  security_group,
  security_group_rule,
  vpc_endpoint,
  network_interface,
  vpc_peering_connection,
};

struct ResourceKindInfo {
  ResourceKind kind;
  std::string_view id_prefix;  ///< "vpc"
  std::string_view tag_type;   ///< "vpc": the resource type in tag specifications and DescribeTags.
  std::string_view not_found;  ///< "InvalidVpcID.NotFound"
  std::string_view sentence;   ///< "The vpc ID '{}' does not exist"
  std::string_view malformed;  ///< The code for an id without the prefix; empty: as one that does not exist.
};

std::span<const ResourceKindInfo> resource_kinds();
const ResourceKindInfo& kind_info(ResourceKind kind);
/// By the prefix of an id; nullptr when no kind has it.
const ResourceKindInfo* kind_of_id(std::string_view id);

/// The refusal for an id of that kind that names nothing.
std::unexpected<AwsFault> not_found(ResourceKind kind, std::string_view id);
/// "The vpc 'vpc-…' has dependencies and cannot be deleted."
std::unexpected<AwsFault> has_dependencies(std::string_view noun, std::string_view id);

}  // namespace instantstart::sandbox::ec2
