#include "sandbox/services/cloudformation/stack_run.h"

#include <utility>

#include <fmt/format.h>

namespace instantstart::sandbox::cloudformation {

std::string resource_timer_key(std::string_view stack_key, std::string_view slot) {
  return fmt::format("{}|{}", stack_key, slot);
}

std::optional<StackRun> StackRun::open(State& state, const std::string& key) {
  const api::Stack* stack = state.stacks.find(key);
  const StackWork* work = state.work.find(key);
  if (!stack || !work) return std::nullopt;
  return StackRun(state, key, *stack, *work);
}

StackRun::StackRun(State& state, std::string key, api::Stack the_stack, StackWork the_work)
    : stack(std::move(the_stack)), work(std::move(the_work)), state_(&state), key_(std::move(key)) {}

void StackRun::save() {
  state_->stacks.put(key_, stack);
  state_->work.put(key_, work);
}

void StackRun::add_event(api::StackEvent event) {
  event.stack_id = stack.stack_id;
  event.stack_name = stack.stack_name;
  event.timestamp = timestamp(world().now());
  event.client_request_token = work.token;
  state_->events.put(event_key(key_, work.events++), std::move(event));
}

void StackRun::stack_event(std::string_view status, std::optional<std::string> reason) {
  stack.stack_status = status;
  stack.stack_status_reason = reason;
  add_event({.event_id = world().make_request_id(),
             .logical_resource_id = stack.stack_name,
             .physical_resource_id = stack.stack_id,
             .resource_type = "AWS::CloudFormation::Stack",
             .resource_status = std::string(status),
             .resource_status_reason = std::move(reason)});
}

void StackRun::resource_event(ResourceRecord& resource, std::string_view status,
                              std::optional<std::string> reason) {
  resource.status = status;
  resource.status_reason = reason.value_or("");
  resource.updated_at = to_rfc3339(world().now());
  add_event({.event_id = fmt::format("{}-{}-{}", resource.logical_id, status, world().make_request_id()),
             .logical_resource_id = resource.logical_id,
             .physical_resource_id = resource.physical_id,
             .resource_type = resource.type,
             .resource_status = std::string(status),
             .resource_status_reason = std::move(reason),
             .resource_properties = to_text(json::value(resource.properties))});
}

Reply<const Resolver*> StackRun::resolver() {
  if (!resolver_) {
    auto made = Resolver::make(*state_, call_for(work), {*stack.stack_id, *stack.stack_name}, work.definition,
                               work.resources);
    if (!made) return std::unexpected(std::move(made.error()));
    resolver_.emplace(std::move(*made));
  }
  return &*resolver_;
}

ResourceContext StackRun::context(const ResourceRecord& resource, Tags tags) const {
  return {.calls = state_->calls,
          .world = state_->world,
          .call = call_for(work),
          .stack_name = *stack.stack_name,
          .logical_id = resource.logical_id,
          .tags = std::move(tags)};
}

void StackRun::show_definition() {
  renew();
  std::vector<api::Tag> tags;
  for (const auto& [key, value] : work.definition.tags) tags.push_back({.key = key, .value = value});
  stack.tags = std::move(tags);
  const auto source = parse_template(work.definition.body);
  if (!source) return;  // It was read when it came.
  stack.description = source->description;
  std::vector<api::Parameter> parameters;
  for (const auto& [name, value] : work.definition.parameters) {
    const bool hidden = source->parameters.at(name).no_echo;
    parameters.push_back({.parameter_key = name, .parameter_value = hidden ? "****" : value});
  }
  stack.parameters = std::move(parameters);
}

}  // namespace instantstart::sandbox::cloudformation
