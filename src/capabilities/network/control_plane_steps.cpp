#include "capabilities/network/control_plane_steps.h"

#include "base/decode.h"
#include "base/error_codes.h"
#include "capabilities/network/control_plane_template.h"
#include "capabilities/network/stack_calls.h"

namespace instantstart::capabilities {
namespace {

using operations::Decision;
using operations::History;
using operations::StepContext;

/// Where a step works: its cluster, the client for it, and the stack's name.
struct Place {
  domain::ClusterKey cluster;
  std::string stack;
  aws::Client* client = nullptr;
};

Result<Place> place_of(aws::Accounts& accounts, const std::string& cluster,
                       const std::optional<std::string>& profile) {
  auto key = domain::parse_cluster_key(cluster);
  if (!key) return fail(key.error());
  auto stack = domain::stack_name({{key->name}});
  if (!stack) return fail(stack.error());
  auto account = accounts.get(profile, key->region);
  if (!account) return fail(account.error());
  return Place{std::move(*key), std::move(*stack), &(*account)->client()};
}

bool is_quiet(const StackSeen& seen) { return seen.exists && !seen.status.ends_with("_IN_PROGRESS"); }

Task<StackSeen> look_before_deletion(Place place, net::Deadline deadline) {
  auto seen = co_await look_at_stack(*place.client, place.stack, deadline);
  if (!seen) co_return fail(seen.error());
  // Others' things are not looked at under a name that is not ours at all.
  if (!is_quiet(*seen) || !is_ours(*seen, domain::to_text(place.cluster))) co_return seen;
  auto strangers = co_await find_strangers(*place.client, *seen, place.cluster, deadline);
  if (!strangers) co_return fail(strangers.error());
  seen->strangers = std::move(*strangers);
  co_return seen;
}

/// Deletes the stack that this very operation made, and no other.
class UndoStack final : public operations::Step<ControlPlaneStackInput, StackSeen, StackRequest> {
 public:
  explicit UndoStack(aws::Accounts& accounts) : accounts_(accounts) {}

  std::string_view name() const override { return "control_plane_stack_undo"; }

  Task<StackSeen> look(const StepContext& context, const ControlPlaneStackInput& input) const override {
    auto place = place_of(accounts_, input.cluster, input.profile);
    if (!place) co_return fail(place.error());
    co_return co_await look_before_deletion(std::move(*place), context.deadline);
  }

  Decision choose(const StepContext& context, const ControlPlaneStackInput& input, const StackSeen& seen,
                  const History& history) const override {
    const auto stack = domain::stack_name({{input.choices.cluster_name}});
    if (!stack) return operations::Fail{stack.error()};
    return choose_stack_deletion(wanted_stack(input, *stack, context.operation_id), seen, history,
                                 context.operation_id);
  }

  Task<json::value> send(const StepContext& context, const ControlPlaneStackInput& input,
                         const StackRequest& request) const override {
    auto place = place_of(accounts_, input.cluster, input.profile);
    if (!place) co_return fail(place.error());
    co_return co_await send_to_stack(*place->client, request, {.name = place->stack}, context.token,
                                     context.deadline);
  }

 private:
  aws::Accounts& accounts_;
};

class ControlPlaneStack final : public operations::Step<ControlPlaneStackInput, StackSeen, StackRequest> {
 public:
  explicit ControlPlaneStack(aws::Accounts& accounts) : accounts_(accounts), undo_(accounts) {}

  std::string_view name() const override { return k_stack_step; }
  const operations::StepKind* undo() const override { return &undo_; }

  Task<StackSeen> look(const StepContext& context, const ControlPlaneStackInput& input) const override {
    auto place = place_of(accounts_, input.cluster, input.profile);
    if (!place) co_return fail(place.error());
    auto seen = co_await look_at_stack(*place->client, place->stack, context.deadline);
    if (!seen || seen->exists) co_return seen;
    auto foreign = co_await find_eks_cluster(*place->client, place->cluster.name, context.deadline);
    if (!foreign) co_return fail(foreign.error());
    seen->foreign_cluster = std::move(*foreign);
    co_return seen;
  }

  Decision choose(const StepContext& context, const ControlPlaneStackInput& input, const StackSeen& seen,
                  const History& history) const override {
    const auto stack = domain::stack_name({{input.choices.cluster_name}});
    if (!stack) return operations::Fail{stack.error()};
    return choose_stack(wanted_stack(input, *stack, context.operation_id), seen, history);
  }

