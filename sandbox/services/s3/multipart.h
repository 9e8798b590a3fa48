// Objects in parts: "Uploading and copying objects using multipart upload" in the S3 user guide.
#pragma once

#include "sandbox/services/s3/state.h"

namespace instantstart::sandbox::s3 {

namespace api = aws::s3;

Reply<api::CreateMultipartUploadOutput> create_multipart_upload(State& state, const Call& call,
                                                                const api::CreateMultipartUploadRequest& in);
Reply<api::UploadPartOutput> upload_part(State& state, const Call& call, const api::UploadPartRequest& in);
Reply<api::CompleteMultipartUploadOutput> complete_multipart_upload(
    State& state, const Call& call, const api::CompleteMultipartUploadRequest& in);
Reply<api::AbortMultipartUploadOutput> abort_multipart_upload(State& state, const Call& call,
                                                              const api::AbortMultipartUploadRequest& in);

}  // namespace instantstart::sandbox::s3
