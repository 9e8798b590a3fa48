// Between rows and records; for the journal's own files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "operations/derived_state.h"
#include "operations/journal.h"
#include "operations/journal_transaction.h"

namespace instantstart::operations::journal {

inline constexpr std::string_view k_accept_lock =
    "UPDATE operation_counter SET value = value + 1 WHERE name = 'accept'";

std::optional<OperationRecord> read_operation(JournalTransaction& journal, const std::string& id);
std::vector<StepRecord> read_steps(JournalTransaction& journal, const std::string& operation_id);

void insert_step(JournalTransaction& journal, const std::string& operation_id, std::int64_t position,
                 const StepRecord& step, std::string_view effect, std::string_view calls);
/// False when the stored version is another one; the stored version is one higher afterwards.
bool update_step(JournalTransaction& journal, const std::string& operation_id, const StepRecord& step);

/// Works out where the operation stands and stores it if it changed: with its event, its end, and a wake-up
/// of the parent's step that runs it. `operation` is as stored now; returned as it is afterwards.
OperationRecord settle_state(JournalTransaction& journal, OperationRecord operation, bool exhausted = false);

/// True while an act may still land or a child runs: too early to undo or to end.
bool still_in_motion(JournalTransaction& journal, const std::string& operation_id);

/// An active operation of another root that works where `claim` does.
struct Rival {
  std::string id;
  std::string kind;
  std::string subject;
  std::string digest;
  std::string principal;
  bool cancel_requested = false;
};

std::vector<Rival> rivals(JournalTransaction& journal, const Claim& claim, const std::string& root_id);
Error operation_conflict(const Rival& rival);

Error no_such_operation(std::string_view id);

}  // namespace instantstart::operations::journal
