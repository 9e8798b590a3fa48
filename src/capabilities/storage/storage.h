// Storage of a cluster: S3 buckets that pods see as folders, by the Mountpoint for S3 CSI driver.
//
// A mount is a PersistentVolume and a PersistentVolumeClaim of one name, and an inline policy of the driver's
// role that allows exactly that bucket and prefix. The mount at /data of a namespace is what every pod that
// we submit there gets: see data_volume.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aws/accounts.h"
#include "base/describe.h"
#include "contract/action.h"
#include "domain/cluster_key.h"
#include "domain/kms_key.h"
#include "domain/names.h"
#include "fleet/fleet.h"
#include "kube/eks_clusters.h"
#include "operations/kind.h"

namespace instantstart::capabilities {

enum class StorageKind {
  s3,
  fsx_lustre,   ///< Refused: not supported here.
  fsx_openzfs,  ///< Refused too.
};

/// A general purpose bucket.
struct BucketName : Text<BucketName> {};
/// "datasets/llama", with or without the last "/"; it stands in IAM resources and mount options.
struct KeyPrefix : Text<KeyPrefix> {};
/// The name of the mount and of its claim.
struct StorageName : Text<StorageName> {};
struct NamespaceName : Text<NamespaceName> {};
/// Where pods see it.
struct MountPath : Text<MountPath> {};
/// A user's or a group's number in pods.
struct PosixId : Number<PosixId> {};
/// A folder in a mount: "checkpoints/run-1".
struct FolderPath : Text<FolderPath> {};

struct StorageMount {
  domain::ClusterReference cluster;
  StorageName name;
  StorageKind kind = StorageKind::s3;
  BucketName bucket;
  bool create = false;
  std::optional<KeyPrefix> prefix;
  NamespaceName space{{"default"}};
  MountPath path{{"/data"}};
  bool read_only = false;
  std::optional<PosixId> uid;
  std::optional<PosixId> gid;
  std::optional<domain::KmsKeyArn> kms_key;
};

struct StorageUnmount {
  domain::ClusterReference cluster;
  StorageName name;
  NamespaceName space{{"default"}};
};

struct StorageList {
  domain::ClusterReference cluster;
  std::optional<NamespaceName> space;
};

struct StorageGet {
  domain::ClusterReference cluster;
  StorageName name;
  NamespaceName space{{"default"}};
};

struct StorageBrowse {
  domain::ClusterReference cluster;
  StorageName name;
  NamespaceName space{{"default"}};
  std::optional<FolderPath> folder;
};

enum class StorageState {
  ready,    ///< Claim and volume are bound: pods can use it.
  pending,  ///< Not bound yet.
  going,    ///< It is being deleted.
  broken,   ///< The claim or the volume lost its other half.
};

struct StorageView {
  std::string name;  ///< Of the claim.
  std::string space;
  StorageKind kind = StorageKind::s3;
  StorageState state = StorageState::pending;
  std::string bucket;
  std::optional<std::string> region;
  std::optional<std::string> prefix;
  std::optional<std::string> path;  ///< Where pods that we submit see it; absent: not ours.
  bool read_only = false;
  std::string volume;   ///< The PersistentVolume.
  std::string owner;    ///< "instantstart" or "other".
  bool shared = false;  ///< Every pod that is submitted to its namespace gets it.
};

struct StorageListAnswer {
  std::string cluster;  ///< By key.
  std::vector<StorageView> storage;
  std::optional<std::string> next_cursor;
};

struct StorageGetAnswer {
  std::string cluster;
  StorageView storage;
  std::vector<std::string> used_by;  ///< Pods, at most k_most_users_shown.
  std::int64_t users = 0;
  std::vector<std::string> problems;  ///< Why pods may not reach it, in words.
};

struct StorageEntry {
  std::string name;  ///< Within the folder; untrusted text without control characters.
  bool folder = false;
  std::optional<std::int64_t> bytes;
  std::optional<std::string> modified_at;  ///< RFC 3339
};

struct StorageBrowseAnswer {
  std::string cluster;
  std::string bucket;
  std::string folder;  ///< As a prefix of keys: "datasets/llama/".
  std::vector<StorageEntry> entries;
  std::optional<std::string> next_cursor;
};

Type describe(StorageKind*);
Type describe(BucketName*);
Type describe(KeyPrefix*);
Type describe(StorageName*);
Type describe(NamespaceName*);
Type describe(MountPath*);
Type describe(PosixId*);
Type describe(FolderPath*);
Type describe(StorageMount*);
Type describe(StorageUnmount*);
Type describe(StorageList*);
Type describe(StorageGet*);
Type describe(StorageBrowse*);
Type describe(StorageState*);
Type describe(StorageView*);
Type describe(StorageListAnswer*);
Type describe(StorageGetAnswer*);
Type describe(StorageEntry*);
Type describe(StorageBrowseAnswer*);

inline constexpr std::size_t k_most_users_shown = 20;

/// Operation kinds; equal to the actions that start them.
inline constexpr std::string_view k_storage_mount = "storage_mount";
inline constexpr std::string_view k_storage_unmount = "storage_unmount";

/// The rows of the contract. All outlive the table; null where rows are only read.
std::vector<contract::Action> storage_actions(aws::Accounts* accounts, fleet::Fleet* fleet,
                                              kube::EksClusters* clusters);

/// The operation and step kinds behind them. All outlive the registry's engine. The kinds of dependencies
/// must be there too: a mount's plan uses their steps for the driver.
void add_storage_kinds(operations::KindRegistry& kinds, aws::Accounts& accounts, kube::EksClusters& clusters);

/// The plans, for operations that run these as a part. Nothing is changed.
Task<contract::Plan> plan_storage_mount(aws::Accounts& accounts, fleet::Fleet& fleet,
                                        kube::EksClusters& clusters, contract::Caller caller,
                                        StorageMount request);
Task<contract::Plan> plan_storage_unmount(aws::Accounts& accounts, fleet::Fleet& fleet,
                                          kube::EksClusters& clusters, contract::Caller caller,
                                          StorageUnmount request);

/// What can be checked of a mount before its cluster is there: the bucket. Its `cluster` is a key. Errors as
/// those of the plan.
Task<> check_storage_bucket(aws::Accounts& accounts, kube::EksClusters& clusters, contract::Caller caller,
                            std::optional<domain::Profile> profile, StorageMount request);
/// A mount that was made here.
struct OwnMount {
  StorageName name;
  NamespaceName space;
  std::string bucket;
};
/// All of a managed cluster, by namespace and name.
Task<std::vector<OwnMount>> own_mounts(aws::Accounts& accounts, fleet::Fleet& fleet,
                                       kube::EksClusters& clusters, contract::Caller caller,
                                       domain::ClusterReference cluster);

}  // namespace instantstart::capabilities
