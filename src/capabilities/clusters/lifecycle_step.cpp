#include "aws/pagination.h"
#include "aws/shapes/s3.h"
#include "base/decode.h"
#include "capabilities/clusters/client_of.h"
#include "capabilities/clusters/hyperpod_steps.h"
#include "capabilities/clusters/lifecycle_script.h"
#include "capabilities/dependencies/pod_role.h"

namespace instantstart::capabilities {
namespace {

namespace s3 = aws::s3;
using operations::Decision;
using operations::History;
using operations::Step;
using operations::StepContext;

/// The region whose buckets have no location constraint (S3 API reference, CreateBucket).
constexpr std::string_view k_first_region = "us-east-1";

aws::CallOptions until(net::Deadline deadline) { return {.deadline = deadline}; }

std::vector<s3::Tag> s3_tags(const LifecycleInput& input, const std::string& operation_id) {
  std::vector<s3::Tag> tags;
  for (const auto& [key, value] : owner_tags(input.cluster, operation_id)) {
    tags.push_back({.key = key, .value = value});
  }
  return tags;
}

/// A member that only an account's own buckets answer to: names are the same for the whole world.
template <class Request>
Request of_ours(const LifecycleInput& input) {
  Request request;
  request.bucket = input.bucket;
  request.expected_bucket_owner = input.cluster.account;
  return request;
}

Task<> add_tags(aws::Client& client, const LifecycleInput& input, LifecycleSeen& seen,
                net::Deadline deadline) {
  auto tagging = co_await client.call<s3::GetBucketTagging>(of_ours<s3::GetBucketTaggingRequest>(input),
                                                            until(deadline));
  if (!tagging && tagging.error().code == codes::not_found) co_return Result<>{};
  if (!tagging) co_return fail(within("Look at the bucket's tags", tagging.error()));
  std::map<std::string, std::string> tags;
  for (const auto& tag : aws::items(tagging->tag_set)) tags[tag.key.value_or("")] = tag.value.value_or("");
  seen.tagged = !tags.empty();
  seen.maker = maker_of(tags, input.cluster);
  co_return Result<>{};
}

Task<> add_access_block(aws::Client& client, const LifecycleInput& input, LifecycleSeen& seen,
                        net::Deadline deadline) {
  auto block = co_await client.call<s3::GetPublicAccessBlock>(of_ours<s3::GetPublicAccessBlockRequest>(input),
                                                              until(deadline));
  if (!block && block.error().code == codes::not_found) co_return Result<>{};
  if (!block) co_return fail(within("Look at the bucket's public access block", block.error()));
  if (!block->public_access_block_configuration) co_return Result<>{};
  const auto& found = *block->public_access_block_configuration;
  seen.public_blocked = found.block_public_acls.value_or(false) && found.ignore_public_acls.value_or(false) &&
                        found.block_public_policy.value_or(false) &&
                        found.restrict_public_buckets.value_or(false);
  co_return Result<>{};
}

Task<> add_script(aws::Client& client, const LifecycleInput& input, LifecycleSeen& seen,
                  net::Deadline deadline) {
  auto asked = of_ours<s3::GetObjectRequest>(input);
  asked.key = input.key;
  auto object = co_await client.call<s3::GetObject>(std::move(asked), until(deadline));
  if (!object && object.error().code == codes::not_found) co_return Result<>{};
  if (!object) co_return fail(within("Look at the lifecycle script", object.error()));
  seen.script_holds = object->body && object->body->bytes == lifecycle_script();
  co_return Result<>{};
}

Task<> add_keys(aws::Client& client, const LifecycleInput& input, LifecycleSeen& seen,
                net::Deadline deadline) {
  auto objects =
      co_await client.call<s3::ListObjectsV2>(of_ours<s3::ListObjectsV2Request>(input), until(deadline));
  if (!objects) co_return fail(within("List the bucket", objects.error()));
  for (const auto& object : aws::items(objects->contents)) seen.keys.push_back(object.key.value_or(""));
  co_return Result<>{};
}

Task<json::value> make(aws::Client& client, LifecycleInput input, BucketRequest request,
                       std::string operation_id, net::Deadline deadline) {
  const json::value receipt = encode(request);
  switch (request.call) {
    case BucketCall::create_bucket: {
      s3::CreateBucketRequest wanted;
      wanted.bucket = input.bucket;
      wanted.create_bucket_configuration.emplace();
      wanted.create_bucket_configuration->tags = s3_tags(input, operation_id);
      if (client.region() != k_first_region) {
        wanted.create_bucket_configuration->location_constraint = client.region();
      }
      auto made = co_await client.call<s3::CreateBucket>(std::move(wanted), until(deadline));
      co_return receipt_of(std::move(made), receipt, "Create the bucket " + input.bucket);
    }
    case BucketCall::tag_bucket: {
      auto wanted = of_ours<s3::PutBucketTaggingRequest>(input);
      wanted.tagging.emplace();
      wanted.tagging->tag_set = s3_tags(input, operation_id);
      auto made = co_await client.call<s3::PutBucketTagging>(std::move(wanted), until(deadline));
      co_return receipt_of(std::move(made), receipt, "Tag the bucket " + input.bucket);
    }
    case BucketCall::block_public: {
      auto wanted = of_ours<s3::PutPublicAccessBlockRequest>(input);
      wanted.public_access_block_configuration =
          s3::PublicAccessBlockConfiguration{.block_public_acls = true,
                                             .ignore_public_acls = true,
                                             .block_public_policy = true,
                                             .restrict_public_buckets = true};
      auto made = co_await client.call<s3::PutPublicAccessBlock>(std::move(wanted), until(deadline));
      co_return receipt_of(std::move(made), receipt, "Block public access to the bucket " + input.bucket);
    }
    default: {
      auto wanted = of_ours<s3::PutObjectRequest>(input);
      wanted.key = input.key;
      wanted.body = aws::Blob{std::string(lifecycle_script())};
      wanted.content_type = "text/x-shellscript";
      auto made = co_await client.call<s3::PutObject>(std::move(wanted), until(deadline));
      co_return receipt_of(std::move(made), receipt, "Put the lifecycle script");
    }
  }
}

Task<json::value> send_call(aws::Client& client, LifecycleInput input, BucketRequest request,
                            std::string operation_id, net::Deadline deadline) {
  const json::value receipt = encode(request);
  if (request.call == BucketCall::delete_object) {
    auto wanted = of_ours<s3::DeleteObjectRequest>(input);
    wanted.key = request.key;
    auto made = co_await client.call<s3::DeleteObject>(std::move(wanted), until(deadline));
    co_return receipt_of_deletion(std::move(made), receipt, "Delete " + request.key);
  }
  if (request.call == BucketCall::delete_bucket) {
    auto made =
        co_await client.call<s3::DeleteBucket>(of_ours<s3::DeleteBucketRequest>(input), until(deadline));
    co_return receipt_of_deletion(std::move(made), receipt, "Delete the bucket " + input.bucket);
  }
  co_return co_await make(client, std::move(input), std::move(request), std::move(operation_id), deadline);
}

class BucketStep : public Step<LifecycleInput, LifecycleSeen, BucketRequest> {
 public:
  BucketStep(aws::Accounts& accounts, bool with_keys) : accounts_(accounts), with_keys_(with_keys) {}
  Task<LifecycleSeen> look(const StepContext& context, const LifecycleInput& input) const override {
    auto client = client_of(accounts_, input.cluster);
    if (!client) co_return fail(client.error());
    co_return co_await look_at_lifecycle(**client, input, with_keys_, context.deadline);
  }
  Task<json::value> send(const StepContext& context, const LifecycleInput& input,
                         const BucketRequest& request) const override {
    auto client = client_of(accounts_, input.cluster);
    if (!client) co_return fail(client.error());
    co_return co_await send_call(**client, input, request, context.operation_id, context.deadline);
  }

