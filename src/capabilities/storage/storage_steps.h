// The step kinds of storage: their inputs, their decisions (pure, tested as tables) and their makers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "capabilities/storage/mount.h"
#include "capabilities/storage/storage_reader.h"
#include "capabilities/storage/storage_seen.h"
#include "operations/step.h"

namespace instantstart::capabilities {

inline constexpr std::string_view k_bucket_step = "storage_bucket";
inline constexpr std::string_view k_access_step = "storage_access";
inline constexpr std::string_view k_volume_step = "storage_volume";
inline constexpr std::string_view k_access_removal_step = "storage_access_removal";
inline constexpr std::string_view k_volume_removal_step = "storage_volume_removal";

/// A bucket that shall be made, in the cluster's region.
struct BucketInput {
  ClusterTarget cluster;
  std::string bucket;
};

struct AccessInput {
  Mount mount;
  std::string role_name;
};

/// "create", "block_public_access" or "delete".
struct MountBucketRequest {
  std::string call;
};

/// The policy is written with this mark, or deleted.
struct MountAccessRequest {
  std::string mark;
};

Type describe(BucketInput*);
Type describe(AccessInput*);
Type describe(MountBucketRequest*);
Type describe(MountAccessRequest*);

operations::Decision choose_bucket(const std::string& operation_id, const BucketInput& input,
                                   const BucketSeen& seen);
operations::Decision choose_bucket_undo(const std::string& operation_id, const BucketInput& input,
                                        const BucketSeen& seen);
operations::Decision choose_access(const std::string& operation_id, const AccessInput& input,
                                   const AccessSeen& seen);
/// `only_operation`: nothing goes but what that one made (an undo).
operations::Decision choose_access_removal(const std::optional<std::string>& only_operation,
                                           const AccessInput& input, const AccessSeen& seen);
operations::Decision choose_volume(const std::string& operation_id, const Mount& input, const MountSeen& seen,
                                   const operations::History& history);
operations::Decision choose_volume_removal(const std::optional<std::string>& only_operation,
                                           const MountSeen& seen);

/// "blocked", with the pods: for plans and steps.
Error in_use(const MountSeen& seen);

std::unique_ptr<const operations::StepKind> bucket_step(StorageReader reader);
std::unique_ptr<const operations::StepKind> access_step(StorageReader reader);
std::unique_ptr<const operations::StepKind> volume_step(StorageReader reader);
std::unique_ptr<const operations::StepKind> access_removal_step(StorageReader reader);
std::unique_ptr<const operations::StepKind> volume_removal_step(StorageReader reader);

}  // namespace instantstart::capabilities
