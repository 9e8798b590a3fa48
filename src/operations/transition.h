// The changes of a step's record, as values: each function says what the record is afterwards, what goes into
// the inventory and which event tells it. Nothing is written here.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "operations/next_move.h"
#include "operations/policy.h"
#include "operations/step_record.h"

namespace instantstart::operations {

struct EventDraft {
  std::string_view kind;  ///< "step_acting"
  std::string message;
  json::object detail;
};

enum class ChangeKind {
  intent,   ///< Refused when the operation is being cancelled.
  receipt,  ///< What is known of the act; another look follows at once, so the operation stays running.
  other,
};

struct StepChange {
  ChangeKind kind = ChangeKind::other;
  StepRecord record;  ///< As it is afterwards, with the version that it is worked out from.
  std::optional<EventDraft> event;
  std::vector<Resource> owes;  ///< Into the inventory before they exist.
  bool finishes = false;  ///< Then `owned` replaces what the step owed, and `removed` leaves the inventory.
  std::vector<Resource> owned;
  std::vector<Resource> removed;
};

/// An observe that led to a change: it began the step if nothing did before.
struct Looked {
  std::string seen;  ///< JSON; only looked at when nothing was seen before.
  WallTime at;
  bool settled = true;  ///< It began when no act could land any more.
};

StepChange to_send(const StepRecord& step, const Send& send, const Looked& looked, const Pace& pace,
                   milliseconds engine_settle);
StepChange act_accepted(const StepRecord& step, const json::value& receipt, WallTime now);
/// `wake` is when it looks again.
StepChange act_refused(const StepRecord& step, const Error& error, milliseconds wake, WallTime now);
StepChange act_lost(const StepRecord& step, const Error& error, milliseconds wake, WallTime now);

StepChange to_finish(const StepRecord& step, Done done, const Looked& looked);
StepChange to_park(const StepRecord& step, const Park& park, const Looked& looked);
StepChange to_stop(const StepRecord& step, const Stop& stop, WallTime now,
                   const std::optional<Looked>& looked);
/// The observe failed and is tried again.
StepChange look_failed(const StepRecord& step, const Error& error, milliseconds wake, WallTime now);
/// Of an operation that is being cancelled: looked when the act could not land any more, and left as it is.
StepChange to_settle(const StepRecord& step, const std::optional<Looked>& looked);

/// True when parking shows something new, so that it must be written; else the wake-up is kept in memory.
bool park_is_news(const StepRecord& step, const Park& park, const Looked& looked);

}  // namespace instantstart::operations
