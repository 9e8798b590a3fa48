// What the engine does about a step's decision. The rules that keep a change from running twice are here, in
// one pure function.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "operations/step_record.h"

namespace instantstart::operations {

/// The step holds.
struct Finish {
  Done done;
};

/// Send the act: first make this durable.
struct Send {
  std::string request;  ///< JSON, canonical. While an outcome is unknown: the one that was sent before.
  Repeat repeat = Repeat::observe;
  std::vector<Resource> makes;
  milliseconds deadline{};  ///< World time, as the step said it.
  std::optional<milliseconds> settle;
  std::int64_t generation = 0;
  std::int64_t attempts = 1;
};

/// Look again later.
struct Park {
  milliseconds after{};  ///< Real time.
  std::string progress;
};

/// Stand still until somebody says operation_retry.
struct Stop {
  StepState state = StepState::failed;  ///< needs_input, blocked, failed
  std::optional<Error> error;
  std::optional<Question> question;
};

using Move = std::variant<Finish, Send, Park, Stop>;

/// What the record alone doesn't tell.
struct Situation {
  /// Real time, counted from before the observe that led to the decision: until an act of unknown outcome
  /// can't land any more; or until an accepted one must be visible.
  milliseconds settle_left{};
  std::int64_t pace = 1;
};

/// Rules, beside passing on what the step decided:
///  * While an act may still land, nothing that depends on its absence happens: no other act, no failing, no
///  question. Only an act
///    with a token may be repeated then, unchanged.
///  * A token changes only when the act before certainly did not run, or is known to have run and another one
///  follows.
///  * What must not be repeated without asking (Repeat::ask) is never sent again while its outcome is
///  unknown, nor after it was
///    accepted: the engine asks.
///  * What was accepted is not sent again before it had time to become visible.
///  * What was refused for good is not sent again unchanged.
Move next_move(const StepRecord& step, Decision decision, const Situation& situation);

/// How an act ended.
enum class ActResult { accepted, refused, unknown };

/// An error that leaves open whether the call ran: `unknown_outcome`, or `deadline_exceeded` that is not said
/// to be unsent.
bool leaves_outcome_open(const Error& error);

/// The answers to the engine's own question about an act that must not be repeated by itself. The value holds
/// the number of the act, so that an answer that comes late, or twice, doesn't answer the next such question.
std::string send_again_choice(const StepRecord& step);
inline constexpr std::string_view k_look_again_choice = "look_again";

}  // namespace instantstart::operations
