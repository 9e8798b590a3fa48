// The lease under which this process runs operations.
//
// Owners and those who watch them measure on their own steady clocks, which run through suspend: an owner
// counts from before its renewal, a watcher from when it saw the renewal. So the owner always gives up first,
// whatever the wall clocks say.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "net/task.h"
#include "net/time.h"
#include "operations/journal.h"
#include "store/database.h"

namespace instantstart::operations {

/// Loop thread only.
class Lease {
 public:
  /// `sole`: a lock proves that there is no other owner; the lease never ends then.
  Lease(const Clock& clock, store::Database& database, milliseconds length, bool sole)
      : clock_(clock), database_(database), length_(length), sole_(sole) {}

  /// Empty before `acquire`.
  const std::string& owner() const { return owner_; }
  milliseconds length() const { return length_; }

  /// Begins to be an owner, under a new id.
  Task<> acquire(std::string owner_id);

  /// False when it is lost: somebody has declared this owner dead, or may have by now.
  Task<bool> renew(milliseconds at_least = {});

  /// Whether it holds for so much longer; renews it if it would not.
  Task<bool> outlives(milliseconds duration);

  /// Other owners that have not renewed for as long as they promised to. Forgets them, so that what they held
  /// is free.
  Task<std::vector<std::string>> bury_the_dead();

  Task<> release();

 private:
  struct Sighting {
    std::int64_t beat = 0;
    SteadyTime since{};
  };

  const Clock& clock_;
  store::Database& database_;
  milliseconds length_;
  bool sole_;
  std::string owner_;
  SteadyTime ends_{};
  std::map<std::string, Sighting, std::less<>> others_;
};

}  // namespace instantstart::operations
