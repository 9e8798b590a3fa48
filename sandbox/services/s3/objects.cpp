#include "sandbox/services/s3/objects.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "sandbox/services/s3/buckets.h"
#include "sandbox/services/s3/byte_range.h"

namespace instantstart::sandbox::s3 {
namespace {

constexpr std::size_t k_most_deletions = 1000;  // DeleteObjects, API reference.

AwsFault precondition_failed(std::string_view condition) {
  return {.code = "PreconditionFailed",
          .message = "At least one of the pre-conditions you specified did not hold",
          .http_status = 412,
          .fields = {{"Condition", condition}}};
}

/// RFC 9110 13.2.2, in its order.
template <class Request>
std::optional<AwsFault> refuse_read(const api::GetObjectOutput& object, const Request& in) {
  const auto names = [&object](const std::string& tag) {
    return tag == "*" || tag == *object.e_tag || fmt::format("\"{}\"", tag) == *object.e_tag;
  };
  const AwsFault not_modified{.code = "NotModified", .message = "Not Modified", .http_status = 304};
  if (in.if_match && !names(*in.if_match)) return precondition_failed("If-Match");
  if (!in.if_match && in.if_unmodified_since && *object.last_modified > *in.if_unmodified_since) {
    return precondition_failed("If-Unmodified-Since");
  }
  if (in.if_none_match && names(*in.if_none_match)) return not_modified;
  if (!in.if_none_match && in.if_modified_since && *object.last_modified <= *in.if_modified_since) {
    return not_modified;
  }
  return std::nullopt;
}

template <class Request>
Reply<const api::GetObjectOutput*> readable(State& state, const Call& call, const Request& in) {
  if (auto bucket = find_bucket(state, call, *in.bucket); !bucket) return std::unexpected(bucket.error());
  const auto* object = state.objects.find(object_id(*in.bucket, *in.key));
  if (!object) return std::unexpected(no_such_key(*in.key));
  if (auto refused = refuse_read(*object, in)) return std::unexpected(std::move(*refused));
  return object;
}

template <class Output, class Request>
void override_headers(Output& out, const Request& in) {
  const auto replace = [](auto& member, const auto& wanted) {
    if (wanted) member = wanted;
  };
  replace(out.cache_control, in.response_cache_control);
  replace(out.content_disposition, in.response_content_disposition);
  replace(out.content_encoding, in.response_content_encoding);
  replace(out.content_language, in.response_content_language);
  replace(out.content_type, in.response_content_type);
  replace(out.expires, in.response_expires);
}

template <class Output>
void hide_checksums(Output& out) {
  put_checksums(out, {});
  out.checksum_type.reset();
}

bool wants_checksums(const std::optional<std::string>& mode) { return mode == "ENABLED"; }

}  // namespace

AwsFault no_such_key(std::string_view key) {
  return {.code = "NoSuchKey",
          .message = "The specified key does not exist.",
          .http_status = 404,
          .fields = {{"Key", key}}};
}

aws::Timestamp now(const State& state) { return {std::chrono::floor<seconds>(state.world.now())}; }

std::optional<AwsFault> refuse_key(const State& state, std::string_view key,
                                   const std::optional<std::map<std::string, std::string>>& metadata) {
  if (key.size() > state.limits.key_bytes) {
    return AwsFault{.code = "KeyTooLongError", .message = "Your key is too long"};
  }
  std::size_t bytes = 0;
  if (metadata) {
    for (const auto& [name, value] : *metadata) bytes += name.size() + value.size();
  }
  if (bytes <= state.limits.metadata_bytes) return std::nullopt;
  return AwsFault{.code = "MetadataTooLarge",
                  .message = "Your metadata headers exceed the maximum allowed metadata size"};
}

std::optional<AwsFault> refuse_write(const State& state, std::string_view id,
                                     const std::optional<std::string>& if_match,
                                     const std::optional<std::string>& if_none_match) {
  const auto* existing = state.objects.find(id);
  if (if_none_match && *if_none_match != "*") {
    return AwsFault{.code = "NotImplemented",
                    .message = "A header you provided implies functionality that is not implemented",
                    .http_status = 501};
  }
  if (if_none_match && existing) return precondition_failed("If-None-Match");
  if (!if_match) return std::nullopt;
  if (!existing) return no_such_key(id.substr(id.find('/') + 1));
  const bool same = *if_match == *existing->e_tag || fmt::format("\"{}\"", *if_match) == *existing->e_tag;
  return same ? std::nullopt : std::optional(precondition_failed("If-Match"));
}

Reply<api::PutObjectOutput> put_object(State& state, const Call& call, const api::PutObjectRequest& in) {
  if (auto bucket = find_bucket(state, call, *in.bucket); !bucket) return std::unexpected(bucket.error());
  const std::string id = object_id(*in.bucket, *in.key);
  if (auto refused = refuse_key(state, *in.key, in.metadata)) return std::unexpected(std::move(*refused));
  if (auto refused = refuse_write(state, id, in.if_match, in.if_none_match)) {
    return std::unexpected(std::move(*refused));
  }
  const aws::Blob body = in.body.value_or(aws::Blob());
  auto checksums = checked(in, body.bytes);
  if (!checksums) return std::unexpected(std::move(checksums.error()));

  api::GetObjectOutput object = described(in);
  object.e_tag = entity_tag(body.bytes);
  object.content_length = static_cast<std::int64_t>(body.bytes.size());
  object.last_modified = now(state);
  object.body = body;
  put_checksums(object, *checksums);
  if (*checksums != Checksums()) object.checksum_type = "FULL_OBJECT";

  api::PutObjectOutput out{.e_tag = object.e_tag, .server_side_encryption = object.server_side_encryption};
  put_checksums(out, *checksums);
  out.checksum_type = object.checksum_type;
  state.objects.put(id, std::move(object));
  return out;
}

Reply<api::GetObjectOutput> get_object(State& state, const Call& call, const api::GetObjectRequest& in) {
  const auto object = readable(state, call, in);
  if (!object) return std::unexpected(object.error());
  api::GetObjectOutput out = **object;
  out.accept_ranges = "bytes";
  override_headers(out, in);
  if (!wants_checksums(in.checksum_mode)) hide_checksums(out);
  const auto range = read_range(in.range, out.body->bytes.size());
  if (!range) return std::unexpected(range.error());
  if (!*range) return out;
  // A checksum is of the whole object.
  hide_checksums(out);
  out.body->bytes = out.body->bytes.substr((*range)->first, (*range)->size());
  out.content_range = content_range(**range, static_cast<std::size_t>(*out.content_length));
  out.content_length = static_cast<std::int64_t>((*range)->size());
  return out;
}

Reply<api::HeadObjectOutput> head_object(State& state, const Call& call, const api::HeadObjectRequest& in) {
  const auto object = readable(state, call, in);
  if (!object) return std::unexpected(object.error());
  api::HeadObjectOutput out{.accept_ranges = "bytes",
                            .last_modified = (*object)->last_modified,
                            .content_length = (*object)->content_length,
                            .checksum_crc32 = (*object)->checksum_crc32,
                            .checksum_sha1 = (*object)->checksum_sha1,
                            .checksum_sha256 = (*object)->checksum_sha256,
                            .checksum_type = (*object)->checksum_type,
                            .e_tag = (*object)->e_tag,
                            .cache_control = (*object)->cache_control,
                            .content_disposition = (*object)->content_disposition,
                            .content_encoding = (*object)->content_encoding,
                            .content_language = (*object)->content_language,
                            .content_type = (*object)->content_type,
                            .expires = (*object)->expires,
                            .server_side_encryption = (*object)->server_side_encryption,
                            .metadata = (*object)->metadata,
                            .storage_class = (*object)->storage_class};
  override_headers(out, in);
  if (!wants_checksums(in.checksum_mode)) hide_checksums(out);
  return out;
}

Reply<api::CopyObjectOutput> copy_object(State& state, const Call& call, const api::CopyObjectRequest& in) {
  if (auto bucket = find_bucket(state, call, *in.bucket); !bucket) return std::unexpected(bucket.error());
  // "bucket/key", URL-encoded, with or without a slash before.
  auto source = percent_decode(*in.copy_source);
  if (source && source->starts_with('/')) source->erase(0, 1);
  const auto slash = source ? source->find('/') : std::string::npos;
  if (slash == std::string::npos) {
    return fault("InvalidArgument", "Invalid copy source object key");
  }
  if (auto bucket = find_bucket(state, {}, source->substr(0, slash)); !bucket) {
    return std::unexpected(bucket.error());
  }
  const auto* from = state.objects.find(*source);
  if (!from) return std::unexpected(no_such_key(source->substr(slash + 1)));
  const bool replaces = in.metadata_directive == "REPLACE";
  const std::string id = object_id(*in.bucket, *in.key);
  if (id == *source && !replaces) {
    return fault("InvalidRequest",
                 "This copy request is illegal because it is trying to copy an object to itself without "
                 "changing the object's metadata, storage class, website redirect location or encryption "
                 "attributes.");
  }
  if (auto refused = refuse_key(state, *in.key, in.metadata)) return std::unexpected(std::move(*refused));
  api::GetObjectOutput object = *from;
  if (replaces) {
    object = described(in);
    object.body = from->body;
    object.content_length = from->content_length;
    object.checksum_crc32 = from->checksum_crc32;
    object.checksum_sha1 = from->checksum_sha1;
    object.checksum_sha256 = from->checksum_sha256;
    object.checksum_type = from->checksum_type;
  }
  object.e_tag = entity_tag(object.body->bytes);
  object.last_modified = now(state);
  api::CopyObjectOutput out;
  out.copy_object_result =
      api::CopyObjectResult{.e_tag = object.e_tag, .last_modified = object.last_modified};
  state.objects.put(id, std::move(object));
  return out;
}

Reply<api::DeleteObjectOutput> delete_object(State& state, const Call& call,
                                             const api::DeleteObjectRequest& in) {
  if (auto bucket = find_bucket(state, call, *in.bucket); !bucket) return std::unexpected(bucket.error());
  state.objects.erase(object_id(*in.bucket, *in.key));
  return api::DeleteObjectOutput{};
}

Reply<api::DeleteObjectsOutput> delete_objects(State& state, const Call& call,
                                               const api::DeleteObjectsRequest& in) {
  if (auto bucket = find_bucket(state, call, *in.bucket); !bucket) return std::unexpected(bucket.error());
  const auto& objects = aws::items(in.delete_->objects);
  if (objects.empty() || objects.size() > k_most_deletions) {
    return fault("MalformedXML",
                 "The XML you provided was not well-formed or did not validate against our published schema");
  }
  api::DeleteObjectsOutput out;
  const bool tells = !in.delete_->quiet.value_or(false);
  if (tells) out.deleted.emplace();
  for (const auto& object : objects) {
    state.objects.erase(object_id(*in.bucket, *object.key));
    if (tells) out.deleted->push_back({.key = object.key});
  }
  return out;
}

}  // namespace instantstart::sandbox::s3
