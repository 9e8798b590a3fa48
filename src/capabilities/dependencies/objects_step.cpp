#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/error_codes.h"
#include "base/text.h"
#include "capabilities/dependencies/component_state.h"
#include "capabilities/dependencies/dependency_steps.h"
#include "capabilities/dependencies/object_calls.h"
#include "kube/json_access.h"

namespace instantstart::capabilities {
namespace {

using operations::Act;
using operations::Blocked;
using operations::Decision;
using operations::Done;
using operations::History;
using operations::Repeat;
using operations::Resource;
using operations::Step;
using operations::StepContext;
using operations::Wait;

constexpr milliseconds k_poll{5'000};
/// Pods of DaemonSets that were just deleted end by themselves: a grace period of 30 s, and what a busy node
/// adds.
constexpr milliseconds k_pods_end = std::chrono::minutes(5);
constexpr std::string_view k_adopted = "adopted";

Resource resource_of(const std::string& ref) {
  const auto parsed = parse_object_ref(ref);
  return {"kubernetes:" + to_lower(parsed ? parsed->kind : "object"), ref};
}

json::array to_list(const std::vector<std::string>& texts) {
  json::array list;
  for (const auto& text : texts) list.emplace_back(text);
  return list;
}

Error taken(const ObjectSeen& object) {
  Error error{.code = std::string(codes::name_taken),
              .message = fmt::format("{} exists and is not ours; it differs from what is needed at {}.",
                                     object.ref, object.differences.front())};
  error.detail = {{"object", object.ref}, {"differences", to_list(object.differences)}};
  if (object.helm_release) error.detail["helm_release"] = *object.helm_release;
  return error;
}

Error not_kept(const ObjectSeen& object) {
  Error error{
      .code = std::string(codes::conflict),
      .message = fmt::format("The cluster took {} but keeps it otherwise at {}: something else sets it.",
                             object.ref, object.differences.front())};
  error.detail = {{"object", object.ref}, {"differences", to_list(object.differences)}};
  return error;
}

Error other_copy(const std::vector<std::string>& copies) {
  Error error{.code = std::string(codes::name_taken),
              .message = fmt::format("{} does the same; two of them would fight over the nodes' devices.",
                                     copies.front())};
  error.detail = {{"objects", to_list(copies)}};
  return error;
}

Act apply(ObjectRequest request, std::vector<Resource> makes) {
  return {.request = encode(request), .repeat = Repeat::observe, .makes = std::move(makes)};
}

/// The object that the last accepted act applied, unless somebody asked to try again since.
std::optional<std::string> just_applied(const History& history) {
  if (!history.receipt || history.asked_again || !history.receipt->is_object()) return std::nullopt;
  return std::string(kube::text_at(history.receipt->get_object(), {"ref"}));
}

/// What to do about one object; nothing when it is as it should be.
std::optional<Decision> choose_object(const std::string& operation_id, const ObjectsInput& input,
                                      const ObjectSeen& object, const History& history) {
  if (object.going) return Wait{k_poll, fmt::format("{} is being deleted", object.ref)};
  switch (need_of(object)) {
    case ObjectNeed::nothing: return std::nullopt;
    case ObjectNeed::make:
      return apply({.ref = object.ref, .maker = operation_id, .force = false}, {resource_of(object.ref)});
    case ObjectNeed::change:
      if (just_applied(history) == object.ref) return Blocked{not_kept(object)};
      return apply({.ref = object.ref, .maker = *object.maker, .force = true}, {});
    case ObjectNeed::leave:
    case ObjectNeed::taken: break;
  }
  // An adopted object existed before: no undo may delete it, so its maker is no operation.
  if (input.adopt) return apply({.ref = object.ref, .maker = std::string(k_adopted), .force = true}, {});
  if (need_of(object) == ObjectNeed::leave) return std::nullopt;
  return Blocked{taken(object)};
}

std::vector<json::object> objects_of(const ObjectsInput& input, const std::string& maker) {
  const auto* component = find_component(input.component);
  auto objects = component->objects({.region = input.cluster.region, .release = input.release});
  for (auto& object : objects) {
    object = owned(std::move(object), {.component = input.component,
                                       .version = std::string(component->version),
                                       .release = input.release,
                                       .operation_id = maker});
  }
  return objects;
}

Error unknown_component(const std::string& name) {
  return {.code = std::string(codes::internal),
          .message = fmt::format("The component '{}' is made of no objects here.", name)};
}

Task<ObjectsSeen> look_at(const ComponentReader& reader, ObjectsInput input, net::Deadline deadline) {
  const auto* component = find_component(input.component);
  if (!component || !component->objects) co_return fail(unknown_component(input.component));
  co_return co_await reader.objects(input.cluster, *component, input.release, deadline);
}

class RemoveObjects final : public Step<ObjectsInput, ObjectsSeen, ObjectRequest> {
 public:
  explicit RemoveObjects(ComponentReader reader) : reader_(reader) {}

  std::string_view name() const override { return "dependency_objects_removal"; }

  Task<ObjectsSeen> look(const StepContext& context, const ObjectsInput& input) const override {
    auto seen = co_await look_at(reader_, input, context.deadline);
    if (!seen) co_return fail(seen.error());
    for (const auto& object : seen->objects) {
      const auto ref = parse_object_ref(object.ref);
      if (!object.exists || !ref || ref->kind != "Namespace") continue;
      auto pods = co_await reader_.has_pods(input.cluster, ref->name, context.deadline);
      if (!pods) co_return fail(pods.error());
      seen->occupied = *pods;
    }
    co_return std::move(*seen);
  }

  Decision choose(const StepContext& context, const ObjectsInput&, const ObjectsSeen& seen,
                  const History& history) const override {
    return choose_removal(context.operation_id, seen, history);
  }

  Task<json::value> send(const StepContext& context, const ObjectsInput& input,
                         const ObjectRequest& request) const override {
    auto api = co_await reader_.kubernetes(input.cluster, context.deadline);
    if (!api) co_return fail(api.error());
    co_return co_await remove_made_object(std::move(*api), request.ref, request.maker, context.deadline);
  }

 private:
  ComponentReader reader_;
};

class ApplyObjects final : public Step<ObjectsInput, ObjectsSeen, ObjectRequest> {
 public:
  explicit ApplyObjects(ComponentReader reader) : reader_(reader), undo_(reader) {}

  std::string_view name() const override { return k_objects_step; }
  const operations::StepKind* undo() const override { return &undo_; }

  Task<ObjectsSeen> look(const StepContext& context, const ObjectsInput& input) const override {
    return look_at(reader_, input, context.deadline);
  }

  Decision choose(const StepContext& context, const ObjectsInput& input, const ObjectsSeen& seen,
                  const History& history) const override {
    return choose_objects(context.operation_id, input, seen, history);
  }

  Task<json::value> send(const StepContext& context, const ObjectsInput& input,
                         const ObjectRequest& request) const override {
    auto api = co_await reader_.kubernetes(input.cluster, context.deadline);
    if (!api) co_return fail(api.error());
    co_return co_await apply_object(std::move(*api), objects_of(input, request.maker), request.ref,
                                    request.force, context.deadline);
  }

 private:
  ComponentReader reader_;
  RemoveObjects undo_;
};

}  // namespace

Decision choose_objects(const std::string& operation_id, const ObjectsInput& input, const ObjectsSeen& seen,
                        const History& history) {
  if (!seen.copies.empty()) return Blocked{other_copy(seen.copies)};
  for (const auto& object : seen.objects) {
    if (auto decision = choose_object(operation_id, input, object, history)) return std::move(*decision);
  }
  Done done;
  json::array made;
  for (const auto& object : seen.objects) {
    if (object.maker != operation_id) continue;
    done.owned.push_back(resource_of(object.ref));
    made.emplace_back(object.ref);
  }
  const auto* component = find_component(input.component);
  const bool waits = component && component->needs_nodes && !seen.nodes;
  done.output = json::object{{"component", input.component},
                             {"state", waits ? "waiting_for_nodes" : "applied"},
                             {"made", std::move(made)}};
  return done;
}

Decision choose_removal(const std::string& operation_id, const ObjectsSeen& seen, const History& history) {
  // Backwards: a binding goes before the role that it names.
  for (const auto& object : std::vector<ObjectSeen>(seen.objects.rbegin(), seen.objects.rend())) {
    if (!object.exists || object.maker != operation_id) continue;
    if (object.going) return Wait{k_poll, fmt::format("{} is being deleted", object.ref)};
    if (seen.occupied && object.ref.starts_with("namespaces/")) {
      if (history.since_start < k_pods_end) return Wait{k_poll, "Waiting for its pods to end"};
      return Blocked{{.code = std::string(codes::conflict),
                      .message = fmt::format("{} still holds pods, which would go with it.", object.ref)}};
    }
    return Act{.request = encode(ObjectRequest{.ref = object.ref, .maker = operation_id}),
               .repeat = Repeat::observe};
  }
  Done done{.output = json::object()};
  for (const auto& object : seen.objects) {
    if (!object.exists) done.removed.push_back(resource_of(object.ref));
  }
  return done;
}

std::unique_ptr<const operations::StepKind> objects_step(ComponentReader reader) {
  return std::make_unique<ApplyObjects>(reader);
}

}  // namespace instantstart::capabilities
