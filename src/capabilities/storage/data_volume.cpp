#include "capabilities/storage/data_volume.h"

#include "capabilities/storage/storage_reader.h"
#include "capabilities/storage/volume_objects.h"

namespace instantstart::capabilities {

DataVolume data_volume(std::string_view claim, bool read_only) {
  constexpr std::string_view name = "data";
  json::object source{{"claimName", claim}};
  json::object mount{{"name", name}, {"mountPath", k_data_path}};
  if (read_only) {
    source["readOnly"] = true;
    mount["readOnly"] = true;
  }
  return {.volume = {{"name", name}, {"persistentVolumeClaim", std::move(source)}},
          .mount = std::move(mount)};
}

Task<std::optional<DataVolume>> look_for_data_volume(aws::Accounts& accounts, kube::EksClusters& clusters,
                                                     ClusterTarget cluster, std::string space,
                                                     net::Deadline deadline) {
  const StorageReader reader(accounts, clusters);
  auto volumes = co_await reader.volumes(std::move(cluster), deadline);
  if (!volumes) co_return fail(volumes.error());
  const auto* shared = shared_in(*volumes, space);
  if (!shared) co_return std::nullopt;
  co_return data_volume(shared->claim, shared->read_only);
}

}  // namespace instantstart::capabilities
