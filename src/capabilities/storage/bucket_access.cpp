#include "capabilities/storage/bucket_access.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/text.h"
#include "capabilities/dependencies/object_parts.h"
#include "kube/json_access.h"

namespace instantstart::capabilities {
namespace {

constexpr std::string_view k_mark = "Operation";
constexpr std::string_view k_list = "List";

bool is_plain(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string bucket_arn(const Mount& mount) {
  // S3's ARNs have neither region nor account.
  return fmt::format("arn:{}:s3:::{}", place_of(mount.cluster).partition, mount.bucket);
}

json::object allow(std::string sid, Words actions, std::string resource) {
  return {{"Sid", sid}, {"Effect", "Allow"}, {"Action", to_array(actions)}, {"Resource", resource}};
}

}  // namespace

std::string policy_mark(std::string_view operation_id) {
  std::string mark(k_mark);
  std::ranges::copy_if(operation_id, std::back_inserter(mark), is_plain);
  return mark;
}

json::object access_policy(const Mount& mount, std::string_view mark) {
  const std::string bucket = bucket_arn(mount);
  const auto sid = [&](std::string_view what) { return fmt::format("{}{}", mark, what); };
  json::array statements;
  json::object list = allow(sid(k_list), {"s3:ListBucket"}, bucket);
  if (!mount.prefix.empty()) {
    json::array prefixes;
    prefixes.emplace_back(json::string(mount.prefix + "*"));
    list["Condition"] = json::object{{"StringLike", {{"s3:prefix", std::move(prefixes)}}}};
  }
  statements.push_back(std::move(list));
  const std::string objects = fmt::format("{}/{}*", bucket, mount.prefix);
  statements.push_back(
      mount.read_only
          ? allow(sid("Objects"), {"s3:GetObject"}, objects)
          : allow(sid("Objects"),
                  {"s3:GetObject", "s3:PutObject", "s3:AbortMultipartUpload", "s3:DeleteObject"}, objects));
  if (mount.kms_key) {
    statements.push_back(mount.read_only
                             ? allow(sid("Key"), {"kms:Decrypt"}, *mount.kms_key)
                             : allow(sid("Key"), {"kms:Decrypt", "kms:GenerateDataKey"}, *mount.kms_key));
  }
  return {{"Version", "2012-10-17"}, {"Statement", std::move(statements)}};
}

std::optional<std::string> mark_of(const json::object& policy) {
  const auto& statements = kube::array_at(policy, {"Statement"});
  if (statements.empty()) return std::nullopt;
  std::string_view sid = kube::text_at(kube::as_object(statements.front()), {"Sid"});
  if (!sid.starts_with(k_mark) || !sid.ends_with(k_list)) return std::nullopt;
  sid.remove_suffix(k_list.size());
  if (sid.size() <= k_mark.size() || !std::ranges::all_of(sid, is_plain)) return std::nullopt;
  return std::string(sid);
}

std::string needs_in_words(const Mount& mount) {
  const std::string bucket = bucket_arn(mount);
  return fmt::format("s3:ListBucket on {}, and s3:GetObject{} on {}/{}*", bucket,
                     mount.read_only ? "" : ", s3:PutObject, s3:AbortMultipartUpload, s3:DeleteObject",
                     bucket, mount.prefix);
}

}  // namespace instantstart::capabilities
