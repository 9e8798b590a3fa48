// The buckets that pods mount are those of the simulated S3, and who mounts one needs the right to list it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/kubernetes/cluster/bucket_store.h"
#include "sandbox/services/eks/eks.h"
#include "sandbox/services/iam/iam.h"
#include "sandbox/services/s3/s3.h"

namespace instantstart::sandbox {

/// Loop thread only. The services must outlive it.
class S3Buckets final : public kubernetes::BucketStore {
 public:
  S3Buckets(s3::S3& s3, iam::Iam& iam, const eks::Eks& eks) : s3_(s3), iam_(iam), eks_(eks) {}

  bool has_bucket(std::string_view bucket) const override { return s3_.has_bucket(bucket); }
  /// By the service account's role: pod identity, or the one of its annotation. A driver without any uses the
  /// machine's, which is not looked at.
  std::optional<std::string> mount_refusal(const kubernetes::BucketMount& mount) const override;
  std::optional<std::string> read(std::string_view bucket, std::string_view key) const override;
  bool write(std::string_view bucket, std::string_view key, std::string bytes) override;
  std::vector<std::string> list(std::string_view bucket, std::string_view prefix,
                                std::size_t most) const override;

 private:
  s3::S3& s3_;
  iam::Iam& iam_;
  const eks::Eks& eks_;
};

}  // namespace instantstart::sandbox