  Task<json::value> send(const StepContext& context, const ControlPlaneStackInput& input,
                         const StackRequest& request) const override {
    auto place = place_of(accounts_, input.cluster, input.profile);
    if (!place) co_return fail(place.error());
    StackContent content{.name = place->stack};
    if (request.call != StackCall::delete_stack) {
      const auto wanted = wanted_stack(input, place->stack, context.operation_id);
      content.template_body = template_text(input.choices).body;
      content.parameters = wanted.parameters;
      content.tags = {{std::string(domain::k_cluster_tag), input.cluster},
                      {std::string(domain::k_operation_tag), context.operation_id}};
    }
    if (request.call == StackCall::update_stack) {
      // Who made the stack stays in its tags: an operation that changes it may not delete it in its undo.
      auto seen = co_await look_at_stack(*place->client, request.stack_id, context.deadline);
      if (!seen) co_return fail(seen.error());
      content.tags = seen->tags;
      std::erase_if(content.tags,
                    [](const auto& tag) { return tag.first.starts_with("aws:"); });  // AWS's own
    }
    co_return co_await send_to_stack(*place->client, request, std::move(content), context.token,
                                     context.deadline);
  }

 private:
  aws::Accounts& accounts_;
  UndoStack undo_;
};

class StackDeletion final : public operations::Step<StackDeletionInput, StackSeen, StackRequest> {
 public:
  explicit StackDeletion(aws::Accounts& accounts) : accounts_(accounts) {}

  std::string_view name() const override { return k_stack_deletion_step; }

  Task<StackSeen> look(const StepContext& context, const StackDeletionInput& input) const override {
    auto place = place_of(accounts_, input.cluster, input.profile);
    if (!place) co_return fail(place.error());
    co_return co_await look_before_deletion(std::move(*place), context.deadline);
  }

  Decision choose(const StepContext&, const StackDeletionInput& input, const StackSeen& seen,
                  const History& history) const override {
    const auto key = domain::parse_cluster_key(input.cluster);
    const auto stack = key ? domain::stack_name({{key->name}}) : Result<std::string>(fail(key.error()));
    if (!stack) return operations::Fail{stack.error()};
    return choose_stack_deletion({.name = *stack, .cluster_key = input.cluster}, seen, history, std::nullopt);
  }

  Task<json::value> send(const StepContext& context, const StackDeletionInput& input,
                         const StackRequest& request) const override {
    auto place = place_of(accounts_, input.cluster, input.profile);
    if (!place) co_return fail(place.error());
    co_return co_await send_to_stack(*place->client, request, {.name = place->stack}, context.token,
                                     context.deadline);
  }

 private:
  aws::Accounts& accounts_;
};

}  // namespace

Type describe(ControlPlaneStackInput*) {
  using Input = ControlPlaneStackInput;
  return object_type<Input>("ControlPlaneStackInput", "A control plane's stack.",
                            {field<&Input::cluster>("cluster", "The cluster's key."),
                             field<&Input::profile>("profile", "The AWS profile."),
                             field<&Input::choices>("choices", "What it is made of.")});
}

Type describe(StackDeletionInput*) {
  return object_type<StackDeletionInput>(
      "StackDeletionInput", "The stack that goes.",
      {field<&StackDeletionInput::cluster>("cluster", "The cluster's key."),
       field<&StackDeletionInput::profile>("profile", "The AWS profile.")});
}

StackWanted wanted_stack(const ControlPlaneStackInput& input, std::string stack_name,
                         std::string operation_id) {
  StackWanted wanted{.name = std::move(stack_name),
                     .cluster_key = input.cluster,
                     .operation_id = std::move(operation_id),
                     .parameters = to_parameters(input.choices)};
  wanted.parameters["Template"] = template_text(input.choices).digest;
  return wanted;
}

std::unique_ptr<const operations::StepKind> control_plane_stack_step(aws::Accounts& accounts) {
  return std::make_unique<ControlPlaneStack>(accounts);
}

std::unique_ptr<const operations::StepKind> stack_deletion_step(aws::Accounts& accounts) {
  return std::make_unique<StackDeletion>(accounts);
}

}  // namespace instantstart::capabilities
