// One transaction of the journal: statements and the events that are numbered at its end.
#pragma once

#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "operations/transition.h"
#include "store/database.h"

namespace instantstart::operations {

std::int64_t stored_time(WallTime time);
store::Value stored_time(std::optional<WallTime> time);
WallTime time_of(std::int64_t stored);

/// After the first statement that fails the rest do nothing and answer "no rows"; `done` returns its error.
class JournalTransaction {
 public:
  JournalTransaction(store::Transaction& transaction, WallTime now) : transaction_(transaction), now_(now) {}

  std::vector<store::Row> rows(std::string_view sql, std::initializer_list<store::Value> parameters = {});
  /// The first row.
  std::optional<store::Row> row(std::string_view sql, std::initializer_list<store::Value> parameters = {});
  /// The number of rows changed.
  std::int64_t run(std::string_view sql, std::initializer_list<store::Value> parameters = {});

  WallTime now() const { return now_; }
  std::int64_t now_stored() const { return stored_time(now_); }

  void event(std::string_view operation_id, std::string_view subject, std::optional<std::string> step_id,
             EventDraft draft);

  /// Operations, beside the one that is written, that somebody should look at after the commit.
  void wake(std::string operation_id) { woken_.insert(std::move(operation_id)); }
  std::vector<std::string> woken() const { return {woken_.begin(), woken_.end()}; }

  /// Writes the events and ends the work. To be called last: from here to the commit the numbers are taken.
  template <class T>
  Result<T> done(T value) {
    write_events();
    if (error_) return fail(std::move(*error_));
    return value;
  }

  /// Ends the work with an error: nothing is written.
  std::unexpected<Error> refuse(Error error) const { return fail(error_ ? *error_ : std::move(error)); }

 private:
  struct NumberedEvent {
    std::string operation_id;
    std::string subject;
    std::optional<std::string> step_id;
    EventDraft draft;
  };

  void write_events();

  store::Transaction& transaction_;
  WallTime now_;
  std::optional<Error> error_;
  std::vector<NumberedEvent> events_;
  std::set<std::string> woken_;
};

}  // namespace instantstart::operations
