// Who runs which operation. A claim raises the epoch: whatever the owner before still wants to write is
// refused from then on.
#include <algorithm>
#include <map>

#include "operations/journal_rows.h"

namespace instantstart::operations::journal {

Result<> register_owner(store::Transaction& transaction, const OwnerRecord& owner, bool alone) {
  JournalTransaction journal(transaction, WallTime{});
  if (alone) journal.run("DELETE FROM operation_owner");
  journal.run("INSERT INTO operation_owner (id, beat, lease_ms) VALUES ($1, $2, $3)",
              {owner.id, owner.beat, owner.lease.count()});
  auto done = journal.done(true);
  if (!done) return fail(std::move(done.error()));
  return {};
}

Result<bool> renew_owner(store::Transaction& transaction, const std::string& id, milliseconds lease) {
  JournalTransaction journal(transaction, WallTime{});
  const auto renewed = journal.run("UPDATE operation_owner SET beat = beat + 1, lease_ms = $2 WHERE id = $1",
                                   {id, lease.count()});
  return journal.done(renewed == 1);
}

Result<std::vector<OwnerRecord>> owners(store::Transaction& transaction) {
  JournalTransaction journal(transaction, WallTime{});
  std::vector<OwnerRecord> found;
  for (const auto& row : journal.rows("SELECT id, beat, lease_ms FROM operation_owner ORDER BY id")) {
    found.push_back({row.text(0), row.integer(1), milliseconds(row.integer(2))});
  }
  return journal.done(std::move(found));
}

Result<bool> forget_owner(store::Transaction& transaction, const OwnerRecord& owner) {
  JournalTransaction journal(transaction, WallTime{});
  const auto gone =
      journal.run("DELETE FROM operation_owner WHERE id = $1 AND beat = $2", {owner.id, owner.beat});
  return journal.done(gone == 1);
}

Result<> release_owner(store::Transaction& transaction, const std::string& id) {
  JournalTransaction journal(transaction, WallTime{});
  journal.run("UPDATE operation SET owner = NULL, epoch = epoch + 1 WHERE owner = $1 AND active = 1", {id});
  journal.run("DELETE FROM operation_owner WHERE id = $1", {id});
  auto done = journal.done(true);
  if (!done) return fail(std::move(done.error()));
  return {};
}

Result<std::vector<ClaimedOperation>> claim_free(store::Transaction& transaction, const std::string& owner,
                                                 WallTime now) {
  JournalTransaction journal(transaction, now);
  // First, while it can still be told which operations are free. A call may have been sent just before its
  // process died, so its time to land begins now; a repeat with the token is safe at once.
  journal.run(
      "UPDATE operation_step SET state = 'waiting', outcome = 'unknown', settled = 0, version = version + 1, "
      "wake_at = $1 + CASE repeat WHEN 'with_token' THEN 0 ELSE deadline_ms + settle_ms END, "
      "wait_ms = CASE repeat WHEN 'with_token' THEN 0 ELSE deadline_ms + settle_ms END "
      "WHERE state = 'acting' AND operation_id IN (SELECT o.id FROM operation o WHERE o.active = 1 AND "
      "(o.owner IS NULL OR NOT EXISTS (SELECT 1 FROM operation_owner w WHERE w.id = o.owner)))",
      {stored_time(now)});
  const auto rows = journal.rows(
      "UPDATE operation SET owner = $1, epoch = epoch + 1 WHERE active = 1 AND "
      "(owner IS NULL OR NOT EXISTS (SELECT 1 FROM operation_owner w WHERE w.id = operation.owner)) "
      "RETURNING id, epoch, state",
      {owner});
  if (rows.empty()) return journal.done(std::vector<ClaimedOperation>{});

  std::map<std::string, milliseconds, std::less<>> waits;
  for (const auto& row : journal.rows("SELECT s.operation_id, s.wake_at, s.wait_ms, s.outcome, s.settled "
                                      "FROM operation o JOIN operation_step s "
                                      "ON s.operation_id = o.id WHERE o.owner = $1 AND o.active = 1 "
                                      "AND s.state = 'waiting' AND s.wake_at IS NOT NULL",
                                      {owner})) {
    // The time for an act to land runs from the first look at its record.
    const bool unsettled = enum_of<Outcome>(row.text(3)) == Outcome::unknown && row.integer(4) == 0;
    const auto longest = unsettled ? milliseconds::zero() : milliseconds(row.integer(2));
    const auto wait =
        std::clamp(milliseconds(row.integer(1)) - now.time_since_epoch(), milliseconds::zero(), longest);
    const auto [at, first] = waits.emplace(row.text(0), wait);
    if (!first) at->second = std::min(at->second, wait);
  }
  std::vector<ClaimedOperation> claimed;
  claimed.reserve(rows.size());
  for (const auto& row : rows) {
    ClaimedOperation operation{.hold = {row.text(0), row.integer(1)},
                               .state = enum_of<OperationState>(row.text(2))};
    if (const auto wait = waits.find(row.text(0)); wait != waits.end()) operation.wait = wait->second;
    claimed.push_back(std::move(operation));
  }
  return journal.done(std::move(claimed));
}

Result<std::vector<Hold>> holds(store::Transaction& transaction, const std::string& owner) {
  JournalTransaction journal(transaction, WallTime{});
  std::vector<Hold> found;
  for (const auto& row :
       journal.rows("SELECT id, epoch FROM operation WHERE owner = $1 AND active = 1", {owner})) {
    found.push_back({row.text(0), row.integer(1)});
  }
  return journal.done(std::move(found));
}

}  // namespace instantstart::operations::journal
