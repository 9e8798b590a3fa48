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

namespace {

/// A child wakes its parent when it ends or asks; this is for progress.
constexpr milliseconds k_poll{30'000};

struct ChildInput {
  contract::Plan plan;
  json::object input;
};
Type describe(ChildInput*) {
  return object_type<ChildInput>(
      "ChildInput", "The operation that a step runs.",
      {field<&ChildInput::plan>("plan", "What it does."),
       field<&ChildInput::input>("input", "The request behind it.", {.defaulted = true})});
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

class RollBackChildren final : public Step<ChildInput, std::vector<ChildSeen>, RollBackRequest> {
 public:
  explicit RollBackChildren(ChildOperations& children) : children_(children) {}

  std::string_view name() const override { return "roll_back_operation"; }

  Task<std::vector<ChildSeen>> look(const StepContext& context, const ChildInput&) const override {
    return children_.look(context.operation_id, context.step_id);
  }

  Decision choose(const StepContext&, const ChildInput&, const std::vector<ChildSeen>& seen,
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

  Task<json::value> send(const StepContext&, const ChildInput&,
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

class RunOperation final : public Step<ChildInput, std::vector<ChildSeen>, json::object> {
 public:
  explicit RunOperation(ChildOperations& children) : children_(children), undo_(children) {}

  std::string_view name() const override { return k_child_operation_step; }
  const StepKind* undo() const override { return &undo_; }

  Task<std::vector<ChildSeen>> look(const StepContext& context, const ChildInput&) const override {
    return children_.look(context.operation_id, context.step_id);
  }

  Decision choose(const StepContext& context, const ChildInput&, const std::vector<ChildSeen>& seen,
                  const History&) const override {
    const auto mine = std::ranges::find(seen, context.token, &ChildSeen::token);
    if (mine == seen.end()) {
      return Act{.request = json::object{},
                 .repeat = Repeat::with_token,
                 .makes = {{std::string(k_child_resource), context.operation_id + "/" + context.step_id}}};
    }
    switch (mine->state) {
      case OperationState::succeeded:
        return Done{.output = mine->outputs, .owned = {{std::string(k_child_resource), mine->id}}};
      case OperationState::failed: return Fail{why_not(*mine, codes::internal)};
      case OperationState::cancelled:
        return Fail{{.code = std::string(codes::cancelled), .message = mine->kind + " was cancelled."}};
      case OperationState::needs_input: return what_it_asks(*mine);
      default: return Wait{k_poll, progress_of(*mine)};
    }
  }

  Task<json::value> send(const StepContext& context, const ChildInput& input,
                         const json::object&) const override {
    journal::Parent parent{context.operation_id, context.step_id, context.token};
    auto started = co_await children_.start(std::move(parent), input.plan, input.input, context.principal);
    if (!started) co_return fail(std::move(started.error()));
    co_return json::value(json::object{});
  }

 private:
  ChildOperations& children_;
  RollBackChildren undo_;
};

}  // namespace

std::unique_ptr<const StepKind> child_operation_step(ChildOperations& children) {
  return std::make_unique<RunOperation>(children);
}

}  // namespace instantstart::operations
