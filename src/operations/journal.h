// Every read and write of the journal, as functions of one transaction each. Whatever an owner writes names
// the epoch under which it holds the operation; when somebody else holds it meanwhile, nothing is written.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "operations/conflict.h"
#include "operations/engine.h"
#include "operations/transition.h"
#include "store/database.h"

namespace instantstart::operations {

/// An operation under an epoch: what an owner holds.
struct Hold {
  std::string operation_id;
  std::int64_t epoch = 0;
};

struct OperationRecord {
  std::string id;
  std::string kind;
  std::string subject;
  std::string summary;
  std::string principal;
  OperationState state = OperationState::pending;
  bool active = true;
  bool cancel_requested = false;
  bool rollback = false;
  std::int64_t revision =
      0;  ///< Counts changes from outside (retry, cancel, a child that ended): the owner reads again.
  std::optional<std::string> owner;
  std::int64_t epoch = 0;
  std::optional<std::string> parent_id;
  std::optional<std::string> parent_step;
  std::string root_id;
  WallTime created_at;
  WallTime updated_at;
  std::optional<WallTime> finished_at;
};

struct LoadedOperation {
  OperationRecord operation;
  std::vector<StepRecord> steps;  ///< Forward ones in the order of the plan, then those of the undo.
};

namespace journal {

// --- journal_accept.cpp

struct Parent {
  std::string operation_id;
  std::string step_id;
  std::string token;  ///< Of the act that starts the child: one child a token.
};

struct NewOperation {
  std::string id;
  contract::Plan plan;
  json::object input;
  std::string principal;
  std::optional<std::string> client_token;
  std::optional<Parent> parent;
  Scope scope = Scope::tree;
  bool removes = false;
  std::optional<std::string> owner;  ///< Who runs it; nobody yet when absent.
};

/// A request whose plan, and so its subject, is not known yet.
struct AskedFor {
  std::string kind;
  json::object input;
  std::string principal;
  std::optional<std::string> client_token;
};

struct Accepted {
  Started started;
  bool created = false;
  std::int64_t epoch = 0;
};

/// Makes the operation, or finds the one that the same request made or joins. Errors: `token_reused`,
/// `operation_conflict`; for a child also `cancelled` when its parent doesn't run any more.
Result<Accepted> accept(store::Transaction& transaction, const NewOperation& wanted, WallTime now);

/// The operation that began with this client token, or one that runs for the same request.
/// Error: `token_reused`.
Result<std::optional<Started>> find_asked(store::Transaction& transaction, const AskedFor& asked);

/// What `accept` would find; the plan's steps are not looked at.
Result<std::optional<Started>> find_equal(store::Transaction& transaction, const NewOperation& wanted);

// --- journal_claim.cpp

/// What is known of an operation that was just claimed.
struct ClaimedOperation {
  Hold hold;
  OperationState state = OperationState::pending;
  std::optional<milliseconds> wait;  ///< Until the first of its waiting steps looks again.
};

struct OwnerRecord {
  std::string id;
  std::int64_t beat = 0;
  milliseconds lease{};
};

/// `alone`: all others are dead, forget them.
Result<> register_owner(store::Transaction& transaction, const OwnerRecord& owner, bool alone);
/// False when somebody declared it dead.
Result<bool> renew_owner(store::Transaction& transaction, const std::string& id, milliseconds lease);
Result<std::vector<OwnerRecord>> owners(store::Transaction& transaction);
/// Forgets an owner that has not renewed since `beat`; what it held is free then.
Result<bool> forget_owner(store::Transaction& transaction, const OwnerRecord& owner);
/// Gives up everything: an orderly end.
Result<> release_owner(store::Transaction& transaction, const std::string& id);
/// Takes every unfinished operation that no living owner holds. What was acting there may have run.
Result<std::vector<ClaimedOperation>> claim_free(store::Transaction& transaction, const std::string& owner,
                                                 WallTime now);

/// All that the owner holds.
Result<std::vector<Hold>> holds(store::Transaction& transaction, const std::string& owner);

// --- journal_record.cpp

enum class Verdict {
  recorded,
  fenced,   ///< Somebody else holds the operation, or it has ended.
  stopped,  ///< An intent, and the operation is being cancelled: don't act.
  stale,    ///< The step was changed from outside: read it again.
};

struct Recorded {
  Verdict verdict = Verdict::recorded;
  std::int64_t revision = 0;
  OperationState state = OperationState::running;
  std::vector<std::string> woken;  ///< Other operations to look at.
};

Result<Recorded> record(store::Transaction& transaction, const Hold& hold, const StepChange& change,
                        WallTime now);

/// For an operation that is being cancelled, when none of its steps is in motion or can start: makes records
/// for what is to be undone (the steps in `undoable` that have something in the inventory), and ends the
/// operation when nothing is left to do. Writes nothing while an act may still land or a child runs.
Result<Recorded> advance_cancel(store::Transaction& transaction, const Hold& hold,
                                const std::set<std::string>& undoable, WallTime now);

// --- journal_request.cpp

struct Requested {
  std::vector<Hold> taken;         ///< Now held by `owner`, if they were not before.
  std::vector<std::string> woken;  ///< To be looked at by whoever holds them.
};

/// Errors as Engine::retry. `owner` takes over what nobody is acting on, so that it goes on at once.
Result<Requested> retry(store::Transaction& transaction, const std::string& id,
                        const std::optional<std::string>& step_id, const std::optional<std::string>& choice,
                        const std::optional<std::string>& owner, WallTime now);

/// Errors as Engine::cancel.
Result<Requested> cancel(store::Transaction& transaction, const std::string& id, bool rollback,
                         const std::optional<std::string>& owner, WallTime now);

/// As a cancel with rollback, also of an operation that has succeeded: its parent is being undone.
Result<Requested> roll_back_child(store::Transaction& transaction, const std::string& id,
                                  const std::optional<std::string>& owner, WallTime now);

// --- journal_read.cpp

/// Error `not_found`.
Result<LoadedOperation> load(store::Transaction& transaction, const std::string& id);
Result<OperationPage> list(store::Transaction& transaction, const ListFilter& filter);
Result<std::vector<Event>> events(store::Transaction& transaction, std::int64_t cursor,
                                  const std::optional<std::string>& operation_id, std::int32_t limit);
Result<std::int64_t> newest_event(store::Transaction& transaction);

struct StoredResource {
  std::string operation_id;
  std::string step_id;
  std::string type;
  std::string name;
  std::string state;
};

/// Of the operation and all below it.
Result<std::vector<StoredResource>> resources(store::Transaction& transaction, const std::string& id);

struct Child {
  std::string id;
  std::string step_id;
  std::string token;
  OperationState state = OperationState::pending;
  bool rollback = false;
  std::int64_t steps_done = 0;
  std::int64_t steps_total = 0;
};

/// Oldest first.
Result<std::vector<Child>> children(store::Transaction& transaction, const std::string& parent_id);

}  // namespace journal
}  // namespace instantstart::operations
