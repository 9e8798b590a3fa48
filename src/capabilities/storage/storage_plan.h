// The plans of mounting and unmounting, from what was seen: a step only for what differs. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "capabilities/dependencies/dependency_plan.h"
#include "capabilities/storage/mount.h"
#include "capabilities/storage/storage_seen.h"
#include "capabilities/storage/volume_objects.h"
#include "contract/plan.h"

namespace instantstart::capabilities {

/// The driver and whose identity its requests have.
struct DriverSeen {
  std::vector<SeenComponent> components;     ///< The driver's, and those that it needs.
  std::optional<std::string> declared_role;  ///< That its service account names itself.
};

/// The role that the mount's policy goes into; nullopt: the driver has another identity, or none that is
/// ours, and `why` says so in words.
struct DriverIdentity {
  std::optional<std::string> role_name;
  std::string why;
};
/// Error `invalid_request` when the cluster's name is too long for a role.
Result<DriverIdentity> identity_of(const ClusterTarget& cluster, const DriverSeen& driver);

struct MountFacts {
  Mount mount;
  bool create = false;
  bool namespace_exists = false;
  BucketSeen bucket;
  DriverSeen driver;
  DriverIdentity identity;
  AccessSeen access;
  MountSeen objects;
  std::vector<VolumeSummary> volumes;  ///< All of the driver, of the cluster.
};

/// Errors as plan_mount's for the bucket alone.
Result<> check_bucket(const MountFacts& facts);

/// Errors: `not_found` for namespace or bucket; `access_denied` for a bucket that can't be looked at;
/// `name_taken`, with what differs, for a name, a bucket or a path that something else has; `conflict` when
/// EKS offers no driver.
Result<contract::Plan> plan_mount(const MountFacts& facts);

struct UnmountFacts {
  Mount mount;  ///< As far as it is known.
  std::optional<std::string> role_name;
  AccessSeen access;
  MountSeen objects;
};

/// Errors: `not_found`; `blocked` while pods use it, or when it is not ours.
Result<contract::Plan> plan_unmount(const UnmountFacts& facts);

}  // namespace instantstart::capabilities
