// The mount's policy in the driver's role.
#include <utility>

#include <fmt/core.h>

#include "aws/shapes/iam.h"
#include "base/error_codes.h"
#include "capabilities/storage/bucket_access.h"
#include "capabilities/storage/storage_steps.h"

namespace instantstart::capabilities {
namespace {

namespace iam = aws::iam;
using operations::Act;
using operations::Blocked;
using operations::Decision;
using operations::Done;
using operations::History;
using operations::Repeat;
using operations::Resource;
using operations::Step;
using operations::StepContext;

/// IAM shows what it did after a while.
constexpr milliseconds k_iam_settle{30'000};

std::string policy_of(const AccessInput& input) {
  return access_policy_name(input.mount.space, input.mount.name);
}

Resource resource_of(const AccessInput& input) {
  return {"iam:role-policy", fmt::format("{}/{}", input.role_name, policy_of(input))};
}

Act act(std::string mark, std::vector<Resource> makes) {
  return {.request = encode(MountAccessRequest{std::move(mark)}),
          .repeat = Repeat::observe,
          .makes = std::move(makes),
          .settle = k_iam_settle};
}

Error not_ours(const AccessInput& input) {
  return {.code = std::string(codes::name_taken),
          .message = fmt::format("The policy {} of the role {} exists and is not ours.", policy_of(input),
                                 input.role_name)};
}

class RemoveAccess final : public Step<AccessInput, AccessSeen, MountAccessRequest> {
 public:
  RemoveAccess(StorageReader reader, bool is_undo) : reader_(reader), is_undo_(is_undo) {}

  std::string_view name() const override { return is_undo_ ? "storage_access_undo" : k_access_removal_step; }
  Task<AccessSeen> look(const StepContext& context, const AccessInput& input) const override {
    return reader_.access(input.mount, input.role_name, context.deadline);
  }
  Decision choose(const StepContext& context, const AccessInput& input, const AccessSeen& seen,
                  const History&) const override {
    return choose_access_removal(is_undo_ ? std::optional(context.operation_id) : std::nullopt, input, seen);
  }
  Task<json::value> send(const StepContext& context, const AccessInput& input,
                         const MountAccessRequest&) const override {
    auto client = reader_.aws_client(input.mount.cluster, input.mount.cluster.region);
    if (!client) co_return fail(client.error());
    auto deleted = co_await (*client)->call<iam::DeleteRolePolicy>(
        {.role_name = input.role_name, .policy_name = policy_of(input)}, {.deadline = context.deadline});
    if (!deleted && deleted.error().code != codes::not_found) {
      co_return fail(within("Delete the policy " + policy_of(input), deleted.error()));
    }
    co_return json::object{{"policy", policy_of(input)}};
  }

 private:
  StorageReader reader_;
  bool is_undo_;
};

class GiveAccess final : public Step<AccessInput, AccessSeen, MountAccessRequest> {
 public:
  explicit GiveAccess(StorageReader reader) : reader_(reader), undo_(reader, true) {}

  std::string_view name() const override { return k_access_step; }
  const operations::StepKind* undo() const override { return &undo_; }
  Task<AccessSeen> look(const StepContext& context, const AccessInput& input) const override {
    return reader_.access(input.mount, input.role_name, context.deadline);
  }
  Decision choose(const StepContext& context, const AccessInput& input, const AccessSeen& seen,
                  const History&) const override {
    return choose_access(context.operation_id, input, seen);
  }
  Task<json::value> send(const StepContext& context, const AccessInput& input,
                         const MountAccessRequest& request) const override {
    auto client = reader_.aws_client(input.mount.cluster, input.mount.cluster.region);
    if (!client) co_return fail(client.error());
    const json::value document = access_policy(input.mount, request.mark);
    // It sets a value: twice is once.
    auto put = co_await (*client)->call<iam::PutRolePolicy>(
        {.role_name = input.role_name,
         .policy_name = policy_of(input),
         .policy_document = instantstart::to_text(document)},
        {.deadline = context.deadline, .repeat_is_harmless = true});
    if (!put) {
      Error error = within("Give the driver its access", put.error());
      // A role that was just made is unknown for some seconds.
      if (error.code == codes::not_found) error.retryable = true;
      co_return fail(std::move(error));
    }
    co_return json::object{{"policy", policy_of(input)}};
  }

 private:
  StorageReader reader_;
  RemoveAccess undo_;
};

}  // namespace

Type describe(AccessInput*) {
  return object_type<AccessInput>("AccessInput", "What a mount needs of the driver's role.",
                                  {field<&AccessInput::mount>("mount", "The mount."),
                                   field<&AccessInput::role_name>("role_name", "The role.")});
}

Type describe(MountAccessRequest*) {
  return object_type<MountAccessRequest>("MountAccessRequest", "A policy to write or to delete.",
                                         {field<&MountAccessRequest::mark>("mark", "Whose it is.")});
}

Decision choose_access(const std::string& operation_id, const AccessInput& input, const AccessSeen& seen) {
  const std::string mark = policy_mark(operation_id);
  if (!seen.exists) return act(mark, {resource_of(input)});
  if (!seen.mark) return Blocked{not_ours(input)};
  // What was changed by hand is set back, and stays whose it was.
  if (!seen.as_wanted) return act(*seen.mark, {});
  Done done{.output = json::object{{"role", input.role_name}, {"policy", policy_of(input)}}};
  if (seen.mark == mark) done.owned = {resource_of(input)};
  return done;
}

Decision choose_access_removal(const std::optional<std::string>& only_operation, const AccessInput& input,
                               const AccessSeen& seen) {
  if (!seen.exists) return Done{.output = json::object(), .removed = {resource_of(input)}};
  const bool ours = only_operation ? seen.mark == policy_mark(*only_operation) : seen.mark.has_value();
  if (ours) return act(*seen.mark, {});
  if (only_operation) return Done{.output = json::object()};
  return Blocked{not_ours(input)};
}

std::unique_ptr<const operations::StepKind> access_step(StorageReader reader) {
  return std::make_unique<GiveAccess>(reader);
}
std::unique_ptr<const operations::StepKind> access_removal_step(StorageReader reader) {
  return std::make_unique<RemoveAccess>(reader, false);
}

}  // namespace instantstart::capabilities
