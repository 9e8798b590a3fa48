#include "sandbox/services/s3/s3.h"

#include <utility>

#include "sandbox/services/s3/buckets.h"
#include "sandbox/services/s3/checksums.h"
#include "sandbox/services/s3/multipart.h"
#include "sandbox/services/s3/objects.h"

namespace instantstart::sandbox::s3 {

template <class Op>
void S3::serve(Reply<typename Op::Output> (*handler)(State&, const Call&, const typename Op::Input&)) {
  on<Op>([this, handler](const Call& call, const typename Op::Input& in) -> Reply<typename Op::Output> {
    return handler(state_, call, in);
  });
}

S3::S3(World& world, Limits limits) : Service(aws::s3::service()), state_(world, limits) {
  serve<api::CreateBucket>(&create_bucket);
  serve<api::HeadBucket>(&head_bucket);
  serve<api::ListBuckets>(&list_buckets);
  serve<api::GetBucketLocation>(&get_bucket_location);
  serve<api::DeleteBucket>(&delete_bucket);
  serve<api::PutBucketTagging>(&put_bucket_tagging);
  serve<api::GetBucketTagging>(&get_bucket_tagging);
  serve<api::PutPublicAccessBlock>(&put_public_access_block);
  serve<api::GetPublicAccessBlock>(&get_public_access_block);
  serve<api::PutBucketPolicy>(&put_bucket_policy);
  serve<api::GetBucketPolicy>(&get_bucket_policy);
  serve<api::ListObjectsV2>(&list_objects_v2);
  serve<api::PutObject>(&put_object);
  serve<api::GetObject>(&get_object);
  serve<api::HeadObject>(&head_object);
  serve<api::CopyObject>(&copy_object);
  serve<api::DeleteObject>(&delete_object);
  serve<api::DeleteObjects>(&delete_objects);
  serve<api::CreateMultipartUpload>(&create_multipart_upload);
  serve<api::UploadPart>(&upload_part);
  serve<api::CompleteMultipartUpload>(&complete_multipart_upload);
  serve<api::AbortMultipartUpload>(&abort_multipart_upload);
}

std::optional<int> S3::http_status(const aws::OperationInfo& operation, const void* output) const {
  if (&operation != &api::GetObject::info()) return std::nullopt;
  const auto& object = *static_cast<const api::GetObjectOutput*>(output);
  return object.content_range ? std::optional(206) : std::nullopt;
}

const api::GetObjectOutput* S3::find_object(std::string_view bucket, std::string_view key) const {
  return state_.objects.find(object_id(bucket, key));
}

bool S3::write_object(std::string_view bucket, std::string_view key, std::string bytes) {
  if (!has_bucket(bucket)) return false;
  api::GetObjectOutput object{.last_modified = now(state_),
                              .content_length = static_cast<std::int64_t>(bytes.size()),
                              .e_tag = entity_tag(bytes),
                              .content_type = "binary/octet-stream",
                              .server_side_encryption = "AES256"};
  object.body = aws::Blob{std::move(bytes)};
  state_.objects.put(object_id(bucket, key), std::move(object));
  return true;
}

void S3::remove_object(std::string_view bucket, std::string_view key) {
  state_.objects.erase(object_id(bucket, key));
}

}  // namespace instantstart::sandbox::s3
