// One stack in the hands of one act: its records as copies, changed and put back together, and its events.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/services/cloudformation/records.h"
#include "sandbox/services/cloudformation/resolver.h"

namespace instantstart::sandbox::cloudformation {

inline constexpr std::string_view k_stack_timer = "cloudformation.stack";
inline constexpr std::string_view k_resource_timer = "cloudformation.resource";
inline constexpr std::string_view k_timeout_timer = "cloudformation.timeout";

/// "stack key|slot", what a resource's timers are called.
std::string resource_timer_key(std::string_view stack_key, std::string_view slot);

class StackRun {
 public:
  /// nullopt when there is no such stack.
  static std::optional<StackRun> open(State& state, const std::string& key);
  StackRun(State& state, std::string key, api::Stack the_stack, StackWork the_work);

  /// Puts the records back.
  void save();

  /// Sets the stack's status and tells it as an event.
  void stack_event(std::string_view status, std::optional<std::string> reason = std::nullopt);
  /// The same for a resource.
  void resource_event(ResourceRecord& resource, std::string_view status,
                      std::optional<std::string> reason = std::nullopt);

  /// Over the current definition. Made once for each definition; `renew` forgets it.
  Reply<const Resolver*> resolver();
  void renew() { resolver_.reset(); }
  ResourceContext context(const ResourceRecord& resource, Tags tags) const;

  /// What the stack shows of its definition: parameters, tags, description, capabilities.
  void show_definition();

  State& state() const { return *state_; }
  World& world() const { return state_->world; }
  const std::string& key() const { return key_; }

  api::Stack stack;
  StackWork work;

 private:
  void add_event(api::StackEvent event);

  State* state_;
  std::string key_;
  std::optional<Resolver> resolver_;
};

}  // namespace instantstart::sandbox::cloudformation
