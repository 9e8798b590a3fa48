#include "operations/views.h"

#include <algorithm>
#include <map>
#include <set>

namespace instantstart::operations {
namespace {

constexpr std::int64_t k_wait_seconds = 45;

std::optional<std::string> text_time(const std::optional<WallTime>& time) {
  if (!time) return std::nullopt;
  return to_rfc3339(*time);
}

std::optional<Question> question_of(const StepRecord& step) {
  if (!step.question) return std::nullopt;
  auto question = decode<Question>(parse_stored(*step.question));
  if (!question) return std::nullopt;
  return std::move(*question);
}

StepState shown_state(const StepRecord& forward, const StepRecord* undo) {
  if (undo == nullptr) return forward.state;
  switch (undo->state) {
    case StepState::done: return StepState::undone;
    case StepState::failed: return StepState::undo_failed;
    case StepState::needs_input:
    case StepState::blocked: return undo->state;
    default: return StepState::undoing;
  }
}

StepView step_view(const StepRecord& forward, const StepRecord* undo, bool operation_is_active) {
  const StepRecord& now = undo == nullptr ? forward : *undo;
  StepView view{.id = forward.id,
                .kind = forward.kind,
                .title = forward.title,
                .state = shown_state(forward, undo),
                .after = forward.after,
                .acts = forward.acts,
                .started_at = text_time(forward.started_at),
                .finished_at = text_time(now.finished_at),
                .question = question_of(now)};
  if (operation_is_active) {
    view.progress = now.progress;
    view.wake_at = text_time(now.wake_at);
  }
  if (now.error) view.error = error_of(*now.error);
  return view;
}

class ViewMaker {
 public:
  ViewMaker(const ViewSource& source, const std::set<std::string>& kinds_with_undo)
      : source_(source), operation_(source.loaded.operation), kinds_with_undo_(kinds_with_undo) {}

  OperationView make() const {
    OperationView view{.id = operation_.id,
                       .kind = operation_.kind,
                       .subject = operation_.subject,
                       .summary = operation_.summary,
                       .state = operation_.state,
                       .started_by = operation_.principal,
                       .parent_id = operation_.parent_id,
                       .created_at = to_rfc3339(operation_.created_at),
                       .updated_at = to_rfc3339(operation_.updated_at),
                       .finished_at = text_time(operation_.finished_at),
                       .cancel_requested = operation_.cancel_requested,
                       .outputs = outputs_of(source_.loaded)};
    add_steps(view);
    for (const auto& resource : source_.resources) {
      if (resource.type != k_child_resource) view.resources.push_back(resource_view(resource));
    }
    const StepRecord* step = step_in_question(source_.loaded);
    const bool says_why =
        operation_.state == OperationState::failed || operation_.state == OperationState::needs_input;
    if (says_why && step != nullptr && step->error) view.error = error_of(*step->error);
    view.next = next_actions(view);
    return view;
  }

 private:
  const StepRecord* undo_of(const std::string& id) const {
    const auto& steps = source_.loaded.steps;
    const auto found = std::ranges::find(steps, StepKey{Phase::undo, id}, &StepRecord::key);
    return found == steps.end() ? nullptr : &*found;
  }

  void add_steps(OperationView& view) const {
    for (const auto& step : source_.loaded.steps) {
      if (step.phase != Phase::forward) continue;
      auto shown = step_view(step, undo_of(step.id), operation_.active);
      for (const auto& child : source_.children) {
        if (child.step_id == step.id) shown.child_operation_id = child.id;  // The newest stands last.
      }
      view.steps.push_back(std::move(shown));
    }
  }

  ResourceView resource_view(const journal::StoredResource& resource) const {
    ResourceView view{
        .type = resource.type, .name = resource.name, .state = resource.state, .step_id = resource.step_id};
    if (resource.state != "removed" && operation_.cancel_requested && !operation_.active) {
      view.reason = why_it_remains(resource);
    }
    return view;
  }

