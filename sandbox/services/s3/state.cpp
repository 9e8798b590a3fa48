#include "sandbox/services/s3/state.h"

#include <fmt/format.h>

namespace instantstart::sandbox::s3 {

State::State(World& the_world, Limits the_limits)
    : world(the_world),
      limits(the_limits),
      buckets(world, "s3.bucket"),
      bucket_tags(world, "s3.bucket_tags"),
      bucket_policies(world, "s3.bucket_policy"),
      public_access(world, "s3.public_access_block"),
      objects(world, "s3.object"),
      uploads(world, "s3.upload"),
      parts(world, "s3.part") {}

std::string object_id(std::string_view bucket, std::string_view key) {
  return fmt::format("{}/{}", bucket, key);
}

std::string part_id(std::string_view upload_id, std::int64_t number) {
  return fmt::format("{}/{:05}", upload_id, number);
}

}  // namespace instantstart::sandbox::s3
