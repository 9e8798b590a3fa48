// The step kinds of HyperPod clusters: their inputs, what they see, and their decisions (pure, tested as
// tables).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aws/accounts.h"
#include "capabilities/clusters/hyperpod.h"
#include "capabilities/clusters/hyperpod_failure.h"
#include "capabilities/dependencies/cluster_target.h"
#include "operations/step.h"

namespace instantstart::capabilities {

inline constexpr std::string_view k_execution_role_step = "hyperpod_execution_role";
inline constexpr std::string_view k_execution_role_removal_step = "hyperpod_execution_role_removal";
inline constexpr std::string_view k_lifecycle_step = "hyperpod_lifecycle_bucket";
inline constexpr std::string_view k_lifecycle_removal_step = "hyperpod_lifecycle_bucket_removal";
inline constexpr std::string_view k_hyperpod_step = "hyperpod_cluster";
inline constexpr std::string_view k_hyperpod_deletion_step = "hyperpod_cluster_deletion";
inline constexpr std::string_view k_access_entry_step = "cluster_access_entry";

/// The id, in every plan, of the step whose output says which subnet nodes go to.
inline constexpr std::string_view k_subnet_step_id = "subnet";

// --- execution role ----------------------------------------------------------------------------------------

struct ExecutionRoleInput {
  ClusterTarget cluster;
  std::string role_name;
  std::string bucket;
  std::optional<std::string> kms_key;
};

struct ExecutionRoleSeen {
  bool exists = false;
  std::optional<std::string> maker;  ///< The operation of ours that made it; absent: it is not ours.
  bool trust_holds = false;
  bool policy_holds = false;
  std::vector<std::string> attached;  ///< ARNs of managed policies.
  std::vector<std::string> inlined;   ///< Names of policies in the role.
};

enum class RoleCall {
  create_role,
  update_trust,
  attach_policy,
  put_policy,
  detach_policy,
  delete_policy,
  delete_role
};
struct RoleStepRequest {
  RoleCall call = RoleCall::create_role;
  std::string policy;  ///< ARN or name.
};

/// What is still missing; empty when the role is as it should be.
std::vector<RoleCall> missing_calls(const ExecutionRoleInput& input, const ExecutionRoleSeen& seen);
operations::Decision choose_execution_role(const std::string& operation_id, const ExecutionRoleInput& input,
                                           const ExecutionRoleSeen& seen);
operations::Decision choose_execution_role_removal(const ExecutionRoleInput& input,
                                                   const ExecutionRoleSeen& seen,
                                                   const std::optional<std::string>& only_operation);

// --- lifecycle bucket --------------------------------------------------------------------------------------

struct LifecycleInput {
  ClusterTarget cluster;
  std::string bucket;
  std::string key;  ///< Of the script, with its digest.
};

struct LifecycleSeen {
  bool exists = false;
  bool other_account = false;  ///< The name belongs to somebody else in the world.
  bool tagged = false;         ///< It has tags at all.
  std::optional<std::string> maker;
  bool public_blocked = false;
  bool script_holds = false;      ///< The object is there with just these bytes.
  std::vector<std::string> keys;  ///< Of all objects, at most a page; looked for when the bucket shall go.
};

enum class BucketCall { create_bucket, tag_bucket, block_public, put_script, delete_object, delete_bucket };
struct BucketRequest {
  BucketCall call = BucketCall::create_bucket;
  std::string key;
};

std::vector<BucketCall> missing_calls(const LifecycleSeen& seen);
operations::Decision choose_lifecycle(const std::string& operation_id, const LifecycleInput& input,
                                      const LifecycleSeen& seen, const operations::History& history);
operations::Decision choose_lifecycle_removal(const LifecycleInput& input, const LifecycleSeen& seen,
                                              const std::optional<std::string>& only_operation);

// --- HyperPod cluster --------------------------------------------------------------------------------------

struct HyperpodInput {
  ClusterTarget cluster;
  std::string name;
  std::string eks_arn;
  std::string role_name;
  std::string subnet_id;  ///< Empty: of the output of the step k_subnet_step_id.
  std::vector<std::string> security_group_ids;
  InstanceGroup group;
};

struct HyperpodGroupSeen {
  std::string name;
  std::string status;
  std::int64_t target = 0;
  std::int64_t current = 0;
  bool deep_checks = false;
};

struct HyperpodSeen {
  bool exists = false;
  std::string arn;
  std::string status;
  std::string failure_message;
  std::string eks_arn;
  std::string node_recovery;
  std::optional<std::string> maker;  ///< The operation of ours that made it; absent: it is not ours.
  std::vector<HyperpodGroupSeen> groups;
  std::vector<ClusterEvent> events;  ///< Looked for while something is missing.
  LifecycleLog log;
};

enum class HyperpodCall { create_cluster, update_cluster, delete_cluster };
struct HyperpodRequest {
  HyperpodCall call = HyperpodCall::create_cluster;
  std::string arn;        ///< For all but create: another cluster that took the name is never touched.
  std::string subnet_id;  ///< create
  std::int64_t attempt = 0;
};

struct HyperpodDeletionInput {
  ClusterTarget cluster;
  std::string name;
  std::string arn;
};

/// What of an existing cluster differs and may be changed, as callers write it: "node_recovery", "count",
/// "deep_health_checks".
std::vector<std::string> hyperpod_differences(const HyperpodInput& input, const HyperpodSeen& seen);

operations::Decision choose_hyperpod(const std::string& operation_id, const HyperpodInput& input,
                                     const std::string& subnet_id, const HyperpodSeen& seen,
                                     const operations::History& history);
/// `only_operation`: nothing is deleted but what that operation made (an undo).
operations::Decision choose_hyperpod_deletion(const ClusterTarget& cluster, const std::string& name,
                                              const std::string& arn, const HyperpodSeen& seen,
                                              const operations::History& history,
                                              const std::optional<std::string>& only_operation);
/// "name_taken", and by what.
Error hyperpod_name_taken(const HyperpodInput& input, const HyperpodSeen& seen);

// --- access entry ------------------------------------------------------------------------------------------

struct AccessEntryInput {
  ClusterTarget cluster;
  std::string principal_arn;
};
struct AccessEntrySeen {
  bool exists = false;
  bool administrator = false;
  std::optional<std::string> maker;
};
enum class AccessCall { create_entry, associate_policy, delete_entry };
struct AccessRequest {
  AccessCall call = AccessCall::create_entry;
};
operations::Decision choose_access_entry(const std::string& operation_id, const AccessEntryInput& input,
                                         const AccessEntrySeen& seen);

Type describe(ExecutionRoleInput*);
Type describe(ExecutionRoleSeen*);
Type describe(RoleCall*);
Type describe(RoleStepRequest*);
Type describe(LifecycleInput*);
Type describe(LifecycleSeen*);
Type describe(BucketCall*);
Type describe(BucketRequest*);
Type describe(HyperpodInput*);
Type describe(HyperpodGroupSeen*);
Type describe(HyperpodSeen*);
Type describe(HyperpodCall*);
Type describe(HyperpodRequest*);
Type describe(HyperpodDeletionInput*);
Type describe(AccessEntryInput*);
Type describe(AccessEntrySeen*);
Type describe(AccessCall*);
Type describe(AccessRequest*);

/// What plans look at too.
Task<ExecutionRoleSeen> look_at_execution_role(aws::Client& client, ExecutionRoleInput input,
                                               net::Deadline deadline);
Task<LifecycleSeen> look_at_lifecycle(aws::Client& client, LifecycleInput input, bool with_keys,
                                      net::Deadline deadline);
Task<HyperpodSeen> look_at_hyperpod_cluster(aws::Client& client, ClusterTarget cluster, std::string name,
                                            net::Deadline deadline);
Task<AccessEntrySeen> look_at_access_entry(aws::Client& client, AccessEntryInput input,
                                           net::Deadline deadline);

std::unique_ptr<const operations::StepKind> compute_subnet_step(aws::Accounts& accounts);
std::unique_ptr<const operations::StepKind> compute_subnet_removal_step(aws::Accounts& accounts);
std::unique_ptr<const operations::StepKind> execution_role_step(aws::Accounts& accounts);
std::unique_ptr<const operations::StepKind> execution_role_removal_step(aws::Accounts& accounts);
std::unique_ptr<const operations::StepKind> lifecycle_step(aws::Accounts& accounts);
std::unique_ptr<const operations::StepKind> lifecycle_removal_step(aws::Accounts& accounts);
std::unique_ptr<const operations::StepKind> hyperpod_step(aws::Accounts& accounts);
std::unique_ptr<const operations::StepKind> hyperpod_deletion_step(aws::Accounts& accounts);
std::unique_ptr<const operations::StepKind> access_entry_step(aws::Accounts& accounts);

}  // namespace instantstart::capabilities