  std::string why_it_remains(const journal::StoredResource& resource) const {
    if (resource.operation_id != operation_.id)
      return "An operation that this one started made it: look there.";
    if (const StepRecord* undo = undo_of(resource.step_id)) {
      if (undo->error) return error_of(*undo->error).message;
      if (undo->state != StepState::done) return "What was made after it could not be removed.";
    }
    const auto& steps = source_.loaded.steps;
    const auto made_by =
        std::ranges::find(steps, StepKey{Phase::forward, resource.step_id}, &StepRecord::key);
    if (made_by != steps.end() && !kinds_with_undo_.contains(made_by->kind)) {
      return "The step that made it has no undo: remove it yourself.";
    }
    return "The operation was cancelled without rollback.";
  }

  json::object arguments() const { return {{"operation_id", operation_.id}}; }

  std::vector<NextAction> next_actions(const OperationView& view) const {
    switch (operation_.state) {
      case OperationState::succeeded: return {};
      case OperationState::failed: return after_failure(view);
      case OperationState::needs_input: return answers();
      case OperationState::cancelled: return after_cancel(view);
      default:
        auto wait = arguments();
        wait["wait_seconds"] = k_wait_seconds;
        return {{"operation_get", std::move(wait), "Follow it until it has ended or asks something."}};
    }
  }

  static bool something_remains(const OperationView& view) {
    return std::ranges::any_of(view.resources,
                               [](const auto& resource) { return resource.state != "removed"; });
  }

  NextAction roll_back(std::string why) const {
    auto with_rollback = arguments();
    with_rollback["rollback"] = true;
    return {"operation_cancel", std::move(with_rollback), std::move(why)};
  }

  std::vector<NextAction> after_failure(const OperationView& view) const {
    std::vector<NextAction> next{
        {"operation_retry", arguments(), "Go on where it stopped, once the reason is gone."}};
    if (something_remains(view)) next.push_back(roll_back("Give up and remove what it made."));
    return next;
  }

  std::vector<NextAction> after_cancel(const OperationView& view) const {
    // After a rollback the reasons stand beside what remains: trying again would end the same way.
    if (operation_.rollback || !something_remains(view)) return {};
    return {roll_back("Remove what it made, see resources.")};
  }

  std::vector<NextAction> answers() const {
    std::vector<NextAction> next;
    const Phase phase = operation_.cancel_requested ? Phase::undo : Phase::forward;
    for (const auto& step : source_.loaded.steps) {
      if (step.phase != phase) continue;
      auto retry = arguments();
      retry["step_id"] = step.id;
      if (step.state == StepState::blocked) {
        next.push_back({"operation_retry", retry, "Look again, once the reason is gone."});
      }
      if (step.state != StepState::needs_input) continue;
      const auto question = question_of(step);
      for (const auto& choice : question ? question->choices : std::vector<Question::Choice>{}) {
        auto answer = retry;
        answer["choice"] = choice.value;
        next.push_back({"operation_retry", std::move(answer), choice.doc});
      }
    }
    return next;
  }

  const ViewSource& source_;
  const OperationRecord& operation_;
  const std::set<std::string>& kinds_with_undo_;
};

}  // namespace

const StepRecord* step_in_question(const LoadedOperation& operation) {
  const Phase phase = operation.operation.cancel_requested ? Phase::undo : Phase::forward;
  const StepRecord* found = nullptr;
  for (const auto& step : operation.steps) {
    if (step.phase != phase) continue;
    if (step.state == StepState::failed) return &step;
    const bool stands = step.state == StepState::needs_input || step.state == StepState::blocked;
    if (stands && found == nullptr) found = &step;
  }
  return found;
}

json::object outputs_of(const LoadedOperation& operation) {
  json::object outputs;
  for (const auto& step : operation.steps) {
    if (step.phase == Phase::forward && step.output) outputs[step.id] = parse_stored(*step.output);
  }
  return outputs;
}

OperationView view_of(const ViewSource& source, const std::set<std::string>& kinds_with_undo) {
  return ViewMaker(source, kinds_with_undo).make();
}

}  // namespace instantstart::operations
