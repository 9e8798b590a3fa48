// One step as the journal keeps it: everything that must survive the process.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/describe.h"
#include "base/time.h"
#include "operations/kind.h"
#include "operations/step.h"

namespace instantstart::operations {

/// A step that is undone has a second record with a life of its own: same step, other direction.
enum class Phase { forward, undo };

/// What is known about the last act that was sent.
enum class Outcome {
  none,      ///< None was sent, or a person said that the last one did not happen.
  sent,      ///< The intent is durable; nothing is known yet.
  accepted,  ///< It answered; that is the receipt.
  refused,   ///< It certainly did not run.
  unknown,   ///< It may have run. Stays so until a repeat with the same token is accepted or another act is
             ///< sent.
};

struct StepKey {
  Phase phase = Phase::forward;
  std::string id;

  auto operator<=>(const StepKey&) const = default;
};

/// Members that hold JSON hold it as text: most of them are written and read back untouched.
struct StepRecord {
  // What the plan says.
  std::string id;
  Phase phase = Phase::forward;
  std::string kind;  ///< For an undo too: the kind whose `undo` it is.
  std::string title;
  std::vector<std::string> after;  ///< Of an undo: not used, its order follows from the forward steps.
  std::string input;               ///< JSON object

  // Where it stands. Never undoing, undone or undo_failed: that is how an undo record is shown.
  StepState state = StepState::pending;
  std::int64_t version = 0;  ///< Counts changes; a change that was worked out from an older one is refused.
  std::int64_t generation = 0;    ///< Of the token.
  std::int64_t acts = 0;          ///< Intents to send.
  std::int64_t attempts = 0;      ///< Acts in a row with the same request.
  std::int64_t failed_looks = 0;  ///< Observes in a row that failed.
  Outcome outcome = Outcome::none;
  bool settled = true;  ///< False: the last act may still land, or nobody has looked since it no longer can.
  Repeat repeat = Repeat::observe;
  milliseconds deadline{};  ///< Of the last act, in real time.
  milliseconds settle{};    ///< After that deadline, in real time.
  std::optional<WallTime> sent_at;
  std::optional<WallTime> started_at;
  std::optional<WallTime> finished_at;
  std::optional<WallTime> wake_at;
  milliseconds
      wait{};  ///< What wake_at was from when it was written: a clock that jumps can't make it longer.

  std::optional<std::string> progress;
  std::optional<std::string> choice;
  std::optional<std::string> before;     ///< JSON
  std::optional<std::string> request;    ///< JSON, canonical: it is compared
  std::optional<std::string> receipt;    ///< JSON
  std::optional<std::string> act_error;  ///< JSON of Error
  std::optional<std::string> output;     ///< JSON
  std::optional<std::string> question;   ///< JSON of Question
  std::optional<std::string> error;      ///< JSON of Error

  StepKey key() const { return {phase, id}; }
  bool unsettled() const { return outcome == Outcome::unknown && !settled; }
};

Type describe(Phase*);
Type describe(Outcome*);
Type describe(Repeat*);
Type describe(Scope*);

/// The stored text of an enumeration with a table.
template <class E>
std::string_view text_of(E value) {
  for (const auto& entry : type_of<E>().values) {
    if (entry.value == static_cast<std::int64_t>(value)) return entry.name;
  }
  return {};
}

/// The way back. Throws for a text that we never wrote: a broken invariant.
std::int64_t enum_value(const Type& type, std::string_view text);

template <class E>
E enum_of(std::string_view text) {
  return static_cast<E>(enum_value(type_of<E>(), text));
}

/// JSON that we wrote ourselves. Throws when it is none: a broken invariant.
json::value parse_stored(std::string_view text);

std::string error_text(const Error& error);
Error error_of(std::string_view text);

}  // namespace instantstart::operations
