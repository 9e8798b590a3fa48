// A mount as steps hold it, and the names that are derived from it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/describe.h"
#include "capabilities/dependencies/cluster_target.h"
#include "capabilities/storage/storage.h"

namespace instantstart::capabilities {

/// The driver and the service account of its node pods, which every mount's requests go through.
inline constexpr std::string_view k_s3_driver = "s3.csi.aws.com";
inline constexpr std::string_view k_s3_component = "s3_csi";

struct Mount {
  ClusterTarget cluster;
  std::string name;
  std::string space;
  std::string bucket;
  std::string bucket_region;
  std::string prefix;  ///< Empty, or with "/" at its end.
  std::string path;
  bool read_only = false;
  std::optional<std::int64_t> uid;
  std::optional<std::int64_t> gid;
  std::optional<std::string> kms_key;
};
Type describe(Mount*);

/// The bucket's region is the cluster's until it was looked at.
Mount mount_of(const StorageMount& request, ClusterTarget cluster);

/// Of PersistentVolume and volume handle: "default.shared". A namespace holds no dot, so no two mounts share
/// one. At most 63 characters, since the driver may write it into labels of its pods; longer ones end in a
/// digest.
std::string volume_name(std::string_view space, std::string_view name);
/// Of the inline policy in the driver's role: "mount.default.shared" (IAM takes 128 characters).
std::string access_policy_name(std::string_view space, std::string_view name);

}  // namespace instantstart::capabilities