 private:
  aws::Accounts& accounts_;
  bool with_keys_;
};

class UndoBucket final : public BucketStep {
 public:
  explicit UndoBucket(aws::Accounts& accounts) : BucketStep(accounts, true) {}
  std::string_view name() const override { return "hyperpod_lifecycle_bucket_undo"; }
  Decision choose(const StepContext& context, const LifecycleInput& input, const LifecycleSeen& seen,
                  const History&) const override {
    return choose_lifecycle_removal(input, seen, context.operation_id);
  }
};

class MakeBucket final : public BucketStep {
 public:
  explicit MakeBucket(aws::Accounts& accounts) : BucketStep(accounts, false), undo_(accounts) {}
  std::string_view name() const override { return k_lifecycle_step; }
  const operations::StepKind* undo() const override { return &undo_; }
  Decision choose(const StepContext& context, const LifecycleInput& input, const LifecycleSeen& seen,
                  const History& history) const override {
    return choose_lifecycle(context.operation_id, input, seen, history);
  }

 private:
  UndoBucket undo_;
};

class RemoveBucket final : public BucketStep {
 public:
  explicit RemoveBucket(aws::Accounts& accounts) : BucketStep(accounts, true) {}
  std::string_view name() const override { return k_lifecycle_removal_step; }
  Decision choose(const StepContext&, const LifecycleInput& input, const LifecycleSeen& seen,
                  const History&) const override {
    return choose_lifecycle_removal(input, seen, std::nullopt);
  }
};

}  // namespace

Task<LifecycleSeen> look_at_lifecycle(aws::Client& client, LifecycleInput input, bool with_keys,
                                      net::Deadline deadline) {
  LifecycleSeen seen;
  auto head = co_await client.call<s3::HeadBucket>(of_ours<s3::HeadBucketRequest>(input), until(deadline));
  if (!head && head.error().code == codes::not_found) co_return seen;
  if (!head && head.error().code == codes::access_denied) {
    seen.other_account = true;
    co_return seen;
  }
  if (!head) co_return fail(within("Look at the bucket " + input.bucket, head.error()));
  seen.exists = true;
  auto tags = co_await add_tags(client, input, seen, deadline);
  if (!tags) co_return fail(tags.error());
  auto block = co_await add_access_block(client, input, seen, deadline);
  if (!block) co_return fail(block.error());
  auto script = co_await add_script(client, input, seen, deadline);
  if (!script) co_return fail(script.error());
  if (!with_keys) co_return seen;
  auto keys = co_await add_keys(client, input, seen, deadline);
  if (!keys) co_return fail(keys.error());
  co_return seen;
}

std::unique_ptr<const operations::StepKind> lifecycle_step(aws::Accounts& accounts) {
  return std::make_unique<MakeBucket>(accounts);
}
std::unique_ptr<const operations::StepKind> lifecycle_removal_step(aws::Accounts& accounts) {
  return std::make_unique<RemoveBucket>(accounts);
}

}  // namespace instantstart::capabilities
