// What S3 remembers: buckets and objects with their bytes. Records are AWS's own shapes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "aws/shapes/s3.h"
#include "sandbox/core/service.h"
#include "sandbox/core/world.h"

namespace instantstart::sandbox::s3 {

/// "General purpose bucket quotas" and "Multipart upload limits" in the S3 user guide; objects are as large
/// as one request may be here.
struct Limits {
  std::size_t buckets = 10'000;
  std::size_t bucket_tags = 50;
  std::size_t policy_bytes = 20 * 1024;
  std::size_t key_bytes = 1024;
  std::size_t metadata_bytes = 2 * 1024;
  std::size_t smallest_part_bytes = 5 * 1024 * 1024;  ///< Of all parts but the last.
  std::int64_t largest_part_number = 10'000;
};

struct State {
  explicit State(World& the_world, Limits the_limits = {});
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  World& world;
  Limits limits;
  Collection<aws::s3::Bucket> buckets;                                ///< By name.
  Collection<aws::s3::GetBucketTaggingOutput> bucket_tags;            ///< By bucket.
  Collection<aws::s3::GetBucketPolicyOutput> bucket_policies;         ///< By bucket.
  Collection<aws::s3::PublicAccessBlockConfiguration> public_access;  ///< By bucket.
  Collection<aws::s3::GetObjectOutput> objects;                       ///< By object_id.
  Collection<aws::s3::CreateMultipartUploadRequest> uploads;          ///< By upload id.
  Collection<aws::s3::UploadPartRequest> parts;                       ///< By part_id.
};

/// "bucket/key": names of buckets hold no slash, so the objects of one stand together, by key.
std::string object_id(std::string_view bucket, std::string_view key);
/// "upload/00001"
std::string part_id(std::string_view upload_id, std::int64_t number);

}  // namespace instantstart::sandbox::s3
