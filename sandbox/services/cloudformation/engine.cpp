#include "sandbox/services/cloudformation/engine.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace instantstart::sandbox::cloudformation {
namespace {

constexpr milliseconds k_time_to_begin = std::chrono::seconds(1);

std::string listed(std::string_view what, const std::vector<std::string>& names) {
  return fmt::format("The following resource(s) failed to {}: [{}].", what, join(names, ", "));
}

/// Those whose deletion failed.
std::vector<std::string> not_deleted(const StackWork& work) {
  std::vector<std::string> names;
  for (const auto& [slot, record] : work.resources) {
    if (record.status == "DELETE_FAILED") names.push_back(record.logical_id);
  }
  return names;
}

bool is_removal(Phase phase) {
  return phase == Phase::rollback || phase == Phase::update_cleanup ||
         phase == Phase::update_rollback_cleanup || phase == Phase::remove;
}

/// Whether nothing that this task has to wait for is open.
bool is_ready(const StackWork& work, const std::string& slot, const ResourceRecord& record) {
  for (const auto& [name, other] : work.resources) {
    if (name == slot || !other.is_open()) continue;
    const bool removal = record.task == Task::remove;
    const auto& needs = removal ? other.depends_on : record.depends_on;
    const std::string& needed = removal ? record.logical_id : other.logical_id;
    for (const auto& need : needs) {
      if (need == needed && other.logical_id != record.logical_id) return false;
    }
  }
  return true;
}

/// Whether something that could not be deleted needs this.
bool is_held(const StackWork& work, const ResourceRecord& record) {
  for (const auto& [name, other] : work.resources) {
    if (other.status != "DELETE_FAILED" || other.logical_id == record.logical_id) continue;
    for (const auto& need : other.depends_on) {
      if (need == record.logical_id) return true;
    }
  }
  return false;
}

/// Whether the resource is the one of that id, or has changed its id in place.
bool is_heir(const Resources& resources, const std::string& slot, const std::string& physical_id) {
  const ResourceRecord& record = resources.at(slot);
  if (record.physical_id == physical_id) return true;
  return !record.obsolete && std::ranges::none_of(resources, [&](const auto& other) {
    return other.second.logical_id == record.logical_id && other.second.physical_id == physical_id;
  });
}

}  // namespace

Engine::Engine(State& state) : state_(state) {
  World& world = state.world;
  world.on_timer(std::string(k_stack_timer), [this](const std::string& key) { on_stack_timer(key); });
  world.on_timer(std::string(k_resource_timer), [this](const std::string& key) { on_resource_timer(key); });
  world.on_timer(std::string(k_timeout_timer), [this](const std::string& key) { on_timeout(key); });
}

void Engine::on_stack_timer(const std::string& key) {
  auto run = StackRun::open(state_, key);
  if (!run || run->work.phase == Phase::idle) return;
  advance(*run);
  run->save();
}

void Engine::on_resource_timer(const std::string& key) {
  const auto bar = key.rfind('|');
  auto run = StackRun::open(state_, key.substr(0, bar));
  if (!run) return;
  const std::string slot = key.substr(bar + 1);
  const auto found = run->work.resources.find(slot);
  if (found == run->work.resources.end() || !found->second.is_under_way()) return;
  act(*run, slot);
  run->save();
}

void Engine::on_timeout(const std::string& key) {
  auto run = StackRun::open(state_, key);
  if (!run || run->work.phase != Phase::create) return;
  for (auto& [slot, record] : run->work.resources) {
    if (!record.is_under_way()) continue;
    record.stage = Stage::over;
    state_.world.cancel_timer(k_resource_timer, resource_timer_key(key, slot));
    run->resource_event(record, "CREATE_FAILED", "Resource creation cancelled");
  }
  fail_forward(*run, {}, "Stack creation time exceeded the specified timeout.");
  run->save();
}

void Engine::begin_creation(StackRun& run, std::optional<std::string> reason) {
  run.work.phase = Phase::create;
  run.stack_event("CREATE_IN_PROGRESS", std::move(reason));
  plan_forward(run);
  if (run.stack.timeout_in_minutes) {
    state_.world.set_timer(k_timeout_timer, run.key(), std::chrono::minutes(*run.stack.timeout_in_minutes));
  }
  state_.world.set_timer(k_stack_timer, run.key(), k_time_to_begin);
}

