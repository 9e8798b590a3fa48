// A step: observe → decide → act → observe, until it is done.
//
// `observe` reads the real world. `decide` is a pure function of the input and what was seen, tested as a
// table. `act` is one side effect. The engine makes "about to act" durable, with the token, before `act`, and
// the receipt before it observes again; so a crash at any instant, a lost reply or a caller's retry can't
// repeat a mutation.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <boost/json/value.hpp>

#include "base/decode.h"
#include "contract/plan.h"
#include "net/task.h"
#include "net/time.h"
#include "operations/operation.h"

namespace instantstart::operations {

/// What may be done when it is not known whether an act ran (the reply was lost, the process died).
enum class Repeat {
  with_token,  ///< The API keeps a token: the same call with the same token is safe at once.
  observe,     ///< Its result is found by a unique name or tag: wait until the call can't land any more,
               ///< observe, decide.
  ask,         ///< Neither: the operation stops in needs_input, nothing is sent again by itself.
};

/// Something that the act will make. It is in the inventory before the act is sent.
struct Resource {
  std::string type;  ///< "ec2:subnet"
  std::string name;  ///< Enough to find it again.
};

struct Done {
  json::value output;  ///< For later steps and the caller; never a secret.
  /// What is proven to be ours now; it may name more exactly what was owed. What was owed and is not named
  /// here is struck off the inventory: it was never made, or it belongs to somebody else.
  std::vector<Resource> owned;
  /// What is proven to be gone, whichever operation on the same thing (the first two parts of the subject,
  /// "cluster/a") made it: struck off the inventory too.
  std::vector<Resource> removed;
};
struct Act {
  /// Handed to `act` as it is; stored, so never a secret. Equal requests mean the same act: after a lost
  /// reply the stored one is repeated, so it must not hold times or random values.
  json::value request;
  Repeat repeat = Repeat::observe;
  std::vector<Resource> makes;
  /// How long the call may take; with the engine's settle time, how long an unknown outcome waits. `act` must
  /// return by then: a little later it is cancelled, and its outcome counts as unknown.
  milliseconds deadline{30'000};
  /// Longer than the engine's own, where an API is slow to show what it did (IAM and tags: 30 s).
  std::optional<milliseconds> settle;
};
struct Wait {
  milliseconds after;  ///< Divided by the engine's pace.
  std::string progress;
};
struct Blocked {
  Error error;  ///< "name_taken" with the differences: untouched until something changes outside.
};
struct Fail {
  Error error;
};
struct Ask {
  Question question;
};
using Decision = std::variant<Done, Act, Wait, Blocked, Fail, Ask>;

/// What happened to this step so far; all of it is durable.
struct History {
  std::int64_t acts = 0;  ///< Acts that were sent.
  /// What the first observe saw, before anything was sent: whatever existed then is not ours.
  std::optional<json::value> before;
  std::optional<json::value> receipt;  ///< What the last accepted act answered: it is ours.
  std::optional<Error> act_error;      ///< How the last act failed, when it failed for certain.
  /// The last act may or may not have run. It can't run any more, unless its Repeat is `with_token`: then it
  /// still may, and answering Act with the same request repeats it safely.
  bool outcome_unknown = false;
  std::optional<std::string> choice;  ///< The answer to the last question.
  /// operation_retry came after the last act was sent: what it led to was looked at, and may be tried anew.
  bool asked_again = false;
  /// Since the last act was sent, and since the step began. Multiplied by the pace, so that a limit holds for
  /// a world that runs faster.
  milliseconds since_act{};
  milliseconds since_start{};
};

/// What a step may use while it runs. References live as long as the call.
struct StepContext {
  std::string operation_id;  ///< Goes into tags as proof of ownership.
  std::string step_id;
  std::string subject;
  std::string principal;
  std::string token;  ///< The idempotency token of this act: equal on every repeat of it.
  /// What the last accepted act of this step answered (of the step that is undone, for an undo): how to find
  /// again what has no name of its own.
  std::optional<json::value> receipt;
  net::Deadline deadline;
  std::function<const json::value*(std::string_view step_id)> output;  ///< Of an earlier step, or nullptr.
};

/// The untyped face that the engine drives.
class StepKind {
 public:
  virtual ~StepKind() = default;

  virtual std::string_view name() const = 0;
  virtual Task<json::value> observe(const StepContext& context, const json::object& input) const = 0;
  virtual Decision decide(const StepContext& context, const json::object& input, const json::value& seen,
                          const History& history) const = 0;
  /// The error says what is known: `unknown_outcome`, or `deadline_exceeded` whose detail "sent" is not
  /// false: it may have run. Any other code: it certainly did not; `retryable` ones are tried again by the
  /// engine.
  virtual Task<json::value> act(const StepContext& context, const json::object& input,
                                const json::value& request) const = 0;

  /// The step that takes this one's result away, run with the same input and this step's output under the id
  /// of this step; nullptr when there is nothing to undo or it can't be undone.
  virtual const StepKind* undo() const { return nullptr; }
};

/// What step authors derive from: the same, with described types instead of JSON.
///
///   class CreateRole final : public Step<CreateRoleInput, RoleSeen, CreateRoleRequest> { … };
template <class Input, class Seen, class Request>
class Step : public StepKind {
 public:
  virtual Task<Seen> look(const StepContext& context, const Input& input) const = 0;
  virtual Decision choose(const StepContext& context, const Input& input, const Seen& seen,
                          const History& history) const = 0;
  virtual Task<json::value> send(const StepContext& context, const Input& input,
                                 const Request& request) const = 0;

  Task<json::value> observe(const StepContext& context, const json::object& input) const final {
    auto typed = decode<Input>(input);
    if (!typed) co_return std::unexpected(typed.error());
    auto seen = co_await look(context, *typed);
    if (!seen) co_return std::unexpected(seen.error());
    co_return encode(*seen);
  }
  Decision decide(const StepContext& context, const json::object& input, const json::value& seen,
                  const History& history) const final {
    auto typed = decode<Input>(input);
    if (!typed) return Fail{typed.error()};
    auto typed_seen = decode<Seen>(seen);
    if (!typed_seen) return Fail{typed_seen.error()};
    return choose(context, *typed, *typed_seen, history);
  }
  Task<json::value> act(const StepContext& context, const json::object& input,
                        const json::value& request) const final {
    auto typed = decode<Input>(input);
    if (!typed) co_return std::unexpected(typed.error());
    auto typed_request = decode<Request>(request);
    if (!typed_request) co_return std::unexpected(typed_request.error());
    co_return co_await send(context, *typed, *typed_request);
  }
};

}  // namespace instantstart::operations
