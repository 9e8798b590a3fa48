// A bucket of our own: made with its tags in one call, closed to the public, and by an undo deleted only
// while it is empty.
#include <utility>

#include <fmt/core.h>

#include "aws/shapes/s3.h"
#include "base/error_codes.h"
#include "capabilities/dependencies/pod_role.h"
#include "capabilities/storage/storage_steps.h"

namespace instantstart::capabilities {
namespace {

namespace s3 = aws::s3;
using operations::Act;
using operations::Blocked;
using operations::Decision;
using operations::Done;
using operations::Fail;
using operations::History;
using operations::Repeat;
using operations::Resource;
using operations::Step;
using operations::StepContext;

constexpr std::string_view k_create = "create";
constexpr std::string_view k_block_public_access = "block_public_access";
constexpr std::string_view k_delete = "delete";
/// The region whose buckets have no location constraint (API reference, CreateBucket).
constexpr std::string_view k_first_region = "us-east-1";

Resource resource_of(const BucketInput& input) { return {"s3:bucket", input.bucket}; }

Act act(std::string_view call, std::vector<Resource> makes = {}) {
  return {.request = encode(MountBucketRequest{std::string(call)}),
          .repeat = Repeat::observe,
          .makes = std::move(makes)};
}

s3::CreateBucketRequest creation_of(const BucketInput& input, const std::string& operation_id) {
  s3::CreateBucketConfiguration configuration;
  if (input.cluster.region != k_first_region) configuration.location_constraint = input.cluster.region;
  configuration.tags.emplace();
  for (const auto& [key, value] : owner_tags(input.cluster, operation_id)) {
    configuration.tags->push_back({.key = key, .value = value});
  }
  return {.bucket = input.bucket, .create_bucket_configuration = std::move(configuration)};
}

template <class Answer>
Result<json::value> receipt_of(const Result<Answer>& answer, std::string_view what,
                               const BucketInput& input) {
  if (!answer) return fail(within(fmt::format("{} the bucket {}", what, input.bucket), answer.error()));
  return json::object{{"bucket", input.bucket}};
}

class UndoBucket final : public Step<BucketInput, BucketSeen, MountBucketRequest> {
 public:
  explicit UndoBucket(StorageReader reader) : reader_(reader) {}

  std::string_view name() const override { return "storage_bucket_undo"; }
  Task<BucketSeen> look(const StepContext& context, const BucketInput& input) const override {
    return reader_.bucket(input.cluster, input.bucket, true, context.deadline);
  }
  Decision choose(const StepContext& context, const BucketInput& input, const BucketSeen& seen,
                  const History&) const override {
    return choose_bucket_undo(context.operation_id, input, seen);
  }
  Task<json::value> send(const StepContext& context, const BucketInput& input,
                         const MountBucketRequest&) const override {
    auto client = reader_.aws_client(input.cluster, input.cluster.region);
    if (!client) co_return fail(client.error());
    // S3 refuses it while the bucket holds anything, old versions too.
    auto deleted =
        co_await (*client)->call<s3::DeleteBucket>({.bucket = input.bucket}, {.deadline = context.deadline});
    if (!deleted && deleted.error().code == codes::not_found)
      co_return json::object{{"bucket", input.bucket}};
    co_return receipt_of(deleted, "Delete", input);
  }

 private:
  StorageReader reader_;
};

class MakeBucket final : public Step<BucketInput, BucketSeen, MountBucketRequest> {
 public:
  explicit MakeBucket(StorageReader reader) : reader_(reader), undo_(reader) {}

  std::string_view name() const override { return k_bucket_step; }
  const operations::StepKind* undo() const override { return &undo_; }
  Task<BucketSeen> look(const StepContext& context, const BucketInput& input) const override {
    return reader_.bucket(input.cluster, input.bucket, true, context.deadline);
  }
  Decision choose(const StepContext& context, const BucketInput& input, const BucketSeen& seen,
                  const History&) const override {
    return choose_bucket(context.operation_id, input, seen);
  }
  Task<json::value> send(const StepContext& context, const BucketInput& input,
                         const MountBucketRequest& request) const override {
    auto client = reader_.aws_client(input.cluster, input.cluster.region);
    if (!client) co_return fail(client.error());
    if (request.call == k_create) {
      auto made = co_await (*client)->call<s3::CreateBucket>(creation_of(input, context.operation_id),
                                                             {.deadline = context.deadline});
      co_return receipt_of(made, "Create", input);
    }
    s3::PublicAccessBlockConfiguration closed{.block_public_acls = true,
                                              .ignore_public_acls = true,
                                              .block_public_policy = true,
                                              .restrict_public_buckets = true};
    auto blocked = co_await (*client)->call<s3::PutPublicAccessBlock>(
        {.bucket = input.bucket, .public_access_block_configuration = closed},
        {.deadline = context.deadline, .repeat_is_harmless = true});
    co_return receipt_of(blocked, "Close", input);
  }

 private:
  StorageReader reader_;
  UndoBucket undo_;
};

}  // namespace

Type describe(BucketInput*) {
  return object_type<BucketInput>("BucketInput", "A bucket to make.",
                                  {field<&BucketInput::cluster>("cluster", "For which cluster."),
                                   field<&BucketInput::bucket>("bucket", "Its name.")});
}

Type describe(MountBucketRequest*) {
  return object_type<MountBucketRequest>("MountBucketRequest", "One call to S3.",
                                         {field<&MountBucketRequest::call>("call", "Which one.")});
}

Decision choose_bucket(const std::string& operation_id, const BucketInput& input, const BucketSeen& seen) {
  if (!seen.exists) return act(k_create, {resource_of(input)});
  if (!seen.maker) {
    return Blocked{{.code = std::string(codes::name_taken),
                    .message = fmt::format("The bucket {} exists and is not ours.", input.bucket)}};
  }
  if (!seen.public_blocked) return act(k_block_public_access);
  Done done{.output = json::object{{"bucket", input.bucket}, {"region", seen.region}}};
  if (seen.maker == operation_id) done.owned = {resource_of(input)};
  return done;
}

Decision choose_bucket_undo(const std::string& operation_id, const BucketInput& input,
                            const BucketSeen& seen) {
  if (!seen.exists) return Done{.output = json::object(), .removed = {resource_of(input)}};
  if (seen.maker != operation_id) return Done{.output = json::object()};
  if (seen.empty) return act(k_delete);
  return Fail{
      {.code = std::string(codes::conflict),
       .message = fmt::format("The bucket {} holds objects: it stays, and they with it.", input.bucket)}};
}

std::unique_ptr<const operations::StepKind> bucket_step(StorageReader reader) {
  return std::make_unique<MakeBucket>(reader);
}

}  // namespace instantstart::capabilities
