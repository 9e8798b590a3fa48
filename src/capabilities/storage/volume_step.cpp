// Volume and claim of a mount. Neither can be changed once it is there, so whatever differs stops the step.
#include <algorithm>
#include <ranges>
#include <utility>

#include <fmt/core.h>

#include "base/error_codes.h"
#include "base/text.h"
#include "capabilities/dependencies/dependency_steps.h"
#include "capabilities/dependencies/object_calls.h"
#include "capabilities/storage/storage_steps.h"
#include "kube/json_access.h"

namespace instantstart::capabilities {
namespace {

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
using operations::Wait;

constexpr milliseconds k_poll{2'000};
/// The volume controller binds what names each other within seconds; a busy one takes longer.
constexpr milliseconds k_bound_by = std::chrono::minutes(15);

Resource resource_of(const std::string& ref) {
  const auto parsed = parse_object_ref(ref);
  return {"kubernetes:" + to_lower(parsed ? parsed->kind : "object"), ref};
}

json::array to_list(const std::vector<std::string>& texts) {
  json::array list;
  for (const auto& text : texts) list.emplace_back(json::string(text));
  return list;
}

Error taken(const ObjectSeen& object) {
  std::string message = object.maker ? fmt::format("{} exists with other content", object.ref)
                                     : fmt::format("{} exists and is not ours", object.ref);
  if (!object.differences.empty()) message += fmt::format("; it differs at {}", object.differences.front());
  Error error{.code = std::string(codes::name_taken), .message = message + "."};
  error.detail = {{"object", object.ref}, {"differences", to_list(object.differences)}};
  return error;
}

Act act(ObjectRequest request, std::vector<Resource> makes = {}) {
  return {.request = encode(request), .repeat = Repeat::observe, .makes = std::move(makes)};
}

class RemoveVolume final : public Step<Mount, MountSeen, ObjectRequest> {
 public:
  RemoveVolume(StorageReader reader, bool is_undo) : reader_(reader), is_undo_(is_undo) {}

  std::string_view name() const override { return is_undo_ ? "storage_volume_undo" : k_volume_removal_step; }
  Task<MountSeen> look(const StepContext& context, const Mount& input) const override {
    return reader_.mount(input, context.deadline);
  }
  Decision choose(const StepContext& context, const Mount&, const MountSeen& seen,
                  const History&) const override {
    return choose_volume_removal(is_undo_ ? std::optional(context.operation_id) : std::nullopt, seen);
  }
  Task<json::value> send(const StepContext& context, const Mount& input,
                         const ObjectRequest& request) const override {
    auto api = co_await reader_.components().kubernetes(input.cluster, context.deadline);
    if (!api) co_return fail(api.error());
    co_return co_await remove_made_object(std::move(*api), request.ref, request.maker, context.deadline);
  }

 private:
  StorageReader reader_;
  bool is_undo_;
};

class MakeVolume final : public Step<Mount, MountSeen, ObjectRequest> {
 public:
  explicit MakeVolume(StorageReader reader) : reader_(reader), undo_(reader, true) {}

  std::string_view name() const override { return k_volume_step; }
  const operations::StepKind* undo() const override { return &undo_; }
  Task<MountSeen> look(const StepContext& context, const Mount& input) const override {
    return reader_.mount(input, context.deadline);
  }
  Decision choose(const StepContext& context, const Mount& input, const MountSeen& seen,
                  const History& history) const override {
    return choose_volume(context.operation_id, input, seen, history);
  }
  Task<json::value> send(const StepContext& context, const Mount& input,
                         const ObjectRequest& request) const override {
    auto api = co_await reader_.components().kubernetes(input.cluster, context.deadline);
    if (!api) co_return fail(api.error());
    co_return co_await apply_object(std::move(*api), volume_objects(input, request.maker), request.ref, false,
                                    context.deadline);
  }

 private:
  StorageReader reader_;
  RemoveVolume undo_;
};

}  // namespace

Error in_use(const MountSeen& seen) {
  const auto shown = std::min<std::size_t>(seen.users.size(), 3);
  std::string names = join(std::span(seen.users).first(shown), ", ");
  if (seen.user_count > std::ssize(seen.users) || shown < seen.users.size()) names += ", …";
  Error error{.code = std::string(codes::blocked),
              .message = fmt::format("{} {} it: {}. It can't go before they end.", seen.user_count,
                                     seen.user_count == 1 ? "pod uses" : "pods use", names)};
  error.detail = {{"pods", to_list(seen.users)}, {"count", seen.user_count}};
  return error;
}

Decision choose_volume(const std::string& operation_id, const Mount& input, const MountSeen& seen,
                       const History& history) {
  for (const auto& object : seen.objects) {
    if (object.going) return Wait{k_poll, fmt::format("{} is being deleted", object.ref)};
    if (!object.exists) {
      return act({.ref = object.ref, .maker = operation_id}, {resource_of(object.ref)});
    }
    if (!object.maker || !object.differences.empty()) return Blocked{taken(object)};
  }
  if (seen.phase == "Lost") {
    return Fail{{.code = std::string(codes::conflict),
                 .message = fmt::format("The claim {}/{} lost its volume.", input.space, input.name)}};
  }
  if (seen.phase != "Bound") {
    if (history.since_start < k_bound_by) return Wait{k_poll, "Waiting for the claim to be bound"};
    return Blocked{
        {.code = std::string(codes::conflict),
         .message = fmt::format("The claim {}/{} is not bound: see its events.", input.space, input.name)}};
  }
  Done done{.output = json::object{{"claim", input.name}, {"namespace", input.space}, {"path", input.path}}};
  for (const auto& object : seen.objects) {
    if (object.maker == operation_id) done.owned.push_back(resource_of(object.ref));
  }
  return done;
}

Decision choose_volume_removal(const std::optional<std::string>& only_operation, const MountSeen& seen) {
  Done done{.output = json::object()};
  // The claim goes first: a volume that is bound would only wait for it.
  for (const auto& object : std::views::reverse(seen.objects)) {
    if (!object.exists) {
      done.removed.push_back(resource_of(object.ref));
      continue;
    }
    if (!object.maker && !only_operation) return Blocked{taken(object)};
    if (only_operation && object.maker != *only_operation) continue;
    if (object.going) {
      return Wait{k_poll, seen.user_count > 0
                              ? fmt::format("{} waits for {} pods to end", object.ref, seen.user_count)
                              : fmt::format("{} is being deleted", object.ref)};
    }
    if (seen.user_count > 0) return Blocked{in_use(seen)};
    return act({.ref = object.ref, .maker = *object.maker});
  }
  return done;
}

std::unique_ptr<const operations::StepKind> volume_step(StorageReader reader) {
  return std::make_unique<MakeVolume>(reader);
}
std::unique_ptr<const operations::StepKind> volume_removal_step(StorageReader reader) {
  return std::make_unique<RemoveVolume>(reader, false);
}

}  // namespace instantstart::capabilities
