// The CloudFormation template of a control plane, as a value. No text is pasted together: what a caller typed
// is always one value in one place.
#pragma once

#include <cstddef>
#include <string>

#include <boost/json/object.hpp>

#include "capabilities/network/control_plane_choices.h"

namespace instantstart::capabilities {

/// CreateStack takes no longer body (API reference).
inline constexpr std::size_t k_most_template_bytes = 51'200;

/// Its parameters are those of to_parameters(choices) and `Template`, the digest of the template itself.
///
/// Outputs, for what comes later: VpcId, PrivateSubnetIds, SecurityGroupId, ClusterArn, ClusterEndpoint,
/// CertificateAuthority, OidcIssuer, ClusterSecurityGroupId, ClusterRoleArn; with a network of its own also
/// PublicSubnetIds, PublicRouteTableId and PrivateRouteTableIds (one for each zone, in their order). Lists
/// are joined by commas.
json::object control_plane_template(const ControlPlaneChoices& choices);

/// The body as it is sent, and the parameter that says which template a stack has.
struct TemplateText {
  std::string body;
  std::string digest;
};
TemplateText template_text(const ControlPlaneChoices& choices);

}  // namespace instantstart::capabilities
