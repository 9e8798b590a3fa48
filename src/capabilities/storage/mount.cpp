#include "capabilities/storage/mount.h"

#include <utility>

#include <fmt/core.h>

#include "base/digest.h"

namespace instantstart::capabilities {
namespace {

constexpr std::size_t k_volume_name_length = 63;
constexpr std::size_t k_digest_length = 10;

}  // namespace

Type describe(Mount*) {
  return object_type<Mount>(
      "Mount", "A bucket in a cluster.",
      {field<&Mount::cluster>("cluster", "Where."), field<&Mount::name>("name", "Its claim."),
       field<&Mount::space>("namespace", "The claim's namespace."),
       field<&Mount::bucket>("bucket", "The bucket."),
       field<&Mount::bucket_region>("bucket_region", "The bucket's region."),
       field<&Mount::prefix>("prefix", "The part of the bucket; empty: all."),
       field<&Mount::path>("path", "Where pods see it."),
       field<&Mount::read_only>("read_only", "Pods may only read."), field<&Mount::uid>("uid", "Owner."),
       field<&Mount::gid>("gid", "Group."), field<&Mount::kms_key>("kms_key", "The bucket's key.")});
}

Mount mount_of(const StorageMount& request, ClusterTarget cluster) {
  Mount mount{.cluster = std::move(cluster),
              .name = request.name.value,
              .space = request.space.value,
              .bucket = request.bucket.value,
              .path = request.path.value,
              .read_only = request.read_only};
  mount.bucket_region = mount.cluster.region;
  if (request.prefix) {
    mount.prefix = request.prefix->value;
    if (!mount.prefix.ends_with('/')) mount.prefix += '/';
  }
  if (request.uid) mount.uid = request.uid->value;
  if (request.gid) mount.gid = request.gid->value;
  if (request.kms_key) mount.kms_key = request.kms_key->value;
  return mount;
}

std::string volume_name(std::string_view space, std::string_view name) {
  std::string whole = fmt::format("{}.{}", space, name);
  if (whole.size() <= k_volume_name_length) return whole;
  std::string start = whole.substr(0, k_volume_name_length - k_digest_length - 1);
  while (start.ends_with('-') || start.ends_with('.')) start.pop_back();
  return fmt::format("{}-{}", start, to_hex(sha256(whole)).substr(0, k_digest_length));
}

std::string access_policy_name(std::string_view space, std::string_view name) {
  return "mount." + volume_name(space, name);
}

}  // namespace instantstart::capabilities
