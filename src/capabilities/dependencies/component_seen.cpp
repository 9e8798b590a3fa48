#include "capabilities/dependencies/component_seen.h"

namespace instantstart::capabilities {

Type describe(DaemonsSeen*) {
  return object_type<DaemonsSeen>(
      "DaemonsSeen", "The pods of a DaemonSet.",
      {field<&DaemonsSeen::current>("current", "The controller saw its last change."),
       field<&DaemonsSeen::wanted>("wanted", "Nodes that fit."),
       field<&DaemonsSeen::ready>("ready", "Ready pods.")});
}

Type describe(ObjectSeen*) {
  return object_type<ObjectSeen>(
      "ObjectSeen", "A Kubernetes object of a component.",
      {field<&ObjectSeen::ref>("ref", "Which one."), field<&ObjectSeen::exists>("exists", "It is there."),
       field<&ObjectSeen::going>("going", "It is being deleted."),
       field<&ObjectSeen::maker>("maker", "Our operation that made it."),
       field<&ObjectSeen::helm_release>("helm_release", "The release that owns it."),
       field<&ObjectSeen::version>("version", "Its version."),
       field<&ObjectSeen::differences>("differences", "What it lacks.", {.defaulted = true}),
       field<&ObjectSeen::daemons>("daemons", "Its pods.")});
}

Type describe(ObjectsSeen*) {
  return object_type<ObjectsSeen>(
      "ObjectsSeen", "The objects of a component.",
      {field<&ObjectsSeen::objects>("objects", "Each of them.", {.defaulted = true}),
       field<&ObjectsSeen::copies>("copies", "Others that do the same.", {.defaulted = true}),
       field<&ObjectsSeen::nodes>("nodes", "The cluster has nodes."),
       field<&ObjectsSeen::occupied>("occupied", "Its namespace holds pods.", {.defaulted = true})});
}

Type describe(IssueSeen*) {
  return object_type<IssueSeen>("IssueSeen", "What EKS says is wrong with an add-on.",
                                {field<&IssueSeen::code>("code", "EKS's code."),
                                 field<&IssueSeen::message>("message", "EKS's words.")});
}

Type describe(AddonSeen*) {
  return object_type<AddonSeen>("AddonSeen", "An EKS add-on.",
                                {field<&AddonSeen::exists>("exists", "It is there."),
                                 field<&AddonSeen::status>("status", "EKS's word for it."),
                                 field<&AddonSeen::version>("version", "Its version."),
                                 field<&AddonSeen::issues>("issues", "What is wrong.", {.defaulted = true}),
                                 field<&AddonSeen::maker>("maker", "Our operation that made it."),
                                 field<&AddonSeen::installed_otherwise>(
                                     "installed_otherwise", "What shows that somebody else installed it."),
                                 field<&AddonSeen::nodes>("nodes", "The cluster has nodes.")});
}

Type describe(OidcSeen*) {
  return object_type<OidcSeen>("OidcSeen", "The OIDC provider of a cluster.",
                               {field<&OidcSeen::issuer>("issuer", "The cluster's issuer."),
                                field<&OidcSeen::arn>("arn", "The provider in IAM."),
                                field<&OidcSeen::has_audience>("has_audience", "STS may use it."),
                                field<&OidcSeen::maker>("maker", "Our operation that made it.")});
}

Type describe(RoleSeen*) {
  return object_type<RoleSeen>(
      "RoleSeen", "An IAM role for pods.",
      {field<&RoleSeen::arn>("arn", "Its ARN."),
       field<&RoleSeen::trusts_pods>("trusts_pods", "Pods may assume it."),
       field<&RoleSeen::has_policy>("has_policy", "It has its managed policy.", {.defaulted = true}),
       field<&RoleSeen::maker>("maker", "Our operation that made it.")});
}

Type describe(AssociationSeen*) {
  return object_type<AssociationSeen>(
      "AssociationSeen", "Which role a service account has.",
      {field<&AssociationSeen::id>("id", "EKS's id."),
       field<&AssociationSeen::role_arn>("role_arn", "The role."),
       field<&AssociationSeen::maker>("maker", "Our operation that made it.")});
}

}  // namespace instantstart::capabilities
