// What operations that have a cluster's storage as a part look at.
#include <algorithm>
#include <utility>

#include "capabilities/storage/storage.h"
#include "capabilities/storage/storage_plan.h"
#include "capabilities/storage/storage_reader.h"

namespace instantstart::capabilities {

Task<> check_storage_bucket(aws::Accounts& accounts, kube::EksClusters& clusters, contract::Caller caller,
                            std::optional<domain::Profile> profile, StorageMount request) {
  auto key = domain::parse_cluster_key(request.cluster.value);
  if (!key) co_return fail(key.error());
  const ClusterTarget target{.name = key->name,
                             .region = key->region,
                             .account = key->account,
                             .profile = profile ? std::optional(profile->value) : std::nullopt};
  MountFacts facts{.mount = mount_of(request, target), .create = request.create};
  auto bucket = co_await StorageReader(accounts, clusters)
                    .bucket(facts.mount.cluster, facts.mount.bucket, request.create, caller.deadline);
  if (!bucket) co_return fail(bucket.error());
  facts.bucket = std::move(*bucket);
  co_return check_bucket(facts);
}

Task<std::vector<OwnMount>> own_mounts(aws::Accounts& accounts, fleet::Fleet& fleet,
                                       kube::EksClusters& clusters, contract::Caller caller,
                                       domain::ClusterReference cluster) {
  auto record = co_await fleet.find(std::move(cluster.value));
  if (!record) co_return fail(record.error());
  auto volumes = co_await StorageReader(accounts, clusters).volumes(target_of(*record), caller.deadline);
  if (!volumes) co_return fail(volumes.error());
  std::vector<OwnMount> mounts;
  for (const auto& volume : *volumes) {
    if (volume.ours) mounts.push_back({{{volume.claim}}, {{volume.space}}, volume.bucket});
  }
  std::ranges::sort(mounts, {},
                    [](const OwnMount& mount) { return std::pair(mount.space.value, mount.name.value); });
  co_return mounts;
}

}  // namespace instantstart::capabilities
