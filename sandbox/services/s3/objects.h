// Objects: their bytes and what clients say of them.
#pragma once

#include "sandbox/services/s3/checksums.h"
#include "sandbox/services/s3/state.h"

namespace instantstart::sandbox::s3 {

namespace api = aws::s3;

/// Refuses keys that are longer than S3's, or whose metadata is.
std::optional<AwsFault> refuse_key(const State& state, std::string_view key,
                                   const std::optional<std::map<std::string, std::string>>& metadata);
/// If-Match and If-None-Match of a write.
std::optional<AwsFault> refuse_write(const State& state, std::string_view id,
                                     const std::optional<std::string>& if_match,
                                     const std::optional<std::string>& if_none_match);
AwsFault no_such_key(std::string_view key);
aws::Timestamp now(const State& state);

/// What clients say of an object, the same in requests that write one.
template <class Request>
api::GetObjectOutput described(const Request& in) {
  api::GetObjectOutput object;
  object.cache_control = in.cache_control;
  object.content_disposition = in.content_disposition;
  object.content_encoding = in.content_encoding;
  object.content_language = in.content_language;
  object.content_type = in.content_type.value_or("binary/octet-stream");
  object.expires = in.expires;
  object.metadata = in.metadata;
  object.storage_class = in.storage_class;
  object.server_side_encryption = in.server_side_encryption.value_or("AES256");
  return object;
}

Reply<api::PutObjectOutput> put_object(State& state, const Call& call, const api::PutObjectRequest& in);
Reply<api::GetObjectOutput> get_object(State& state, const Call& call, const api::GetObjectRequest& in);
Reply<api::HeadObjectOutput> head_object(State& state, const Call& call, const api::HeadObjectRequest& in);
Reply<api::CopyObjectOutput> copy_object(State& state, const Call& call, const api::CopyObjectRequest& in);
Reply<api::DeleteObjectOutput> delete_object(State& state, const Call& call,
                                             const api::DeleteObjectRequest& in);
Reply<api::DeleteObjectsOutput> delete_objects(State& state, const Call& call,
                                               const api::DeleteObjectsRequest& in);
Reply<api::ListObjectsV2Output> list_objects_v2(State& state, const Call& call,
                                                const api::ListObjectsV2Request& in);

}  // namespace instantstart::sandbox::s3
