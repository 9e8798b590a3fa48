// An operation: a durable change with its steps, as callers see it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "base/describe.h"
#include "base/error.h"
#include "base/time.h"
#include "contract/plan.h"

namespace instantstart::operations {

enum class OperationState {
  pending,  ///< Accepted, no step has begun.
  running,
  waiting,      ///< Every step that could run waits for the world or for a time.
  needs_input,  ///< A step asks (operation_retry with a choice) or is blocked (operation_retry looks again).
  waiting_approval,
  cancelling,  ///< Stops after the running act, then undoes if asked to.
  succeeded,
  failed,
  cancelled,
};

bool is_terminal(OperationState state);
/// True when it goes no further by itself: it has ended, or somebody must answer, approve or look after it.
bool is_at_rest(OperationState state);

enum class StepState {
  pending,  ///< Waits for the steps before it, or for its turn.
  acting,   ///< The intent is durable; the act may have been sent.
  waiting,  ///< Observed, not there yet; looks again at `wake_at`.
  needs_input,
  blocked,  ///< Can't go on until something outside changes; operation_retry looks again.
  failed,
  done,
  undoing,
  undone,
  undo_failed,
};

/// A question that only a person, or an agent with authority, can decide.
struct Question {
  std::string text;  ///< "No capacity in us-west-2a. Where else?"
  struct Choice {
    std::string value;  ///< What operation_retry takes: "us-west-2b"
    std::string doc;
  };
  std::vector<Choice> choices;
};

struct StepView {
  std::string id;
  std::string kind;
  std::string title;
  StepState state = StepState::pending;
  std::vector<std::string> after;
  std::optional<std::string> progress;  ///< In words: "CREATE_IN_PROGRESS, 12 of 31 resources"
  std::int64_t acts = 0;                ///< How often its side effect was sent. 0 and done: it held already.
  std::optional<std::string> started_at;  ///< RFC 3339
  std::optional<std::string> finished_at;
  std::optional<std::string> wake_at;  ///< When it looks again.
  std::optional<std::string> child_operation_id;
  std::optional<Question> question;
  std::optional<Error> error;
};

/// Something that an operation made, from before it was made until it is gone.
struct ResourceView {
  std::string type;   ///< "cloudformation:stack", "kubernetes:daemonset"
  std::string name;   ///< What finds it: a name, an ARN, namespace/name.
  std::string state;  ///< "owed": may exist, its clean-up is owed; "owned": it exists and is ours; "removed".
  std::string step_id;
  std::optional<std::string> reason;  ///< Of a cancelled operation: why it remains.
};

struct OperationView {
  std::string id;
  std::string kind;
  std::string subject;
  std::string summary;
  OperationState state = OperationState::pending;
  std::string started_by;  ///< Principal
  std::optional<std::string> parent_id;
  std::string created_at;
  std::string updated_at;
  std::optional<std::string> finished_at;
  bool cancel_requested = false;
  std::vector<StepView> steps;
  std::vector<ResourceView> resources;  ///< What it and its children made; after a cancel, what remains.
  boost::json::object outputs;          ///< By step id, when they are done.
  std::optional<Error> error;
  std::vector<NextAction> next;
};

/// A line of a list.
struct OperationSummary {
  std::string id;
  std::string kind;
  std::string subject;
  std::string summary;
  OperationState state = OperationState::pending;
  std::string started_by;
  std::string created_at;
  std::optional<std::string> finished_at;
  std::int64_t steps_done = 0;
  std::int64_t steps_total = 0;
};

Type describe(OperationState*);
Type describe(StepState*);
Type describe(Question::Choice*);
Type describe(Question*);
Type describe(StepView*);
Type describe(ResourceView*);
Type describe(OperationView*);
Type describe(OperationSummary*);

/// True when one path contains the other: "cluster/a" and "cluster/a/group/g", but not "cluster/a" and
/// "cluster/ab".
bool subjects_overlap(std::string_view a, std::string_view b);

}  // namespace instantstart::operations

namespace instantstart {
/// As it is stored and shown inside an operation.
Type describe(Error*);
}  // namespace instantstart
