// Buckets and what is set on them.
#pragma once

#include <string_view>

#include "sandbox/services/s3/state.h"

namespace instantstart::sandbox::s3 {

namespace api = aws::s3;

/// "General purpose bucket naming rules" in the S3 user guide: 3 to 63 lower-case letters, digits, dots and
/// hyphens, no address, and no reserved prefix or suffix.
bool is_bucket_name(std::string_view name);

/// Refuses a bucket that isn't there (NoSuchBucket), and a call that was signed for another region than the
/// bucket's (AuthorizationHeaderMalformed, with the right one).
Reply<const api::Bucket*> find_bucket(const State& state, const Call& call, std::string_view name);

Reply<api::CreateBucketOutput> create_bucket(State& state, const Call& call,
                                             const api::CreateBucketRequest& in);
Reply<api::HeadBucketOutput> head_bucket(State& state, const Call& call, const api::HeadBucketRequest& in);
Reply<api::ListBucketsOutput> list_buckets(State& state, const Call& call, const api::ListBucketsRequest& in);
Reply<api::GetBucketLocationOutput> get_bucket_location(State& state, const Call& call,
                                                        const api::GetBucketLocationRequest& in);
Reply<aws::Empty> delete_bucket(State& state, const Call& call, const api::DeleteBucketRequest& in);
Reply<aws::Empty> put_bucket_tagging(State& state, const Call& call, const api::PutBucketTaggingRequest& in);
Reply<api::GetBucketTaggingOutput> get_bucket_tagging(State& state, const Call& call,
                                                      const api::GetBucketTaggingRequest& in);
Reply<aws::Empty> put_public_access_block(State& state, const Call& call,
                                          const api::PutPublicAccessBlockRequest& in);
Reply<api::GetPublicAccessBlockOutput> get_public_access_block(State& state, const Call& call,
                                                               const api::GetPublicAccessBlockRequest& in);
Reply<aws::Empty> put_bucket_policy(State& state, const Call& call, const api::PutBucketPolicyRequest& in);
Reply<api::GetBucketPolicyOutput> get_bucket_policy(State& state, const Call& call,
                                                    const api::GetBucketPolicyRequest& in);

}  // namespace instantstart::sandbox::s3
