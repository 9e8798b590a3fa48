// Buckets without a service behind them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/kubernetes/cluster/bucket_store.h"

namespace instantstart::sandbox::kubernetes {

struct MemoryBuckets final : BucketStore {
  /// By bucket, then by key.
  std::map<std::string, std::map<std::string, std::string, std::less<>>, std::less<>> buckets;
  int writes = 0;

  bool has_bucket(std::string_view bucket) const override { return buckets.contains(bucket); }
  std::optional<std::string> read(std::string_view bucket, std::string_view key) const override {
    const auto found = buckets.find(bucket);
    if (found == buckets.end()) return std::nullopt;
    const auto object = found->second.find(key);
    return object == found->second.end() ? std::nullopt : std::optional(object->second);
  }
  bool write(std::string_view bucket, std::string_view key, std::string bytes) override {
    const auto found = buckets.find(bucket);
    if (found == buckets.end()) return false;
    ++writes;
    found->second.insert_or_assign(std::string(key), std::move(bytes));
    return true;
  }
  std::vector<std::string> list(std::string_view bucket, std::string_view prefix,
                                std::size_t most) const override {
    std::vector<std::string> keys;
    const auto found = buckets.find(bucket);
    if (found == buckets.end()) return keys;
    for (const auto& [key, bytes] : found->second) {
      if (key.starts_with(prefix) && keys.size() < most) keys.push_back(key);
    }
    return keys;
  }
};

}  // namespace instantstart::sandbox::kubernetes
