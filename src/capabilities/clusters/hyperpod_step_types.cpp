#include "capabilities/clusters/hyperpod_steps.h"

namespace instantstart::capabilities {

Type describe(ExecutionRoleInput*) {
  using Input = ExecutionRoleInput;
  return object_type<Input>("ExecutionRoleInput", "The role of HyperPod's instances.",
                            {field<&Input::cluster>("cluster", "The cluster."),
                             field<&Input::role_name>("role_name", "The role's name."),
                             field<&Input::bucket>("bucket", "The bucket of lifecycle scripts."),
                             field<&Input::kms_key>("kms_key", "The key of encrypted volumes.")});
}

Type describe(ExecutionRoleSeen*) {
  using Seen = ExecutionRoleSeen;
  return object_type<Seen>(
      "ExecutionRoleSeen", "The role as it is seen.",
      {field<&Seen::exists>("exists", "Whether it is there."),
       field<&Seen::maker>("maker", "The operation that made it."),
       field<&Seen::trust_holds>("trust_holds", "Whether its trust is right.", {.defaulted = true}),
       field<&Seen::policy_holds>("policy_holds", "Whether its own policy is right.", {.defaulted = true}),
       field<&Seen::attached>("attached", "Managed policies.", {.defaulted = true}),
       field<&Seen::inlined>("inlined", "Policies in the role.", {.defaulted = true})});
}

Type describe(RoleCall*) {
  using enum RoleCall;
  return enum_type<RoleCall>("RoleCall", "What is called.",
                             {{create_role, {"create_role", "CreateRole"}},
                              {update_trust, {"update_trust", "UpdateAssumeRolePolicy"}},
                              {attach_policy, {"attach_policy", "AttachRolePolicy"}},
                              {put_policy, {"put_policy", "PutRolePolicy"}},
                              {detach_policy, {"detach_policy", "DetachRolePolicy"}},
                              {delete_policy, {"delete_policy", "DeleteRolePolicy"}},
                              {delete_role, {"delete_role", "DeleteRole"}}});
}

Type describe(RoleStepRequest*) {
  return object_type<RoleStepRequest>(
      "RoleStepRequest", "A call about a role.",
      {field<&RoleStepRequest::call>("call", "Which."),
       field<&RoleStepRequest::policy>("policy", "The policy.", {.defaulted = true})});
}

Type describe(LifecycleInput*) {
  using Input = LifecycleInput;
  return object_type<Input>(
      "LifecycleInput", "The bucket of lifecycle scripts.",
      {field<&Input::cluster>("cluster", "The cluster."), field<&Input::bucket>("bucket", "The bucket."),
       field<&Input::key>("key", "The script's key.")});
}

Type describe(LifecycleSeen*) {
  using Seen = LifecycleSeen;
  return object_type<Seen>(
      "LifecycleSeen", "The bucket as it is seen.",
      {field<&Seen::exists>("exists", "Whether it is there."),
       field<&Seen::other_account>("other_account", "Whether it is somebody else's.", {.defaulted = true}),
       field<&Seen::tagged>("tagged", "Whether it has tags.", {.defaulted = true}),
       field<&Seen::maker>("maker", "The operation that made it."),
       field<&Seen::public_blocked>("public_blocked", "Whether public access is blocked.",
                                    {.defaulted = true}),
       field<&Seen::script_holds>("script_holds", "Whether the script is there.", {.defaulted = true}),
       field<&Seen::keys>("keys", "Objects.", {.defaulted = true})});
}

Type describe(BucketCall*) {
  using enum BucketCall;
  return enum_type<BucketCall>("BucketCall", "What is called.",
                               {{create_bucket, {"create_bucket", "CreateBucket"}},
                                {tag_bucket, {"tag_bucket", "PutBucketTagging"}},
                                {block_public, {"block_public", "PutPublicAccessBlock"}},
                                {put_script, {"put_script", "PutObject"}},
                                {delete_object, {"delete_object", "DeleteObject"}},
                                {delete_bucket, {"delete_bucket", "DeleteBucket"}}});
}

Type describe(BucketRequest*) {
  return object_type<BucketRequest>("BucketRequest", "A call about a bucket.",
                                    {field<&BucketRequest::call>("call", "Which."),
                                     field<&BucketRequest::key>("key", "The object.", {.defaulted = true})});
}

Type describe(HyperpodInput*) {
  using Input = HyperpodInput;
  return object_type<Input>(
      "HyperpodInput", "A HyperPod cluster with its first group.",
      {field<&Input::cluster>("cluster", "The cluster."), field<&Input::name>("name", "Its name."),
       field<&Input::eks_arn>("eks_arn", "The EKS cluster."),
       field<&Input::role_name>("role_name", "The role of its instances."),
       field<&Input::subnet_id>("subnet_id", "Where nodes go.", {.defaulted = true}),
       field<&Input::security_group_ids>("security_group_ids", "What nodes are in.", {.defaulted = true}),
       field<&Input::group>("group", "The first group.")});
}

Type describe(HyperpodGroupSeen*) {
  using Seen = HyperpodGroupSeen;
  return object_type<Seen>(
      "HyperpodGroupSeen", "A group as it is seen.",
      {field<&Seen::name>("name", "Its name."),
       field<&Seen::status>("status", "SageMaker's word.", {.defaulted = true}),
       field<&Seen::target>("target", "Wanted instances.", {.defaulted = true}),
       field<&Seen::current>("current", "Instances that are there.", {.defaulted = true}),
       field<&Seen::deep_checks>("deep_checks", "Whether it has deep checks.", {.defaulted = true})});
}

Type describe(HyperpodSeen*) {
  using Seen = HyperpodSeen;
  return object_type<Seen>(
      "HyperpodSeen", "A HyperPod cluster as it is seen.",
      {field<&Seen::exists>("exists", "Whether it is there."),
       field<&Seen::arn>("arn", "Its ARN.", {.defaulted = true}),
       field<&Seen::status>("status", "SageMaker's word.", {.defaulted = true}),
       field<&Seen::failure_message>("failure_message", "Why it failed.", {.defaulted = true}),
       field<&Seen::eks_arn>("eks_arn", "The EKS cluster that it is on.", {.defaulted = true}),
       field<&Seen::node_recovery>("node_recovery", "Its recovery.", {.defaulted = true}),
       field<&Seen::maker>("maker", "The operation that made it."),
       field<&Seen::groups>("groups", "Its groups.", {.defaulted = true}),
       field<&Seen::events>("events", "Warnings and errors.", {.defaulted = true}),
       field<&Seen::log>("log", "The log of the lifecycle script.", {.defaulted = true})});
}

Type describe(HyperpodCall*) {
  using enum HyperpodCall;
  return enum_type<HyperpodCall>("HyperpodCall", "What is called.",
                                 {{create_cluster, {"create_cluster", "CreateCluster"}},
                                  {update_cluster, {"update_cluster", "UpdateCluster"}},
                                  {delete_cluster, {"delete_cluster", "DeleteCluster"}}});
}

Type describe(HyperpodRequest*) {
  using Request = HyperpodRequest;
  return object_type<Request>(
      "HyperpodRequest", "A call about a HyperPod cluster.",
      {field<&Request::call>("call", "Which."),
       field<&Request::arn>("arn", "The cluster that is meant.", {.defaulted = true}),
       field<&Request::subnet_id>("subnet_id", "Where nodes go.", {.defaulted = true}),
       field<&Request::attempt>("attempt", "Which attempt.", {.defaulted = true})});
}

Type describe(HyperpodDeletionInput*) {
  using Input = HyperpodDeletionInput;
  return object_type<Input>(
      "HyperpodDeletionInput", "The HyperPod cluster that goes.",
      {field<&Input::cluster>("cluster", "The cluster."), field<&Input::name>("name", "Its name."),
       field<&Input::arn>("arn", "Its ARN.")});
}

Type describe(AccessEntryInput*) {
  using Input = AccessEntryInput;
  return object_type<Input>("AccessEntryInput", "Who gets access to the cluster.",
                            {field<&Input::cluster>("cluster", "The cluster."),
                             field<&Input::principal_arn>("principal_arn", "The role or user.")});
}

Type describe(AccessEntrySeen*) {
  using Seen = AccessEntrySeen;
  return object_type<Seen>(
      "AccessEntrySeen", "An access entry as it is seen.",
      {field<&Seen::exists>("exists", "Whether it is there."),
       field<&Seen::administrator>("administrator", "Whether it administers.", {.defaulted = true}),
       field<&Seen::maker>("maker", "The operation that made it.")});
}

Type describe(AccessCall*) {
  using enum AccessCall;
  return enum_type<AccessCall>("AccessCall", "What is called.",
                               {{create_entry, {"create_entry", "CreateAccessEntry"}},
                                {associate_policy, {"associate_policy", "AssociateAccessPolicy"}},
                                {delete_entry, {"delete_entry", "DeleteAccessEntry"}}});
}

Type describe(AccessRequest*) {
  return object_type<AccessRequest>("AccessRequest", "A call about an access entry.",
                                    {field<&AccessRequest::call>("call", "Which.")});
}

}  // namespace instantstart::capabilities
