// A compact index of one collection, kept in step by a reflector: of each object a small record that the
// caller makes. Reads come from memory; changes go to subscribers.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "kube/reflector.h"

namespace instantstart::kube {

struct ObjectNameHash {
  std::size_t operator()(const ObjectName& id) const noexcept {
    const std::size_t name = std::hash<std::string>()(id.name);
    return name ^ (std::hash<std::string>()(id.space) + 0x9e3779b97f4a7c15ULL + (name << 6) + (name >> 2));
  }
};

/// Ends a subscription when it is destroyed; may outlive the cache.
using Subscription = std::shared_ptr<const void>;

/// Loop thread only. It outlives its `run`.
template <class Record>
class WatchCache final : private ReflectorTarget {
 public:
  /// Makes the record of an object, of which only what `ReflectorOptions::keep` selects is there.
  using Extract = std::function<Record(const json::object& object)>;

  struct Delta {
    const ObjectName& id;
    const Record* before;  ///< nullptr: it is new.
    const Record* after;   ///< nullptr: it is gone.
  };
  /// Must not wait, and must not call back into `run`. An object that was replaced by another of its name
  /// while the connection was down is one delta with both records.
  using Listener = std::function<void(const Delta&)>;

  WatchCache(Connection& connection, ReflectorOptions options, Extract extract)
      : extract_(std::move(extract)), reflector_(connection, std::move(options), *this) {}

  asio::awaitable<void> run() { return reflector_.run(); }
  Task<> synced(net::Deadline deadline) { return reflector_.synced(deadline); }
  const Freshness& freshness() const { return reflector_.freshness(); }

  std::size_t size() const { return entries_.size(); }
  /// nullptr when there is none; valid until the next co_await.
  const Record* find(const ObjectName& id) const {
    const auto found = entries_.find(id);
    return found == entries_.end() ? nullptr : &found->second.record;
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [id, entry] : entries_) visit(id, entry.record);
  }

  /// Deltas from now on, each exactly once and in order. What is there already is read by `for_each` in the
  /// same turn of the loop; nothing lies between.
  [[nodiscard]] Subscription subscribe(Listener listener) {
    auto held = std::make_shared<Listener>(std::move(listener));
    listeners_.emplace(next_listener_++, held);
    return held;
  }

 private:
  struct Entry {
    Record record;
    std::uint64_t version;  ///< Equal when the object is the same: its resource version.
    std::uint32_t seen;     ///< The list that saw it last.
  };

  /// Decimal on every known server, else a hash: only equality counts.
  static std::uint64_t version_of(const json::object& object) {
    const std::string_view text = ObjectView(object).resource_version();
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) return number;
    return std::hash<std::string_view>()(text);
  }

  void begin() override { ++list_; }
  void item(json::object object) override { put(object); }
  void changed(json::object object) override { put(object); }
  void removed(ObjectName id) override {
    const auto found = entries_.find(id);
    if (found == entries_.end()) return;
    const auto node = entries_.extract(found);
    tell({.id = node.key(), .before = &node.mapped().record, .after = nullptr});
  }
  void end_list() override {
    for (auto at = entries_.begin(); at != entries_.end();) {
      if (at->second.seen == list_) {
        ++at;
        continue;
      }
      const auto next = std::next(at);
      const auto node = entries_.extract(at);
      at = next;
      tell({.id = node.key(), .before = &node.mapped().record, .after = nullptr});
    }
  }

  void put(const json::object& object) {
    const std::uint64_t version = version_of(object);
    const auto [at, added] = entries_.try_emplace(ObjectView(object).id(), Entry{{}, version, list_});
    Entry& entry = at->second;
    entry.seen = list_;
    if (added) {
      entry.record = extract_(object);
      tell({.id = at->first, .before = nullptr, .after = &entry.record});
    } else if (entry.version != version) {
      entry.version = version;
      const Record before = std::exchange(entry.record, extract_(object));
      tell({.id = at->first, .before = &before, .after = &entry.record});
    }
  }

  /// Listeners may come and go meanwhile.
  void tell(const Delta& delta) {
    for (auto at = listeners_.begin(); at != listeners_.end();) {
      const auto number = at->first;
      if (const auto listener = at->second.lock()) {
        (*listener)(delta);
        at = listeners_.upper_bound(number);
      } else {
        at = listeners_.erase(at);
      }
    }
  }

  Extract extract_;
  std::unordered_map<ObjectName, Entry, ObjectNameHash> entries_;
  std::uint32_t list_ = 0;
  std::map<std::uint64_t, std::weak_ptr<Listener>> listeners_;
  std::uint64_t next_listener_ = 0;
  Reflector reflector_;
};

}  // namespace instantstart::kube
