// Where the bytes of mounted buckets are: the simulated S3, behind the few calls that a mount needs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace instantstart::sandbox::kubernetes {

/// Who mounts a bucket.
struct BucketMount {
  std::string cluster;  ///< Its id.
  std::string bucket;
  std::string prefix;           ///< Empty, or "runs/".
  std::string namespace_name;   ///< Of the service account.
  std::string service_account;  ///< The driver's, or the pod's where the volume asks for that.
  std::string role_arn;         ///< That the service account is annotated with; may be empty.
  bool of_pod = false;          ///< The pod's: the machine's own role doesn't count then.
};

/// Loop thread only.
class BucketStore {
 public:
  virtual ~BucketStore() = default;
  virtual bool has_bucket(std::string_view bucket) const = 0;
  /// What S3 says to who begins to mount a bucket ("The bucket does not exist"); nullopt when it may.
  virtual std::optional<std::string> mount_refusal(const BucketMount& mount) const {
    if (has_bucket(mount.bucket)) return std::nullopt;
    return "Client error: The bucket does not exist";
  }
  virtual std::optional<std::string> read(std::string_view bucket, std::string_view key) const = 0;
  /// False when there is no such bucket.
  virtual bool write(std::string_view bucket, std::string_view key, std::string bytes) = 0;
  /// Keys that begin with the prefix, in order, at most `most`.
  virtual std::vector<std::string> list(std::string_view bucket, std::string_view prefix,
                                        std::size_t most) const = 0;
};

}  // namespace instantstart::sandbox::kubernetes
