// The simulated account: typed records in memory, each change durable before anybody is told of it.
//
// A collection keeps one kind of record by id. What a request changed is written, together with its audit
// row, in one durable transaction before the reply leaves; so after a kill -9 the world is what was
// answered, and the audit says so too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>

#include "base/log.h"
#include "base/random.h"
#include "net/task.h"
#include "net/time.h"
#include "sandbox/core/audit.h"
#include "sandbox/core/record.h"
#include "store/database.h"

namespace instantstart::sandbox {

class World;

/// What becomes of a collection when the world is reset.
enum class OnReset { forget, keep };

class CollectionBase {
 public:
  virtual ~CollectionBase() = default;
  virtual Result<> load(std::string id, const json::object& body) = 0;
  virtual void reset() = 0;
};

/// Records of one kind, by id. A pointer to a record is valid until that record is put, edited or erased. The
/// same id may exist in several regions: such records are kept under `regional_id`.
template <class T>
class Collection final : public CollectionBase {
 public:
  /// Registers itself with the world, which must outlive it. `name` is unique and never changes: "ec2.vpc".
  Collection(World& world, std::string name, OnReset on_reset = OnReset::forget);
  Collection(const Collection&) = delete;
  Collection& operator=(const Collection&) = delete;

  /// nullptr when there is none.
  const T* find(std::string_view id) const {
    const auto found = records_.find(id);
    return found == records_.end() ? nullptr : &found->second;
  }
  bool contains(std::string_view id) const { return records_.contains(id); }
  void put(std::string id, T record);
  /// Applies `change(T&)`; false when there is none.
  template <class Change>
  bool edit(std::string_view id, Change change);
  /// False when there was none.
  bool erase(std::string_view id);

  /// Pairs of id and record, by id. A put of a new id keeps iterators valid, an erase ends those of its own.
  auto begin() const { return records_.begin(); }
  auto end() const { return records_.end(); }
  std::size_t size() const { return records_.size(); }
  /// Those whose id begins with `prefix`: `for (const auto& [id, vpc] : vpcs.starting_with("us-west-2/"))`.
  auto starting_with(std::string_view prefix) const {
    auto last = records_.lower_bound(prefix);
    const auto first = last;
    while (last != records_.end() && last->first.starts_with(prefix)) ++last;
    return std::ranges::subrange(first, last);
  }

  Result<> load(std::string id, const json::object& body) override;
  void reset() override;

 private:
  World& world_;
  std::string name_;
  OnReset on_reset_;
  std::map<std::string, T, std::less<>> records_;
};

struct WorldOptions {
  std::string account = "123456789012";
  std::int64_t scale = 1;  ///< Divides durations of state machines; never timestamps. At least 1.
  std::uint64_t seed = 1;  ///< Decides what is left to chance: which calls a fault with a probability hits.
};

/// Loop thread only. Outlives its collections.
class World {
 public:
  World(store::Database& database, net::Timekeeper& time, Random& random, Log log, WorldOptions options);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  static std::span<const store::Migration> migrations();

  /// Reads everything back; on the first start, makes the new account. Collections, timer kinds and
  /// on_new_account functions must be registered before. Error `state_unusable` when the store holds what
  /// this program doesn't know, or another account.
  Task<> load();

  /// What a new account has from the beginning: runs at the first start and after every reset.
  void on_new_account(std::function<void()> make);

  /// Ends when everything that was changed so far, by whomever, is durable, with the given audit rows. At
  /// once when nothing is open: so a reader calls it too, and tells nobody of what a crash could take back.
  /// On an error the changes stay in memory and go with the next commit.
  Task<> commit(std::vector<AuditEntry> audit = {});
  /// Adds an audit row to the next commit: enough for a call that changed nothing. A crash may lose it.
  void note(AuditEntry entry);
  /// As commit, with all that was only noted.
  Task<> flush();

  /// Durable timers: `kind`'s function runs with `key` when `after` (divided by the scale) is over, also
  /// after a restart. What it changes becomes durable together with the end of the timer, so it happens
  /// exactly once.
  void on_timer(std::string kind, std::function<void(const std::string& key)> run);
  /// A timer with the same kind and key replaces the earlier one. The kind must be registered.
  void set_timer(std::string_view kind, std::string_view key, milliseconds after);
  void cancel_timer(std::string_view kind, std::string_view key);
  /// Runs timers until it is cancelled; spawn it once.
  asio::awaitable<void> run_timers();

  const std::string& account() const { return options_.account; }
  std::int64_t scale() const { return options_.scale; }
  std::uint64_t seed() const { return options_.seed; }
  WallTime now() const { return time_.wall(); }
  net::Timekeeper& time() { return time_; }
  Random& random() { return random_; }

  /// "vpc-0123456789abcdef0": AWS's 17 hex digits.
  std::string make_id(std::string_view prefix);
  /// `prefix` filled up with capital letters and digits: IAM's unique ids ("AROA…", 21) and access keys (20).
  std::string make_capital_id(std::string_view prefix, std::size_t length = 21);
  /// A random UUID, as most services put into x-amzn-RequestId.
  std::string make_request_id();

  /// Rows in order, the first of them `sequence` + 1; those noted so far are included.
  Task<std::vector<AuditEntry>> audit_after(std::int64_t sequence, std::int32_t limit);
  /// Newest first, the first of them `sequence` - 1.
  Task<std::vector<AuditEntry>> audit_before(std::int64_t sequence, std::int32_t limit);

  /// Forgets everything, the audit as well, and makes a new account.
  Task<> reset();

 private:
  template <class T>
  friend class Collection;

  void add(const std::string& name, CollectionBase& collection);
  void changed(const std::string& collection, std::string_view id, json::object body);
  void erased(const std::string& collection, std::string_view id);
  using ReadAudit = std::function<Result<std::vector<AuditEntry>>(store::Transaction&)>;
  Task<std::vector<AuditEntry>> read_audit(ReadAudit read);

  struct Impl;
  std::unique_ptr<Impl> impl_;
  net::Timekeeper& time_;
  Random& random_;
  WorldOptions options_;
};

/// "us-west-2/vpc-0123456789abcdef0"
inline std::string regional_id(std::string_view region, std::string_view id) {
  std::string text(region);
  text += '/';
  text += id;
  return text;
}

template <class T>
Collection<T>::Collection(World& world, std::string name, OnReset on_reset)
    : world_(world), name_(std::move(name)), on_reset_(on_reset) {
  world_.add(name_, *this);
}

template <class T>
void Collection<T>::put(std::string id, T record) {
  world_.changed(name_, id, record_to_json(record));
  records_.insert_or_assign(std::move(id), std::move(record));
}

template <class T>
template <class Change>
bool Collection<T>::edit(std::string_view id, Change change) {
  const auto found = records_.find(id);
  if (found == records_.end()) return false;
  change(found->second);
  world_.changed(name_, id, record_to_json(found->second));
  return true;
}

template <class T>
bool Collection<T>::erase(std::string_view id) {
  const auto found = records_.find(id);
  if (found == records_.end()) return false;
  world_.erased(name_, found->first);
  records_.erase(found);
  return true;
}

template <class T>
Result<> Collection<T>::load(std::string id, const json::object& body) {
  auto record = record_from_json<T>(body);
  if (!record) return std::unexpected(std::move(record.error()));
  records_.insert_or_assign(std::move(id), std::move(*record));
  return {};
}

template <class T>
void Collection<T>::reset() {
  if (on_reset_ == OnReset::forget) records_.clear();
  for (const auto& [id, record] : records_) world_.changed(name_, id, record_to_json(record));
}

}  // namespace instantstart::sandbox