void Engine::begin_update(StackRun& run, Definition definition) {
  // What earlier deletions left behind in the records is no part of the stack any more.
  std::erase_if(run.work.resources, [](const auto& entry) { return !entry.second.exists(); });
  run.work.before = std::exchange(run.work.definition, std::move(definition));
  run.work.resources_before = run.work.resources;
  run.work.phase = Phase::update;
  run.stack.last_updated_time = timestamp(state_.world.now());
  run.show_definition();
  run.stack_event("UPDATE_IN_PROGRESS", "User Initiated");
  plan_forward(run);
  state_.world.set_timer(k_stack_timer, run.key(), k_time_to_begin);
}

void Engine::begin_deletion(StackRun& run, std::optional<std::string> reason) {
  cancel_timers(run);
  run.work.phase = Phase::remove;
  run.stack.deletion_time = timestamp(state_.world.now());
  run.stack_event("DELETE_IN_PROGRESS", std::move(reason));
  plan_removal(run, false);
  state_.world.set_timer(k_stack_timer, run.key(), k_time_to_begin);
}

void Engine::cancel_timers(StackRun& run) {
  state_.world.cancel_timer(k_stack_timer, run.key());
  state_.world.cancel_timer(k_timeout_timer, run.key());
  for (const auto& [slot, record] : run.work.resources) {
    state_.world.cancel_timer(k_resource_timer, resource_timer_key(run.key(), slot));
  }
}

void Engine::plan_forward(StackRun& run) {
  const auto resolver = run.resolver();
  if (!resolver) return;  // Whoever began the operation has read the template.
  for (const auto& [name, declaration] : (*resolver)->source().resources) {
    if (!(*resolver)->is_active(name)) continue;
    const bool is_new = !run.work.resources.contains(name);
    ResourceRecord& record = run.work.resources[name];
    record.logical_id = name;
    record.type = declaration.type;
    const auto& needed = (*resolver)->dependencies().at(name);
    record.depends_on = {needed.begin(), needed.end()};
    record.deletion_policy = declaration.deletion_policy;
    record.update_replace_policy = declaration.update_replace_policy;
    record.task = is_new ? Task::create : Task::update;
    record.stage = Stage::waiting;
  }
}

void Engine::plan_removal(StackRun& run, bool only_obsolete) {
  for (auto& [slot, record] : run.work.resources) {
    const bool wanted = record.exists() && (!only_obsolete || record.obsolete);
    record.task = wanted ? Task::remove : Task::none;
    record.stage = wanted ? Stage::waiting : Stage::over;
    record.replacing = false;
    if (record.status == "DELETE_FAILED") record.status.clear();
  }
}

void Engine::advance(StackRun& run) {
  while (run.work.phase != Phase::idle) {
    if (begin_ready_tasks(run)) continue;
    for (const auto& [slot, record] : run.work.resources) {
      if (record.is_open()) return;
    }
    finish_phase(run);
  }
}

bool Engine::begin_ready_tasks(StackRun& run) {
  std::vector<std::string> ready;
  for (const auto& [slot, record] : run.work.resources) {
    if (record.task != Task::none && record.stage == Stage::waiting && is_ready(run.work, slot, record)) {
      ready.push_back(slot);
    }
  }
  const Phase phase = run.work.phase;
  for (const auto& slot : ready) {
    if (run.work.phase != phase) return true;  // One has failed and changed everything.
    ResourceRecord& record = run.work.resources.at(slot);
    if (record.task == Task::remove && is_held(run.work, record)) {
      record.stage = Stage::over;
      continue;
    }
    begin_task(run, slot);
  }
  return !ready.empty();
}

void Engine::finish_phase(StackRun& run) {
  if (is_removal(run.work.phase)) return finish_removal(run);
  finish_forward(run);
}

void Engine::finish_forward(StackRun& run) {
  const auto resolver = run.resolver();
  if (!resolver) return fail_forward(run, {}, resolver.error().message);
  auto outputs = (*resolver)->outputs();
  if (!outputs) return fail_forward(run, {}, outputs.error().message);
  for (const auto& output : *outputs) {
    if (!output.export_name) continue;
    for (const auto& [key, other] : state_.stacks.starting_with(run.work.region + "/")) {
      if (key == run.key() || other.stack_status == "DELETE_COMPLETE") continue;
      for (const auto& taken : aws::items(other.outputs)) {
        if (taken.export_name != output.export_name) continue;
        return fail_forward(run, {},
                            fmt::format("Export with name {} is already exported by stack {}. ",
                                        *output.export_name, *other.stack_name));
      }
    }
  }
  run.stack.outputs = std::move(*outputs);
  if (run.work.phase == Phase::create) return end(run, "CREATE_COMPLETE");
  begin_cleanup(run);
}

