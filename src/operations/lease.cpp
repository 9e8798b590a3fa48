#include "operations/lease.h"

#include <algorithm>

namespace instantstart::operations {
namespace {

/// Two clocks that count the same time may differ by so much (quartz is good for 1 in 10,000).
milliseconds with_drift(milliseconds lease) { return lease + lease / 100; }

}  // namespace

Task<> Lease::acquire(std::string owner_id) {
  const SteadyTime begun = clock_.steady();
  const journal::OwnerRecord record{.id = std::move(owner_id), .beat = 1, .lease = length_};
  const bool alone = sole_;
  auto registered = co_await database_.write<void>(
      [&](store::Transaction& transaction) { return journal::register_owner(transaction, record, alone); });
  if (!registered) co_return fail(std::move(registered.error()));
  owner_ = record.id;
  ends_ = sole_ ? SteadyTime::max() : begun + length_;
  co_return Result<>{};
}

Task<bool> Lease::renew(milliseconds at_least) {
  if (sole_) co_return true;
  const SteadyTime begun = clock_.steady();
  const milliseconds length = std::max(length_, at_least);
  auto renewed = co_await database_.write<bool>(
      [&](store::Transaction& transaction) { return journal::renew_owner(transaction, owner_, length); });
  if (!renewed) co_return fail(std::move(renewed.error()));
  if (*renewed) ends_ = std::max(ends_, begun + length);
  co_return *renewed;
}

Task<bool> Lease::outlives(milliseconds duration) {
  if (sole_ || net::later(clock_.steady(), duration) < ends_) co_return true;
  auto renewed = co_await renew(duration + length_);
  if (!renewed || !*renewed) co_return renewed;
  // The renewal itself may have taken long.
  co_return net::later(clock_.steady(), duration) < ends_;
}

Task<std::vector<std::string>> Lease::bury_the_dead() {
  auto found = co_await database_.read<std::vector<journal::OwnerRecord>>(
      [](store::Transaction& transaction) { return journal::owners(transaction); });
  if (!found) co_return fail(std::move(found.error()));
  const SteadyTime now = clock_.steady();
  std::vector<journal::OwnerRecord> dead;
  for (const auto& other : *found) {
    if (other.id == owner_) continue;
    auto [at, first] = others_.try_emplace(other.id, other.beat, now);
    if (at->second.beat != other.beat) at->second = {other.beat, now};
    if (now - at->second.since > with_drift(other.lease)) dead.push_back(other);
  }
  std::vector<std::string> buried;
  for (const auto& other : dead) {
    auto gone = co_await database_.write<bool>(
        [&](store::Transaction& transaction) { return journal::forget_owner(transaction, other); });
    if (!gone) co_return fail(std::move(gone.error()));
    if (*gone) buried.push_back(other.id);
    others_.erase(other.id);
  }
  co_return buried;
}

Task<> Lease::release() {
  if (owner_.empty()) co_return Result<>{};
  auto released = co_await database_.write<void>(
      [&](store::Transaction& transaction) { return journal::release_owner(transaction, owner_); });
  if (released) owner_.clear();
  co_return released;
}

}  // namespace instantstart::operations
