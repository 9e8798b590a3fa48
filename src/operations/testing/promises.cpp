#include "operations/testing/promises.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include <fmt/core.h>

#include "base/decode.h"

namespace instantstart::operations::testing {
namespace {

std::vector<store::Row> rows(store::Connection& journal, std::string_view sql,
                             std::initializer_list<store::Value> parameters = {}) {
  auto found = journal.query(sql, parameters);
  if (!found) throw std::runtime_error(found.error().message);
  return std::move(*found);
}

std::int64_t number(store::Connection& journal, std::string_view sql,
                    std::initializer_list<store::Value> parameters = {}) {
  return rows(journal, sql, parameters).at(0).integer(0);
}

/// Names of things that a plan makes or removes, with the step kind.
void collect(const contract::Plan& plan, std::map<std::string, std::string>& names) {
  for (const auto& step : plan.steps) {
    if (const auto* child = step.input.if_contains("plan")) {
      if (auto below = decode<contract::Plan>(*child)) collect(*below, names);
    } else {
      names[std::string(step.input.at("name").as_string())] = step.kind;
    }
  }
}

class Check {
 public:
  Check(const Promises& promises, store::Connection& journal, MadeUpWorld& world)
      : promises_(promises), journal_(journal), world_(world) {
    collect(promises.scenario.plan, names_);
    for (const auto& mutation : world_.audit()) {
      ++(mutation.call == "remove" ? removed_ : made_)[mutation.name];
    }
    for (const auto& thing : world_.things(true)) alive_.insert(thing.name);
  }

  std::vector<std::string> run() {
    check_ends();
    for (const auto& [name, kind] : names_) {
      if (kind == "remove_thing") {
        check_removed(name);
      } else {
        check_made(name, kind);
      }
    }
    check_inventory();
    check_events();
    return std::move(broken_);
  }

 private:
  template <class... Values>
  void say(fmt::format_string<Values...> text, Values&&... values) {
    broken_.push_back(fmt::format(text, std::forward<Values>(values)...));
  }

  void check_ends() {
    if (const auto active = number(journal_, "SELECT count(*) FROM operation WHERE active = 1"); active > 0) {
      say("{} operations are still active.", active);
    }
    if (number(journal_, "SELECT count(*) FROM operation WHERE parent_id IS NULL") != 1) {
      say("There is more than one operation.");
    }
    if (number(journal_, "SELECT count(*) FROM operation_step WHERE state = 'acting'") > 0)
      say("A step is still acting.");
  }

  void check_removed(const std::string& name) {
    if (removed_[name] > 1) say("'{}' was removed {} times.", name, removed_[name]);
    if (!promises_.cancelled && alive_.contains(name)) say("'{}' is still there.", name);
  }

  void check_made(const std::string& name, const std::string& kind) {
    if (made_[name] > 1) say("'{}' was made {} times.", name, made_[name]);
    if (!promises_.cancelled && made_[name] != 1) say("'{}' was not made.", name);
    if (promises_.cancelled && promises_.rollback && kind != "make_unseen" && alive_.contains(name)) {
      say("'{}' remains after the rollback.", name);
    }
    if (removed_[name] > 1) say("'{}' was undone {} times.", name, removed_[name]);
    if (!promises_.cancelled && removed_[name] > 0) say("'{}' was undone without being asked.", name);
  }

  void check_inventory() {
    std::set<std::string> owned;
    std::set<std::string> owed;
    for (const auto& row :
         rows(journal_, "SELECT name, state FROM operation_resource WHERE type = 'made_up:thing'")) {
      if (row.text(1) == "owned") owned.insert(row.text(0));
      if (row.text(1) == "owed") owed.insert(row.text(0));
    }
    for (const auto& [name, kind] : names_) {
      if (kind == "remove_thing") continue;
      const bool listed = owned.contains(name) || owed.contains(name);
      if (alive_.contains(name) && !listed) say("'{}' is not in the inventory.", name);
      if (owned.contains(name) && !alive_.contains(name))
        say("'{}' is in the inventory and not in the world.", name);
      if (!promises_.cancelled && owed.contains(name))
        say("The clean-up of '{}' is owed after success.", name);
    }
  }