void Engine::begin_cleanup(StackRun& run) {
  const bool back = run.work.phase == Phase::update_rollback;
  if (!back) {
    const auto resolver = run.resolver();
    for (auto& [slot, record] : run.work.resources) {
      if (resolver && !(*resolver)->is_active(record.logical_id)) record.obsolete = true;
    }
  }
  run.work.phase = back ? Phase::update_rollback_cleanup : Phase::update_cleanup;
  run.stack_event(back ? "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS"
                       : "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS");
  plan_removal(run, true);
}

void Engine::finish_removal(StackRun& run) {
  const auto left = not_deleted(run.work);
  switch (run.work.phase) {
    case Phase::rollback:
      if (left.empty()) return end(run, "ROLLBACK_COMPLETE");
      return end(run, "ROLLBACK_FAILED", listed("delete", left) + " ");
    case Phase::remove:
      if (!left.empty()) return end(run, "DELETE_FAILED", listed("delete", left) + " ");
      run.stack.deletion_time = timestamp(state_.world.now());
      return end(run, "DELETE_COMPLETE");
    case Phase::update_rollback_cleanup:
      std::erase_if(run.work.resources, [](const auto& entry) { return entry.second.obsolete; });
      return end(run, "UPDATE_ROLLBACK_COMPLETE");
    default: break;
  }
  // What a clean-up can't delete stays in the account, no more in the stack.
  std::erase_if(run.work.resources, [](const auto& entry) { return entry.second.obsolete; });
  end(run, "UPDATE_COMPLETE");
}

void Engine::end(StackRun& run, std::string_view status, std::optional<std::string> reason) {
  cancel_timers(run);
  run.stack_event(status, std::move(reason));
  run.work.phase = Phase::idle;
  run.work.before.reset();
  run.work.resources_before.clear();
  run.work.retained.clear();
  run.work.planned_code.reset();
  run.work.planned_message.reset();
  for (auto& [slot, record] : run.work.resources) {
    record.task = Task::none;
    record.stage = Stage::over;
  }
}

void Engine::fail_forward(StackRun& run, const std::vector<std::string>& failed, std::string reason) {
  if (run.work.phase == Phase::update_rollback) {
    return end(run, "UPDATE_ROLLBACK_FAILED",
               failed.empty() ? std::move(reason) : listed("update", failed) + " ");
  }
  if (reason.empty()) {
    std::vector<std::string> created;
    std::vector<std::string> updated;
    for (const auto& name : failed) {
      (run.work.resources.at(name).task == Task::update ? updated : created).push_back(name);
    }
    if (!created.empty()) reason = listed("create", created);
    if (!updated.empty()) reason += (reason.empty() ? "" : " ") + listed("update", updated);
  }
  if (run.work.phase == Phase::update) return begin_update_rollback(run, std::move(reason));
  if (run.work.on_failure == "DO_NOTHING") return end(run, "CREATE_FAILED", reason + " ");
  cancel_timers(run);
  if (run.work.on_failure == "DELETE") return begin_deletion(run, reason + " Delete requested by user.");
  run.work.phase = Phase::rollback;
  run.stack_event("ROLLBACK_IN_PROGRESS", reason + " Rollback requested by user.");
  plan_removal(run, false);
  state_.world.set_timer(k_stack_timer, run.key(), k_time_to_begin);
}

void Engine::begin_update_rollback(StackRun& run, std::string reason) {
  cancel_timers(run);
  if (run.work.keeps_failed_update) return end(run, "UPDATE_FAILED", reason + " ");
  run.work.definition = run.work.before.value_or(run.work.definition);
  run.show_definition();
  run.work.phase = Phase::update_rollback;
  run.stack_event("UPDATE_ROLLBACK_IN_PROGRESS", reason + " ");
  Resources resources;
  int number = 0;
  for (auto& [slot, record] : run.work.resources) {
    const auto before = run.work.resources_before.find(record.logical_id);
    const bool was_there = before != run.work.resources_before.end() &&
                           is_heir(run.work.resources, slot, before->second.physical_id);
    record.replacing = false;
    if (was_there) {
      // Also what was replaced: it is the resource again.
      record.obsolete = false;
      record.deletion_policy = before->second.deletion_policy;
      record.update_replace_policy = before->second.update_replace_policy;
      record.depends_on = before->second.depends_on;
      record.task = Task::update;
      record.stage = Stage::waiting;
      resources.insert_or_assign(record.logical_id, record);
    } else if (record.exists()) {
      record.obsolete = true;
      record.task = Task::none;
      record.stage = Stage::over;
      resources.insert_or_assign(fmt::format("{}~{}", record.logical_id, 1000 + number++), record);
    }
  }
  run.work.resources = std::move(resources);
  run.renew();
  state_.world.set_timer(k_stack_timer, run.key(), k_time_to_begin);
}

}  // namespace instantstart::sandbox::cloudformation
