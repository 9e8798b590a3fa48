// What moves stacks: each act runs inside a timer's function, whose changes are durable together with the
// timer's end, so after a crash an act has happened wholly or not at all.
//
// A phase gives every resource a task. What waits begins once what it depends on is over (deletions: once
// what depends on it is), side by side. A task is shown as in progress, then sent, then watched until it
// settles. When all tasks of a phase are over, the next phase or the stack's final status follows.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/services/cloudformation/records.h"
#include "sandbox/services/cloudformation/stack_run.h"

namespace instantstart::sandbox::cloudformation {

class Engine {
 public:
  /// Registers its timers with the world.
  explicit Engine(State& state);

  // Each begins an operation on a stack that is fit for it; the caller saves the run afterwards.
  void begin_creation(StackRun& run, std::optional<std::string> reason);
  /// From run.work.definition to `definition`.
  void begin_update(StackRun& run, Definition definition);
  void begin_deletion(StackRun& run, std::optional<std::string> reason);

 private:
  void on_stack_timer(const std::string& key);
  void on_resource_timer(const std::string& key);
  void on_timeout(const std::string& key);

  // The way of a stack, engine_phases.cpp.
  void advance(StackRun& run);
  bool begin_ready_tasks(StackRun& run);
  void finish_phase(StackRun& run);
  void finish_forward(StackRun& run);
  void finish_removal(StackRun& run);
  void end(StackRun& run, std::string_view status, std::optional<std::string> reason = std::nullopt);
  void plan_forward(StackRun& run);
  void plan_removal(StackRun& run, bool only_obsolete);
  void begin_cleanup(StackRun& run);
  /// `failed` are logical ids; empty when it was no resource's fault, then `reason` says whose.
  void fail_forward(StackRun& run, const std::vector<std::string>& failed, std::string reason = {});
  void begin_update_rollback(StackRun& run, std::string reason);
  void cancel_timers(StackRun& run);

  // The way of one resource, engine_resources.cpp.
  void begin_task(StackRun& run, const std::string& slot);
  void begin_update_task(StackRun& run, const std::string& slot);
  void begin_removal_task(StackRun& run, const std::string& slot);
  void act(StackRun& run, const std::string& slot);
  void send_create(StackRun& run, const std::string& slot);
  void send_update(StackRun& run, const std::string& slot);
  void send_removal(StackRun& run, const std::string& slot);
  void check(StackRun& run, const std::string& slot);
  /// What the task wants the resource to be: by the template, or in a rollback by what it was.
  Reply<Resolved> target(StackRun& run, const std::string& slot);
  void settled(StackRun& run, const std::string& slot);
  void failed(StackRun& run, const std::string& slot, std::string reason);
  /// Waits and asks again when the fault passes; false when it doesn't, or has had its time.
  bool put_off(StackRun& run, const std::string& slot, const AwsFault& fault);

  State& state_;
};

/// "Resource handler returned message: …", as events quote a service's refusal.
std::string handler_message(World& world, std::string_view type, const AwsFault& fault);

}  // namespace instantstart::sandbox::cloudformation
