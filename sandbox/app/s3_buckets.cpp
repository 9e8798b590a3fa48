#include "sandbox/app/s3_buckets.h"

#include <utility>

#include <fmt/format.h>

namespace instantstart::sandbox {

std::optional<std::string> S3Buckets::mount_refusal(const kubernetes::BucketMount& mount) const {
  if (!s3_.has_bucket(mount.bucket)) return "Client error: The bucket does not exist";
  const std::string role = mount.role_arn.empty()
                               ? eks_.pod_role(mount.cluster, mount.namespace_name, mount.service_account)
                               : mount.role_arn;
  if (role.empty()) {
    if (!mount.of_pod) return std::nullopt;
    return "Client error: No signing credentials available, see CRT debug logs";
  }
  const std::string arn = fmt::format("arn:aws:s3:::{}", mount.bucket);
  const auto allowed = iam_.allows(role, {.action_names = std::vector<std::string>{"s3:ListBucket"},
                                          .resource_arns = std::vector{arn},
                                          .context_entries = std::vector<aws::iam::ContextEntry>{
                                              {.context_key_name = "s3:prefix",
                                               .context_key_values = std::vector{mount.prefix},
                                               .context_key_type = "string"}}});
  if (allowed.value_or(true)) return std::nullopt;
  return fmt::format(
      "Client error: Forbidden: User: {} is not authorized to perform: s3:ListBucket on resource: \"{}\" "
      "because no identity-based policy allows the s3:ListBucket action",
      role, arn);
}

std::optional<std::string> S3Buckets::read(std::string_view bucket, std::string_view key) const {
  const auto* object = s3_.find_object(bucket, key);
  if (!object) return std::nullopt;
  return object->body ? object->body->bytes : std::string();
}

bool S3Buckets::write(std::string_view bucket, std::string_view key, std::string bytes) {
  return s3_.write_object(bucket, key, std::move(bytes));
}

std::vector<std::string> S3Buckets::list(std::string_view bucket, std::string_view prefix,
                                         std::size_t most) const {
  std::vector<std::string> keys;
  if (!s3_.has_bucket(bucket)) return keys;
  for (const auto& [id, object] : s3_.objects_starting_with(bucket, prefix)) {
    if (keys.size() == most) break;
    keys.emplace_back(std::string_view(id).substr(bucket.size() + 1));
  }
  return keys;
}

}  // namespace instantstart::sandbox
