// The engine: accepts plans, runs their steps, survives everything. There is no recovery code: after a crash
// the normal claim query finds what is unfinished.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "base/log.h"
#include "base/random.h"
#include "contract/plan.h"
#include "net/task.h"
#include "net/time.h"
#include "operations/kind.h"
#include "operations/operation.h"
#include "store/database.h"

namespace instantstart::operations {

struct EngineOptions {
  /// Divides every wait, poll, settle and cool-down interval; 1 in production.
  std::int64_t pace = 1;
  /// After an unknown outcome: the act's deadline plus this, before the world is believed.
  milliseconds settle{15'000};
  /// Deadlines of acts are divided by the pace too, but not below this: real calls need real time.
  milliseconds least_deadline{1'000};
  milliseconds lease{60'000};
  /// True when a lock on the state directory proves that every earlier owner is dead: leases need not run
  /// out.
  bool sole_owner = true;
  std::size_t parallel_operations = 256;
};

struct StartRequest {
  contract::Plan plan;
  json::object input;  ///< The request that was asked for, as data.
  std::string principal;
  std::optional<std::string> client_token;  ///< Unique within the principal.
};

/// A request before it is planned.
struct AskedRequest {
  std::string kind;
  json::object input;
  std::string principal;
  std::optional<std::string> client_token;
};

struct Started {
  std::string operation_id;
  bool joined = false;    ///< The same request runs already.
  bool replayed = false;  ///< client_token was seen before; the operation may be long finished.
  std::string started_by;
  std::string subject;
};

struct ListFilter {
  std::optional<std::string> subject;  ///< It, or below it.
  std::optional<OperationState> state;
  std::optional<std::string> kind;
  std::int32_t limit = 100;
  std::optional<std::string> cursor;
};

struct OperationPage {
  std::vector<OperationSummary> operations;  ///< Newest first.
  std::optional<std::string> next_cursor;
};

/// One thing that happened, numbered in commit order: a reader with a cursor misses none and sees none twice.
/// Kinds: operation_ started, needs_input, cancelling, succeeded, failed, cancelled; step_ acting, accepted,
/// refused, outcome_unknown, waiting, look_failed, needs_input, blocked, failed, retried, done, undoing,
/// undone.
struct Event {
  std::int64_t sequence = 0;
  std::string operation_id;
  std::string subject;  ///< The operation's: what a reader's rights and topics hang on.
  std::string at;       ///< RFC 3339
  std::string kind;     ///< "step_done"
  std::optional<std::string> step_id;
  std::string message;
  json::object detail;
};
Type describe(Event*);

/// Told of places where a test may kill the process: "after_accept", "before_intent", "after_intent",
/// "before_act", "after_act", "after_receipt", "before_finish". Compiled in, empty in production.
using FaultPoint =
    std::function<void(std::string_view point, std::string_view operation_id, std::string_view step_id)>;

/// Loop thread only. Await `stop` before it is destroyed.
class Engine {
 public:
  Engine(asio::any_io_executor executor, net::Timekeeper& time, Random& random, Log log,
         store::Database& database, const KindRegistry& kinds, EngineOptions options,
         FaultPoint fault_point = {});
  ~Engine();

  static std::span<const store::Migration> migrations();

  /// Claims what is unfinished and begins to run. The database must be migrated.
  Task<> run();
  /// Stops after the running acts; what is unfinished stays for the next owner.
  asio::awaitable<void> stop();

  /// Returns after the operation is durable. Errors: `token_reused` (the client token came with other
  /// values), `operation_conflict` (detail "operation_id": another operation works on this subject),
  /// `internal` for an unsound plan.
  Task<Started> start(StartRequest request);

  /// Whether this was asked before: the operation that the client token began, finished or not, or one that
  /// runs for an equal request. So a repeat needs no new plan, which may look at a world in the middle of the
  /// change. Error `token_reused`.
  Task<std::optional<Started>> find_asked(AskedRequest request);

  /// What a start would answer without starting: the operation that the same request would join or replay, if
  /// any. Errors as `start`; the plan's steps are not looked at.
  Task<std::optional<Started>> find_running(StartRequest request);

  /// With `wait`, returns as soon as there is more to do than to wait (it is finished or needs somebody), or
  /// the time is over.
  Task<OperationView> get(std::string id, milliseconds wait = {});
  Task<OperationPage> list(ListFilter filter);

  /// Lets failed, blocked and asking steps (or one of them) look again. `choice` answers a question.
  /// A step that runs another operation retries that one. Errors: `not_found`, `conflict` when there is
  /// nothing to retry, `operation_conflict` when another operation has begun to work on the subject since,
  /// `invalid_request` for a choice that nobody asked for.
  Task<OperationView> retry(std::string id, std::optional<std::string> step_id,
                            std::optional<std::string> choice);

  /// Immediate. Stops after the running act, and its children with it; with `rollback` undoes what the
  /// inventory says this operation made, in reverse order, and lists what remains. A failed operation may be
  /// cancelled too: that is how it is given up, or undone. `conflict` when it has succeeded. Repeating it is
  /// harmless.
  Task<OperationView> cancel(std::string id, bool rollback);

  /// Events after `cursor` (0: from the beginning), at most `limit`; waits up to `wait` for the first.
  Task<std::vector<Event>> events(std::int64_t cursor, std::optional<std::string> operation_id,
                                  std::int32_t limit, milliseconds wait = {});
  /// The number of the newest event; 0 before the first.
  Task<std::int64_t> newest_event();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A step kind that runs another operation and waits for it: operations of operations. Its input is
/// {plan, input}; retrying the step retries the child; its output is the child's outputs. The child runs
/// under its root's lease, in the name of the same principal, and is cancelled and rolled back with its
/// parent. KindRegistry::add_child makes others, which plan what they run when their turn comes.
inline constexpr std::string_view k_child_operation_step = "run_operation";

}  // namespace instantstart::operations
