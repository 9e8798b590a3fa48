#include "sandbox/services/s3/buckets.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <set>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/json.h"
#include "base/pattern.h"
#include "sandbox/core/arn.h"

namespace instantstart::sandbox::s3 {
namespace {

constexpr std::string_view k_first_region = "us-east-1";

AwsFault bucket_fault(std::string code, std::string message, int status, std::string_view bucket) {
  return {.code = std::move(code),
          .message = std::move(message),
          .http_status = status,
          .fields = {{"BucketName", bucket}}};
}

/// The region that CreateBucket asks for: us-east-1 is named by naming none.
Reply<std::string> region_of(const Call& call, const api::CreateBucketRequest& in) {
  const auto& configuration = in.create_bucket_configuration;
  const std::string constraint = configuration ? configuration->location_constraint.value_or("") : "";
  const std::string region = constraint.empty() ? std::string(k_first_region) : constraint;
  if (region == call.region) return region;
  return fault("IllegalLocationConstraintException",
               fmt::format("The {} location constraint is incompatible for the region specific endpoint this "
                           "request was sent to.",
                           constraint.empty() ? "unspecified" : constraint));
}

Reply<std::vector<api::Tag>> checked_tags(const State& state, const std::vector<api::Tag>& tags) {
  if (tags.size() > state.limits.bucket_tags) {
    return fault("BadRequest",
                 fmt::format("Bucket tag count cannot be greater than {}", state.limits.bucket_tags));
  }
  std::set<std::string> keys;
  for (const auto& tag : tags) {
    const std::string key = tag.key.value_or("");
    if (key.empty() || key.size() > 128 || tag.value.value_or("").size() > 256 || key.starts_with("aws:")) {
      return fault("InvalidTag", "The TagKey or TagValue you have provided is invalid");
    }
    if (!keys.insert(key).second)
      return fault("InvalidTag", "Cannot provide multiple Tags with the same key");
  }
  return tags;
}

}  // namespace

bool is_bucket_name(std::string_view name) {
  static const Pattern k_form("^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$");
  static const Pattern k_address("^[0-9]+\\.[0-9]+\\.[0-9]+\\.[0-9]+$");
  constexpr std::array<std::string_view, 3> k_prefixes{"xn--", "sthree-", "amzn-s3-demo-"};
  constexpr std::array<std::string_view, 4> k_suffixes{"-s3alias", "--ol-s3", ".mrap", "--x-s3"};
  return k_form.matches(name) && !k_address.matches(name) && !name.contains("..") &&
         std::ranges::none_of(k_prefixes, [&](auto prefix) { return name.starts_with(prefix); }) &&
         std::ranges::none_of(k_suffixes, [&](auto suffix) { return name.ends_with(suffix); });
}

Reply<const api::Bucket*> find_bucket(const State& state, const Call& call, std::string_view name) {
  const api::Bucket* bucket = state.buckets.find(name);
  if (!bucket) {
    return std::unexpected(bucket_fault("NoSuchBucket", "The specified bucket does not exist", 404, name));
  }
  if (call.region.empty() || *bucket->bucket_region == call.region) return bucket;
  return fault("AuthorizationHeaderMalformed",
               fmt::format("The authorization header is malformed; the region '{}' is wrong; expecting '{}'",
                           call.region, *bucket->bucket_region),
               400, {{"Region", *bucket->bucket_region}});
}

Reply<api::CreateBucketOutput> create_bucket(State& state, const Call& call,
                                             const api::CreateBucketRequest& in) {
  const std::string& name = *in.bucket;
  if (!is_bucket_name(name)) {
    return std::unexpected(
        bucket_fault("InvalidBucketName", "The specified bucket is not valid.", 400, name));
  }
  auto region = region_of(call, in);
  if (!region) return std::unexpected(std::move(region.error()));
  if (const auto* existing = state.buckets.find(name)) {
    // The oldest region's quirk, kept for old clients (API reference, CreateBucket).
    if (*existing->bucket_region == k_first_region && *region == k_first_region) {
      return api::CreateBucketOutput{.location = "/" + name};
    }
    return std::unexpected(bucket_fault(
        "BucketAlreadyOwnedByYou",
        "Your previous request to create the named bucket succeeded and you already own it.", 409, name));
  }
  if (state.buckets.size() >= state.limits.buckets) {
    return fault("TooManyBuckets", "You have attempted to create more buckets than allowed");
  }
  if (in.create_bucket_configuration && in.create_bucket_configuration->tags) {
    auto tags = checked_tags(state, *in.create_bucket_configuration->tags);
    if (!tags) return std::unexpected(std::move(tags.error()));
    state.bucket_tags.put(name, {.tag_set = std::move(*tags)});
  }
  // What new buckets have since April 2023.
  state.public_access.put(name, {.block_public_acls = true,
                                 .ignore_public_acls = true,
                                 .block_public_policy = true,
                                 .restrict_public_buckets = true});
  state.buckets.put(name, {.name = name,
                           .creation_date = aws::Timestamp{std::chrono::floor<seconds>(state.world.now())},
                           .bucket_region = *region,
                           .bucket_arn = fmt::format("arn:{}:s3:::{}", partition_of(*region), name)});
  return api::CreateBucketOutput{
      .location = *region == k_first_region ? "/" + name : fmt::format("{}/{}", call.endpoint, name)};
}

Reply<api::HeadBucketOutput> head_bucket(State& state, const Call& call, const api::HeadBucketRequest& in) {
  const auto bucket = find_bucket(state, call, *in.bucket);
  if (!bucket) return std::unexpected(bucket.error());
  return api::HeadBucketOutput{.bucket_region = (*bucket)->bucket_region};
}

Reply<api::ListBucketsOutput> list_buckets(State& state, const Call&, const api::ListBucketsRequest& in) {
  api::ListBucketsOutput page{.buckets = std::vector<api::Bucket>(), .prefix = in.prefix};
  const std::string after = from_base64url(in.continuation_token.value_or("")).value_or("");
  for (const auto& [name, bucket] : state.buckets.starting_with(in.prefix.value_or(""))) {
    if (name <= after && !after.empty()) continue;
    if (in.bucket_region && *bucket.bucket_region != *in.bucket_region) continue;
    if (std::ssize(*page.buckets) >= in.max_buckets.value_or(10'000)) {
      page.continuation_token = to_base64url(*page.buckets->back().name);
      break;
    }
    page.buckets->push_back(bucket);
  }
  const Sha256 owner = sha256("owner " + state.world.account());
  page.owner = api::Owner{.id = to_hex(owner)};
  return page;
}

Reply<api::GetBucketLocationOutput> get_bucket_location(State& state, const Call& call,
                                                        const api::GetBucketLocationRequest& in) {
  Call anywhere = call;
  anywhere.region.clear();
  const auto bucket = find_bucket(state, anywhere, *in.bucket);
  if (!bucket) return std::unexpected(bucket.error());
  if (*(*bucket)->bucket_region == k_first_region) return api::GetBucketLocationOutput{};
  return api::GetBucketLocationOutput{.location_constraint = (*bucket)->bucket_region};
}

Reply<aws::Empty> delete_bucket(State& state, const Call& call, const api::DeleteBucketRequest& in) {
  if (auto bucket = find_bucket(state, call, *in.bucket); !bucket) return std::unexpected(bucket.error());
  const auto objects = state.objects.starting_with(object_id(*in.bucket, ""));
  if (objects.begin() != objects.end()) {
    return std::unexpected(
        bucket_fault("BucketNotEmpty", "The bucket you tried to delete is not empty", 409, *in.bucket));
  }
  state.bucket_tags.erase(*in.bucket);
  state.bucket_policies.erase(*in.bucket);
  state.public_access.erase(*in.bucket);
  state.buckets.erase(*in.bucket);
  return {};
}

Reply<aws::Empty> put_bucket_tagging(State& state, const Call& call, const api::PutBucketTaggingRequest& in) {
  if (auto bucket = find_bucket(state, call, *in.bucket); !bucket) return std::unexpected(bucket.error());
  auto tags = checked_tags(state, aws::items(in.tagging->tag_set));
  if (!tags) return std::unexpected(std::move(tags.error()));
  state.bucket_tags.put(*in.bucket, {.tag_set = std::move(*tags)});
  return {};
}

Reply<api::GetBucketTaggingOutput> get_bucket_tagging(State& state, const Call& call,
                                                      const api::GetBucketTaggingRequest& in) {
  if (auto bucket = find_bucket(state, call, *in.bucket); !bucket) return std::unexpected(bucket.error());
  const auto* tags = state.bucket_tags.find(*in.bucket);
  if (tags && !aws::items(tags->tag_set).empty()) return *tags;
  return std::unexpected(bucket_fault("NoSuchTagSet", "The TagSet does not exist", 404, *in.bucket));
}

Reply<aws::Empty> put_public_access_block(State& state, const Call& call,
                                          const api::PutPublicAccessBlockRequest& in) {
  if (auto bucket = find_bucket(state, call, *in.bucket); !bucket) return std::unexpected(bucket.error());
  state.public_access.put(*in.bucket, *in.public_access_block_configuration);
  return {};
}

Reply<api::GetPublicAccessBlockOutput> get_public_access_block(State& state, const Call& call,
                                                               const api::GetPublicAccessBlockRequest& in) {
  if (auto bucket = find_bucket(state, call, *in.bucket); !bucket) return std::unexpected(bucket.error());
  const auto* block = state.public_access.find(*in.bucket);
  return api::GetPublicAccessBlockOutput{.public_access_block_configuration = *block};
}

Reply<aws::Empty> put_bucket_policy(State& state, const Call& call, const api::PutBucketPolicyRequest& in) {
  if (auto bucket = find_bucket(state, call, *in.bucket); !bucket) return std::unexpected(bucket.error());
  if (in.policy->size() > state.limits.policy_bytes) {
    return fault("MalformedPolicy", "Policies must be no larger than 20 KB");
  }
  const auto document = parse_json(*in.policy);
  const auto* object = document ? document->if_object() : nullptr;
  if (!object || !object->contains("Statement")) {
    return fault("MalformedPolicy", "Policies must be valid JSON and the first byte must be '{'");
  }
  state.bucket_policies.put(*in.bucket, {.policy = in.policy});
  return {};
}

Reply<api::GetBucketPolicyOutput> get_bucket_policy(State& state, const Call& call,
                                                    const api::GetBucketPolicyRequest& in) {
  if (auto bucket = find_bucket(state, call, *in.bucket); !bucket) return std::unexpected(bucket.error());
  if (const auto* policy = state.bucket_policies.find(*in.bucket)) return *policy;
  return std::unexpected(
      bucket_fault("NoSuchBucketPolicy", "The bucket policy does not exist", 404, *in.bucket));
}

}  // namespace instantstart::sandbox::s3
