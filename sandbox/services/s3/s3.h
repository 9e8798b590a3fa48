// Simulated Amazon S3: buckets, objects and multipart uploads. Bucket policies are kept, not enforced.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sandbox/core/service.h"
#include "sandbox/services/s3/state.h"

namespace instantstart::sandbox::s3 {

class S3 final : public Service {
 public:
  /// The world must outlive it.
  explicit S3(World& world, Limits limits = {});

  std::optional<int> http_status(const aws::OperationInfo& operation, const void* output) const override;

  // What other services do with a bucket; not audited as calls.

  bool has_bucket(std::string_view name) const { return state_.buckets.contains(name); }
  /// nullptr when there is none. Valid until the next change of it.
  const aws::s3::GetObjectOutput* find_object(std::string_view bucket, std::string_view key) const;
  /// Pairs of "bucket/key" and object, by key.
  auto objects_starting_with(std::string_view bucket, std::string_view prefix) const {
    return state_.objects.starting_with(object_id(bucket, prefix));
  }
  /// False when there is no such bucket.
  bool write_object(std::string_view bucket, std::string_view key, std::string bytes);
  void remove_object(std::string_view bucket, std::string_view key);

 private:
  /// `handler` is one of the functions over State.
  template <class Op>
  void serve(Reply<typename Op::Output> (*handler)(State&, const Call&, const typename Op::Input&));

  State state_;
};

}  // namespace instantstart::sandbox::s3
