// A database for simulations: everything runs at once on the calling thread, and the process can "die" at any
// commit.
//
// MemoryStore is the file, which survives; MemoryDatabase is what one process has opened. After a simulated
// crash make a new MemoryDatabase on the same store. Several at once are several processes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <boost/asio/any_completion_handler.hpp>

#include "store/database.h"

namespace instantstart::store {

class Connection;

/// Must outlive the databases that are opened on it.
class MemoryStore {
 public:
  MemoryStore();
  ~MemoryStore();
  MemoryStore(const MemoryStore&) = delete;
  MemoryStore& operator=(const MemoryStore&) = delete;

  Connection& connection() { return *connection_; }
  /// Another file with the same content.
  std::unique_ptr<MemoryStore> copy();

 private:
  std::unique_ptr<Connection> connection_;
};

enum class Fate { goes_on, crash };

/// Asked at each commit of one MemoryDatabase, migrations included; n counts 1, 2, … from its construction.
struct MemoryHooks {
  std::function<Fate(std::uint64_t n)> before_commit;  ///< `crash`: the commit is not made.
  std::function<Fate(std::uint64_t n)> after_commit;   ///< `crash`: it is made, but nobody hears of it.
};

/// Tasks end through the loop, as they do with a real database: other coroutines run between a commit and the
/// one that waits for it. After a crash nothing is done any more, and no task ends: their coroutines stay
/// suspended until this is destroyed, which hands their frames to the loop to be destroyed. So the loop must
/// outlive it, and what the frames refer to must outlive the loop's next run (or the loop).
class MemoryDatabase final : public Database {
 public:
  explicit MemoryDatabase(MemoryStore& store, MemoryHooks hooks = {});
  ~MemoryDatabase() override;

  Task<> migrate(std::span<const Migration> migrations) override;

  bool crashed() const { return crashed_; }
  std::uint64_t commits() const { return commits_; }

 protected:
  Task<> run_untyped(Mode mode, std::function<Result<>(Transaction&)> work) override;

 private:
  using Done = asio::any_completion_handler<void(Result<>)>;
  using Work = std::function<Result<>(Connection&)>;

  Task<> start(Mode mode, Work work);
  Result<> run_read(const Work& work);
  Result<> run_write(const Work& work);

  MemoryStore& store_;
  MemoryHooks hooks_;
  std::uint64_t commits_ = 0;
  bool crashed_ = false;
  std::vector<Done> abandoned_;  ///< Who waited when the process died, or later.
};

}  // namespace instantstart::store
