#include "operations/child_operation.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/error_codes.h"

namespace instantstart::operations {

Type describe(ChildSeen*) {
  return object_type<ChildSeen>(
      "ChildSeen", "A child as its parent's step sees it.",
      {field<&ChildSeen::id>("id", "The operation."), field<&ChildSeen::kind>("kind", "What it does."),
       field<&ChildSeen::token>("token", "Of the act that started it."),
       field<&ChildSeen::state>("state", "Where it stands."),
       field<&ChildSeen::rollback>("rollback", "It is or was undone."),
       field<&ChildSeen::steps_done>("steps_done", "Steps that are done."),
       field<&ChildSeen::steps_total>("steps_total", "All its steps."),
       field<&ChildSeen::question>("question", "What it asks."),
       field<&ChildSeen::error>("error", "Why it stopped."),
       field<&ChildSeen::outputs>("outputs", "What its steps found or made.", {.defaulted = true})});
}

Type describe(PlannedChild*) {
  return object_type<PlannedChild>(
      "PlannedChild", "The operation that a step runs.",
      {field<&PlannedChild::plan>("plan", "What it does."),
       field<&PlannedChild::input>("input", "The request behind it.", {.defaulted = true})});
}

namespace {

/// A child wakes its parent when it ends or asks; this is for progress.
constexpr milliseconds k_poll{30'000};

/// What a step sees that plans its child late: a plan only while there is no child.
struct LateSeen {
  std::vector<ChildSeen> children;
  std::optional<PlannedChild> planned;
  std::optional<Error> error;
};
Type describe(LateSeen*) {
  return object_type<LateSeen>("LateSeen", "The children of a step, or the plan of the first.",
                               {field<&LateSeen::children>("children", "Oldest first.", {.defaulted = true}),
                                field<&LateSeen::planned>("planned", "What is to be started."),
                                field<&LateSeen::error>("error", "Why it can't be planned.")});
}

struct RollBackRequest {
  std::vector<std::string> ids;
};
Type describe(RollBackRequest*) {
  return object_type<RollBackRequest>("RollBackRequest", "The children to undo.",
                                      {field<&RollBackRequest::ids>("ids", "Their ids.")});
}

std::string progress_of(const ChildSeen& child) {
  return fmt::format("{} of {} steps", child.steps_done, child.steps_total);
}

Error why_not(const ChildSeen& child, std::string_view otherwise) {
  if (child.error) return within(child.kind, *child.error);
  return {.code = std::string(otherwise), .message = fmt::format("{} has stopped.", child.kind)};
}

Decision what_it_asks(const ChildSeen& child) {
  if (child.question) return Ask{*child.question};
  return Blocked{why_not(child, codes::blocked)};
}

const ChildSeen* child_of(const std::vector<ChildSeen>& seen, const std::string& token) {
  const auto mine = std::ranges::find(seen, token, &ChildSeen::token);
  return mine == seen.end() ? nullptr : &*mine;
}

Act start_child(const StepContext& context, json::value request) {
  return {.request = std::move(request),
          .repeat = Repeat::with_token,
          .makes = {{std::string(k_child_resource), context.operation_id + "/" + context.step_id}}};
}

Decision follow(const ChildSeen& mine) {
  switch (mine.state) {
    case OperationState::succeeded:
      return Done{.output = mine.outputs, .owned = {{std::string(k_child_resource), mine.id}}};
    case OperationState::failed: return Fail{why_not(mine, codes::internal)};
    case OperationState::cancelled:
      return Fail{{.code = std::string(codes::cancelled), .message = mine.kind + " was cancelled."}};
    case OperationState::needs_input: return what_it_asks(mine);
    default: return Wait{k_poll, progress_of(mine)};
  }
}

Task<json::value> start(ChildOperations& children, StepContext context, PlannedChild child) {
  journal::Parent parent{context.operation_id, context.step_id, context.token};
  auto started = co_await children.start(std::move(parent), std::move(child.plan), std::move(child.input),
                                         std::move(context.principal));
  if (!started) co_return fail(std::move(started.error()));
  co_return json::value(json::object{});
}

/// Its input is of no interest: what the step started is to be undone, whatever it was.
class RollBackChildren final : public Step<json::object, std::vector<ChildSeen>, RollBackRequest> {
 public:
  explicit RollBackChildren(ChildOperations& children) : children_(children) {}

  std::string_view name() const override { return "roll_back_operation"; }

  Task<std::vector<ChildSeen>> look(const StepContext& context, const json::object&) const override {
    return children_.look(context.operation_id, context.step_id);
  }

  Decision choose(const StepContext&, const json::object&, const std::vector<ChildSeen>& seen,
                  const History&) const override {
    RollBackRequest request;
    for (const auto& child : seen) {
      if (child.state == OperationState::needs_input) return what_it_asks(child);
      if (!is_terminal(child.state)) return Wait{k_poll, "Undoing " + child.kind};
      if (child.state == OperationState::failed && child.rollback)
        return Fail{why_not(child, codes::internal)};
      if (!child.rollback) request.ids.push_back(child.id);
    }
    if (request.ids.empty()) return Done{};
    return Act{.request = encode(request), .repeat = Repeat::with_token};
  }

  Task<json::value> send(const StepContext&, const json::object&,
                         const RollBackRequest& request) const override {
    for (const auto& id : request.ids) {
      auto begun = co_await children_.roll_back(id);
      if (!begun) co_return fail(std::move(begun.error()));
    }
    co_return json::value(json::object{});
  }

 private:
  ChildOperations& children_;
};

class RunOperation final : public Step<PlannedChild, std::vector<ChildSeen>, json::object> {
 public:
  explicit RunOperation(ChildOperations& children) : children_(children), undo_(children) {}

  std::string_view name() const override { return k_child_operation_step; }
  const StepKind* undo() const override { return &undo_; }

  Task<std::vector<ChildSeen>> look(const StepContext& context, const PlannedChild&) const override {
    return children_.look(context.operation_id, context.step_id);
  }

  Decision choose(const StepContext& context, const PlannedChild&, const std::vector<ChildSeen>& seen,
                  const History&) const override {
    const ChildSeen* mine = child_of(seen, context.token);
    return mine == nullptr ? Decision(start_child(context, json::object{})) : follow(*mine);
  }

  Task<json::value> send(const StepContext& context, const PlannedChild& input,
                         const json::object&) const override {
    return start(children_, context, input);
  }

 private:
  ChildOperations& children_;
  RollBackChildren undo_;
};

class PlanAndRunOperation final : public Step<json::object, LateSeen, PlannedChild> {
 public:
  PlanAndRunOperation(ChildOperations& children, std::string name, const ChildPlanner& planner)
      : children_(children), name_(std::move(name)), planner_(planner), undo_(children) {}

  std::string_view name() const override { return name_; }
  const StepKind* undo() const override { return &undo_; }

  Task<LateSeen> look(const StepContext& context, const json::object& input) const override {
    auto children = co_await children_.look(context.operation_id, context.step_id);
    if (!children) co_return fail(std::move(children.error()));
    LateSeen seen{.children = std::move(*children)};
    if (child_of(seen.children, context.token) != nullptr) co_return seen;
    auto planned = co_await planner_(context, input);
    if (planned) {
      seen.planned = std::move(*planned);
    } else if (planned.error().retryable) {
      co_return fail(std::move(planned.error()));
    } else {
      seen.error = std::move(planned.error());
    }
    co_return seen;
  }

  Decision choose(const StepContext& context, const json::object&, const LateSeen& seen,
                  const History&) const override {
    if (const ChildSeen* mine = child_of(seen.children, context.token)) return follow(*mine);
    if (!seen.planned) {
      return Fail{seen.error.value_or(
          Error{.code = std::string(codes::internal), .message = "There is neither a plan nor a reason."})};
    }
    if (!seen.planned->plan.steps.empty()) return start_child(context, encode(*seen.planned));
    Done done{.output = json::object{}};
    // Those before a retry have made something, it may be.
    for (const auto& child : seen.children) done.owned.push_back({std::string(k_child_resource), child.id});
    return done;
  }

  Task<json::value> send(const StepContext& context, const json::object&,
                         const PlannedChild& request) const override {
    return start(children_, context, request);
  }

 private:
  ChildOperations& children_;
  std::string name_;
  const ChildPlanner& planner_;
  RollBackChildren undo_;
};

}  // namespace

ChildStepKinds child_step_kinds(ChildOperations& children, const KindRegistry& registry) {
  ChildStepKinds kinds;
  kinds.emplace(k_child_operation_step, std::make_unique<RunOperation>(children));
  for (const auto& [name, planner] : registry.child_planners()) {
    kinds.emplace(name, std::make_unique<PlanAndRunOperation>(children, name, planner));
  }
  return kinds;
}

}  // namespace instantstart::operations
