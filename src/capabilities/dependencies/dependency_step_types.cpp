#include "capabilities/dependencies/dependency_steps.h"

namespace instantstart::capabilities {

Type describe(ObjectsInput*) {
  return object_type<ObjectsInput>(
      "ObjectsInput", "A component that is Kubernetes objects.",
      {field<&ObjectsInput::cluster>("cluster", "Where."),
       field<&ObjectsInput::component>("component", "Which one."),
       field<&ObjectsInput::release>("release", "The Helm release that could adopt it."),
       field<&ObjectsInput::adopt>("adopt", "Objects of others that have its names become ours.",
                                   {.defaulted = true})});
}

Type describe(AddonInput*) {
  return object_type<AddonInput>("AddonInput", "A component that is an EKS add-on.",
                                 {field<&AddonInput::cluster>("cluster", "Where."),
                                  field<&AddonInput::component>("component", "Which one."),
                                  field<&AddonInput::version>("version", "At least this version.")});
}

Type describe(OidcInput*) {
  return object_type<OidcInput>("OidcInput", "The OIDC provider of a cluster.",
                                {field<&OidcInput::cluster>("cluster", "Whose.")});
}

Type describe(RoleInput*) {
  return object_type<RoleInput>(
      "RoleInput", "A role for pods.",
      {field<&RoleInput::cluster>("cluster", "Of which cluster."),
       field<&RoleInput::role_name>("role_name", "Its name."),
       field<&RoleInput::policy>("policy", "A managed policy that it has.", {.defaulted = true})});
}

Type describe(AssociationInput*) {
  return object_type<AssociationInput>(
      "AssociationInput", "A role for a service account.",
      {field<&AssociationInput::cluster>("cluster", "Where."),
       field<&AssociationInput::space>("namespace", "Its namespace."),
       field<&AssociationInput::service_account>("service_account", "Its name."),
       field<&AssociationInput::role_name>("role_name", "The role.")});
}

Type describe(ObjectRequest*) {
  return object_type<ObjectRequest>(
      "ObjectRequest", "One object to apply or delete.",
      {field<&ObjectRequest::ref>("ref", "Which one."), field<&ObjectRequest::maker>("maker", "Whose it is."),
       field<&ObjectRequest::force>("force", "Takes fields over.")});
}

Type describe(AddonRequest*) {
  return object_type<AddonRequest>("AddonRequest", "One call to EKS.",
                                   {field<&AddonRequest::call>("call", "Which one."),
                                    field<&AddonRequest::version>("version", "The version.")});
}

Type describe(RoleRequest*) {
  return object_type<RoleRequest>("RoleRequest", "One call about a role.",
                                  {field<&RoleRequest::call>("call", "Which one.")});
}

Type describe(ThingRequest*) {
  return object_type<ThingRequest>("ThingRequest", "One thing to make or delete.",
                                   {field<&ThingRequest::id>("id", "Which one.")});
}

}  // namespace instantstart::capabilities
