#include "operations/operation.h"

#include "contract/answers.h"

namespace instantstart::operations {

bool is_terminal(OperationState state) {
  return state == OperationState::succeeded || state == OperationState::failed ||
         state == OperationState::cancelled;
}

bool is_at_rest(OperationState state) {
  return is_terminal(state) || state == OperationState::needs_input ||
         state == OperationState::waiting_approval;
}

bool subjects_overlap(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  return b.starts_with(a) && (a.size() == b.size() || b[a.size()] == '/');
}

Type describe(OperationState*) {
  using enum OperationState;
  return enum_type<OperationState>(
      "OperationState", "Where an operation stands.",
      {{pending, {"pending", "Accepted; no step has begun."}},
       {running, {"running", "A step acts, or is about to."}},
       {waiting, {"waiting", "Every step that could run waits for the world or for a time."}},
       {needs_input, {"needs_input", "A step asks a question or is blocked; operation_retry lets it go on."}},
       {waiting_approval, {"waiting_approval", "Somebody must approve it first."}},
       {cancelling, {"cancelling", "Stops after the running act, then undoes if asked to."}},
       {succeeded, {"succeeded", "Every step is done."}},
       {failed, {"failed", "A step failed; operation_retry goes on from there."}},
       {cancelled, {"cancelled", "Stopped; what remains is listed under resources."}}});
}

Type describe(StepState*) {
  using enum StepState;
  return enum_type<StepState>(
      "StepState", "Where a step stands.",
      {{pending, {"pending", "Waits for the steps before it, or for its turn."}},
       {acting, {"acting", "Its call is being made, or may have been."}},
       {waiting, {"waiting", "Looked, not there yet; looks again at wake_at."}},
       {needs_input, {"needs_input", "Asks a question."}},
       {blocked, {"blocked", "Can't go on until something outside changes."}},
       {failed, {"failed", "Failed; operation_retry tries again."}},
       {done, {"done", "What it is for holds."}},
       {undoing, {"undoing", "What it made is being removed."}},
       {undone, {"undone", "What it made is gone."}},
       {undo_failed, {"undo_failed", "What it made could not be removed; operation_retry tries again."}}});
}

Type describe(Question::Choice*) {
  return object_type<Question::Choice>(
      "Choice", "One possible answer.",
      {field<&Question::Choice::value>("value", "What operation_retry takes as choice.",
                                       {.examples = {"us-west-2b"}}),
       field<&Question::Choice::doc>("doc", "What it means.")});
}

Type describe(Question*) {
  return object_type<Question>(
      "Question", "What only a person, or an agent with authority, can decide.",
      {field<&Question::text>("text", "The question.",
                              {.examples = {"No capacity in us-west-2a. Where else?"}}),
       field<&Question::choices>("choices", "The possible answers.", {.defaulted = true})});
}

Type describe(StepView*) {
  return object_type<StepView>(
      "StepView", "A step of an operation.",
      {field<&StepView::id>("id", "Unique in the operation.", {.examples = {"group/workers"}}),
       field<&StepView::kind>("kind", "The step kind that executes it."),
       field<&StepView::title>("title", "What it does, in words."),
       field<&StepView::state>("state", "Where it stands."),
       field<&StepView::after>("after", "Ids of the steps that must be done before.", {.defaulted = true}),
       field<&StepView::progress>("progress", "How far it is, in words.",
                                  {.examples = {"CREATE_IN_PROGRESS, 12 of 31 resources"}}),
       field<&StepView::acts>("acts", "How often its side effect was sent; 0 and done: it held already."),
       field<&StepView::started_at>("started_at", "When it began.", {.rule = {.format = "date-time"}}),
       field<&StepView::finished_at>("finished_at", "When it was done or failed.",
                                     {.rule = {.format = "date-time"}}),
       field<&StepView::wake_at>("wake_at", "When it looks again.", {.rule = {.format = "date-time"}}),
       field<&StepView::child_operation_id>("child_operation_id", "The operation that it runs."),
       field<&StepView::question>("question", "What it asks."),
       field<&StepView::error>("error", "Why it stopped.")});
}

Type describe(ResourceView*) {
  return object_type<ResourceView>(
      "ResourceView", "Something that an operation made.",
      {field<&ResourceView::type>("type", "What it is.", {.examples = {"cloudformation:stack"}}),
       field<&ResourceView::name>("name", "What finds it: a name, an ARN, namespace/name."),
       field<&ResourceView::state>(
           "state", "owed: it may exist and its clean-up is owed; owned: it exists; removed: it is gone."),
       field<&ResourceView::step_id>("step_id", "The step that made it."),
       field<&ResourceView::reason>("reason", "Of a cancelled operation: why it remains.")});
}

Type describe(OperationView*) {
  return object_type<OperationView>(
      "OperationView", "A durable change with its steps.",
      {field<&OperationView::id>("id", "The operation."),
       field<&OperationView::kind>("kind", "What it does.", {.examples = {"control_plane_create"}}),
       field<&OperationView::subject>("subject", "What it works on.", {.examples = {"cluster/a"}}),
       field<&OperationView::summary>("summary", "Its plan in one sentence."),
       field<&OperationView::state>("state", "Where it stands."),
       field<&OperationView::started_by>("started_by", "The principal that started it."),
       field<&OperationView::parent_id>("parent_id", "The operation that runs it as one of its steps."),
       field<&OperationView::created_at>("created_at", "When it was accepted.",
                                         {.rule = {.format = "date-time"}}),
       field<&OperationView::updated_at>("updated_at", "When it last changed.",
                                         {.rule = {.format = "date-time"}}),
       field<&OperationView::finished_at>("finished_at", "When it ended.", {.rule = {.format = "date-time"}}),
       field<&OperationView::cancel_requested>("cancel_requested", "Somebody cancelled it."),
       field<&OperationView::steps>("steps", "Its steps, in the order of the plan."),
       field<&OperationView::resources>(
           "resources", "What it and its children made; after a cancel, what remains.", {.defaulted = true}),
       field<&OperationView::outputs>("outputs", "What its steps found or made, by step id.",
                                      {.defaulted = true}),
       field<&OperationView::error>("error", "Why it failed."),
       field<&OperationView::next>("next", "Actions that may follow, ready to be sent.",
                                   {.defaulted = true})});
}

Type describe(OperationSummary*) {
  return object_type<OperationSummary>(
      "OperationSummary", "A line of a list of operations.",
      {field<&OperationSummary::id>("id", "The operation."),
       field<&OperationSummary::kind>("kind", "What it does."),
       field<&OperationSummary::subject>("subject", "What it works on."),
       field<&OperationSummary::summary>("summary", "Its plan in one sentence."),
       field<&OperationSummary::state>("state", "Where it stands."),
       field<&OperationSummary::started_by>("started_by", "The principal that started it."),
       field<&OperationSummary::created_at>("created_at", "When it was accepted.",
                                            {.rule = {.format = "date-time"}}),
       field<&OperationSummary::finished_at>("finished_at", "When it ended.",
                                             {.rule = {.format = "date-time"}}),
       field<&OperationSummary::steps_done>("steps_done", "Steps that are done."),
       field<&OperationSummary::steps_total>("steps_total", "All its steps.")});
}

}  // namespace instantstart::operations