  void check_events() {
    const auto all = rows(journal_, "SELECT count(*), min(sequence), max(sequence) FROM operation_event");
    if (all.at(0).integer(0) != all.at(0).integer(2) || all.at(0).integer(1) != 1)
      say("The events have gaps.");
    if (number(journal_, "SELECT value FROM operation_counter WHERE name = 'event'") !=
        all.at(0).integer(2)) {
      say("The event counter is not the last event.");
    }
    for (const auto& row : rows(journal_,
                                "SELECT step_id, kind, count(*) FROM operation_event WHERE kind IN "
                                "('step_done', 'step_undone') GROUP BY operation_id, step_id, kind "
                                "HAVING count(*) > 1")) {
      say("Step {} says {} {} times.", row.text(0), row.text(1), row.integer(2));
    }
    for (const auto& row :
         rows(journal_,
              "SELECT s.id, sum(s.acts), (SELECT count(*) FROM operation_event e WHERE "
              "e.operation_id = s.operation_id AND e.step_id = s.id AND e.kind = 'step_acting') "
              "FROM operation_step s GROUP BY s.operation_id, s.id")) {
      if (row.integer(1) != row.integer(2))
        say("Step {} acted {} times and told {}.", row.text(0), row.integer(1), row.integer(2));
    }
    for (const auto& row :
         rows(journal_,
              "SELECT kind, count(*) FROM operation_event WHERE kind IN ('operation_started', "
              "'operation_succeeded') GROUP BY operation_id, kind HAVING count(*) > 1")) {
      say("{} is told {} times.", row.text(0), row.integer(1));
    }
  }

  const Promises& promises_;
  store::Connection& journal_;
  MadeUpWorld& world_;
  std::map<std::string, std::string> names_;
  std::map<std::string, int> made_;
  std::map<std::string, int> removed_;
  std::set<std::string> alive_;
  std::vector<std::string> broken_;
};

}  // namespace

std::vector<std::string> Promises::broken(store::Connection& journal, MadeUpWorld& world) const {
  return Check(*this, journal, world).run();
}

std::vector<std::string> story(store::Connection& journal, const MadeUpWorld& world) {
  std::multimap<std::int64_t, std::string> lines;
  for (const auto& row :
       rows(journal,
            "SELECT at, operation_id, kind, step_id, message FROM operation_event ORDER BY sequence")) {
    constexpr WallTime k_start(std::chrono::sys_days(std::chrono::year(2026) / 1 / 1));  // VirtualTime's
    lines.emplace(row.integer(0) - k_start.time_since_epoch().count(),
                  fmt::format("{} {} {}: {}", row.text(1).substr(row.text(1).size() - 4), row.text(2),
                              row.optional_text(3).value_or(""), row.text(4)));
  }
  for (const auto& change : world.audit()) {
    const auto& id = change.operation_id;
    lines.emplace(
        change.at.time_since_epoch().count(),
        fmt::format("  {} {} {} '{}'", id.substr(id.size() - 4), change.call, change.step_id, change.name));
  }
  std::vector<std::string> told;
  for (const auto& [at, line] : lines)
    told.push_back(fmt::format("{:>10.3f} s {}", static_cast<double>(at) / 1000, line));
  return told;
}

std::optional<std::string> complaint_about_send(store::Connection& journal, const StepContext& context,
                                                std::int64_t sent) {
  const auto found =
      rows(journal,
           "SELECT o.active, (SELECT count(*) FROM operation_step s WHERE s.operation_id = o.id AND s.id = "
           "$2 AND s.state = "
           "'acting'), (SELECT sum(s.acts) FROM operation_step s WHERE s.operation_id = o.id AND s.id = $2), "
           "(SELECT count(*) FROM operation_step s WHERE s.operation_id = o.id AND s.id = $2 AND s.phase = "
           "'undo'), "
           "coalesce((SELECT max(e.sequence) FROM operation_event e WHERE e.operation_id = o.id AND e.kind = "
           "'operation_cancelling'), 0), coalesce((SELECT max(e.sequence) FROM operation_event e WHERE "
           "e.operation_id = o.id AND "
           "e.step_id = $2 AND e.kind = 'step_acting'), 0) FROM operation o WHERE o.id = $1",
           {context.operation_id, context.step_id});
  const auto& step = context.step_id;
  if (found.empty()) return fmt::format("Step {} of an operation that is not there sent a call.", step);
  const auto& row = found.front();
  if (row.integer(0) == 0) return fmt::format("Step {} sent a call after the end.", step);
  if (row.integer(1) != 1) return fmt::format("Step {} sent a call that is not written down.", step);
  if (row.integer(2) < sent)
    return fmt::format("Step {} sent {} calls for {} acts.", step, sent, row.integer(2));
  const bool undoes = row.integer(3) > 0;
  const bool cancelled_first = row.integer(4) > 0 && row.integer(4) < row.integer(5);
  if (cancelled_first && !undoes) return fmt::format("Step {} began to act after a cancel.", step);
  return std::nullopt;
}

}  // namespace instantstart::operations::testing
