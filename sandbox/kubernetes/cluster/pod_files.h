// The files of a container: its mount points lead to buckets (the CSI driver of Mountpoint for Amazon S3),
// ConfigMaps and Secrets.
//
// A bucket behaves as Mountpoint does: a file is an object, it is there when it is written as a whole, and an
// existing one is replaced only with the option allow-overwrite. What is in an emptyDir, on a host or in the
// image is not there and can't be written: after a restart nothing would be left of it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/kubernetes/cluster/bucket_store.h"
#include "sandbox/kubernetes/cluster/cluster_access.h"
#include "sandbox/kubernetes/cluster/programs.h"

namespace instantstart::sandbox::kubernetes {

inline constexpr std::string_view k_bucket_driver = "s3.csi.aws.com";

/// What a persistent volume says of its bucket.
struct BucketVolume {
  std::string bucket;
  std::string prefix;  ///< Empty, or "runs/".
  bool read_only = false;
  bool may_overwrite = false;
  bool as_pod = false;  ///< authenticationSource: pod.
};

/// nullopt when the volume is not one of the driver.
std::optional<BucketVolume> bucket_volume_of(const json::object& persistent_volume);

/// The persistent volume that a volume of a pod leads to; nullptr when it leads to none.
const json::object* persistent_volume_of(const ClusterAccess& access, const std::string& cluster,
                                         const std::string& namespace_name, const json::object& volume);

/// A write that is only tried says what would happen: a step is asked twice, and happens once.
enum class Writing { tried, done };

/// Lives as long as one question to a program; everything that it is made of outlives it.
class PodFiles final : public ProgramFiles {
 public:
  struct Owner {
    std::string cluster;
    std::string namespace_name;
  };
  /// `buckets` may be nullptr: then none is there. `container` is the container's object in the pod.
  PodFiles(const ClusterAccess& access, BucketStore* buckets, Owner owner, const json::object& pod,
           const json::object& container, Writing writing);

  std::optional<std::string> read(std::string_view path) override;
  bool write(std::string_view path, std::string bytes) override;
  /// In order, however deep, at most 1000.
  std::vector<std::string> list(std::string_view folder) override;
  bool knows(std::string_view path) const override;

 private:
  /// Where a path is: in a volume, below its root.
  struct Place {
    const json::object* volume = nullptr;
    std::string mount;   ///< "/data", or "" for the root.
    std::string inside;  ///< "" for the root of the volume; "a/b" with the mount's subPath before it.
    std::string sub_path;
    bool read_only = false;
  };
  std::optional<Place> place_of(std::string_view path) const;
  std::optional<BucketVolume> bucket_of(const Place& place) const;
  /// Of a ConfigMap or Secret, by path below the root.
  std::map<std::string, std::string> texts_of(const json::object& volume) const;

  const ClusterAccess& access_;
  BucketStore* buckets_;
  Owner owner_;
  const json::object& pod_;
  const json::object& container_;
  Writing writing_;
};

}  // namespace instantstart::sandbox::kubernetes
