#include "sandbox/services/cloudformation/queries.h"

#include <algorithm>
#include <charconv>
#include <functional>

#include <fmt/format.h>

#include "sandbox/services/cloudformation/errors.h"
#include "sandbox/services/cloudformation/resolver.h"
#include "sandbox/services/cloudformation/stacks.h"
#include "sandbox/services/cloudformation/template/contains.h"

namespace instantstart::sandbox::cloudformation {
namespace {

constexpr std::int64_t k_events_per_page = 100;

std::unexpected<AwsFault> no_stack_with_id(std::string_view name) {
  return invalid(fmt::format("Stack with id {} does not exist", name));
}

std::unexpected<AwsFault> no_stack(std::string_view name) {
  return invalid(fmt::format("Stack [{}] does not exist", name));
}

std::unexpected<AwsFault> bad_token() { return invalid("Invalid value for parameter NextToken."); }

aws::Timestamp time_of(const ResourceRecord& record) {
  const auto time = parse_rfc3339(record.updated_at);
  return timestamp(time ? *time : WallTime{});
}

/// Those that something has begun with, by logical id; replaced ones only while they are there.
std::vector<const ResourceRecord*> shown_resources(const StackWork& work) {
  std::vector<const ResourceRecord*> shown;
  for (const auto& [slot, record] : work.resources) {
    if (!record.status.empty() && !record.obsolete) shown.push_back(&record);
  }
  return shown;
}

std::optional<std::string> present(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

api::StackResource shown(const api::Stack& stack, const ResourceRecord& record) {
  return {
      .stack_name = stack.stack_name,
      .stack_id = stack.stack_id,
      .logical_resource_id = record.logical_id,
      .physical_resource_id = present(record.physical_id),
      .resource_type = record.type,
      .timestamp = time_of(record),
      .resource_status = record.status,
      .resource_status_reason = present(record.status_reason),
      .drift_information = api::StackResourceDriftInformation{.stack_resource_drift_status = "NOT_CHECKED"}};
}

/// The stack that has the resource of that physical id.
std::optional<std::string> stack_with(const State& state, const Call& call, const std::string& physical_id) {
  for (const auto& [key, work] : state.work.starting_with(call.region + "/")) {
    for (const auto& [slot, record] : work.resources) {
      if (record.physical_id == physical_id && record.exists()) return key;
    }
  }
  return std::nullopt;
}

}  // namespace

Reply<api::DescribeStacksOutput> describe_stacks(State& state, const Call& call,
                                                 const api::DescribeStacksInput& in) {
  if (in.next_token) return bad_token();
  std::vector<api::Stack> stacks;
  if (in.stack_name) {
    const auto key = find_stack(state, call, *in.stack_name);
    if (!key) return no_stack_with_id(*in.stack_name);
    stacks.push_back(*state.stacks.find(*key));
    return api::DescribeStacksOutput{.stacks = std::move(stacks)};
  }
  for (const auto& [key, stack] : state.stacks.starting_with(call.region + "/")) {
    if (stack.stack_status != "DELETE_COMPLETE") stacks.push_back(stack);
  }
  std::ranges::sort(stacks, std::greater<>(),
                    [](const api::Stack& stack) { return stack.creation_time->time; });
  return api::DescribeStacksOutput{.stacks = std::move(stacks)};
}

Reply<api::DescribeStackEventsOutput> describe_stack_events(State& state, const Call& call,
                                                            const api::DescribeStackEventsInput& in) {
  const auto key = find_stack(state, call, *in.stack_name);
  if (!key) return no_stack(*in.stack_name);
  std::int64_t next = state.work.find(*key)->events;  // The token is the number of the first not to show.
  if (in.next_token) {
    const std::string& token = *in.next_token;
    const auto [end, problem] = std::from_chars(token.data(), token.data() + token.size(), next);
    if (problem != std::errc() || end != token.data() + token.size() || next < 1 ||
        next > state.work.find(*key)->events) {
      return bad_token();
    }
  }
  std::vector<api::StackEvent> events;
  const std::int64_t last = std::max<std::int64_t>(0, next - k_events_per_page);
  for (std::int64_t number = next - 1; number >= last; --number) {
    if (const auto* event = state.events.find(event_key(*key, number))) events.push_back(*event);
  }
  return api::DescribeStackEventsOutput{
      .stack_events = std::move(events),
      .next_token = last > 0 ? std::optional(std::to_string(last)) : std::nullopt};
}

Reply<api::DescribeStackResourcesOutput> describe_stack_resources(
    State& state, const Call& call, const api::DescribeStackResourcesInput& in) {
  if (in.stack_name.has_value() == in.physical_resource_id.has_value()) {
    return invalid("Exactly one of StackName and PhysicalResourceId must be specified");
  }
  const auto key = in.stack_name ? find_stack(state, call, *in.stack_name)
                                 : stack_with(state, call, *in.physical_resource_id);
  if (!key && in.stack_name) return no_stack_with_id(*in.stack_name);
  if (!key) return invalid(fmt::format("Stack for {} does not exist", *in.physical_resource_id));
  const api::Stack& stack = *state.stacks.find(*key);
  std::vector<api::StackResource> resources;
  for (const auto* record : shown_resources(*state.work.find(*key))) {
    if (in.logical_resource_id && record->logical_id != *in.logical_resource_id) continue;
    resources.push_back(shown(stack, *record));
  }
  if (in.logical_resource_id && resources.empty()) {
    return invalid(
        fmt::format("Resource {} does not exist for stack {}", *in.logical_resource_id, *stack.stack_name));
  }
  return api::DescribeStackResourcesOutput{.stack_resources = std::move(resources)};
}

Reply<api::ListStackResourcesOutput> list_stack_resources(State& state, const Call& call,
                                                          const api::ListStackResourcesInput& in) {
  if (in.next_token) return bad_token();
  const auto key = find_stack(state, call, *in.stack_name);
  if (!key) return no_stack_with_id(*in.stack_name);
  std::vector<api::StackResourceSummary> summaries;
  for (const auto* record : shown_resources(*state.work.find(*key))) {
    summaries.push_back({.logical_resource_id = record->logical_id,
                         .physical_resource_id = present(record->physical_id),
                         .resource_type = record->type,
                         .last_updated_timestamp = time_of(*record),
                         .resource_status = record->status,
                         .resource_status_reason = present(record->status_reason)});
  }
  return api::ListStackResourcesOutput{.stack_resource_summaries = std::move(summaries)};
}

Reply<api::ListStacksOutput> list_stacks(State& state, const Call& call, const api::ListStacksInput& in) {
  if (in.next_token) return bad_token();
  const auto& wanted = aws::items(in.stack_status_filter);
  std::vector<api::StackSummary> summaries;
  for (const auto& [key, stack] : state.stacks.starting_with(call.region + "/")) {
    if (!wanted.empty() && !contains(wanted, stack.stack_status.value_or(""))) continue;
    summaries.push_back(
        {.stack_id = stack.stack_id,
         .stack_name = stack.stack_name,
         .template_description = stack.description,
         .creation_time = stack.creation_time,
         .last_updated_time = stack.last_updated_time,
         .deletion_time = stack.deletion_time,
         .stack_status = stack.stack_status,
         .stack_status_reason = stack.stack_status_reason,
         .drift_information = api::StackDriftInformationSummary{.stack_drift_status = "NOT_CHECKED"}});
  }
  std::ranges::sort(summaries, std::greater<>(),
                    [](const api::StackSummary& stack) { return stack.creation_time->time; });
  return api::ListStacksOutput{.stack_summaries = std::move(summaries)};
}

Reply<api::GetTemplateOutput> get_template(State& state, const Call& call, const api::GetTemplateInput& in) {
  if (in.change_set_name) return invalid("The sandbox does not show templates of change sets.");
  if (!in.stack_name) return invalid("StackName must be specified.");
  const auto key = find_stack(state, call, *in.stack_name);
  if (!key) return no_stack_with_id(*in.stack_name);
  return api::GetTemplateOutput{.template_body = state.work.find(*key)->definition.body,
                                .stages_available = {{"Original", "Processed"}}};
}

Reply<api::GetTemplateSummaryOutput> get_template_summary(State& state, const Call& call,
                                                          const api::GetTemplateSummaryInput& in) {
  if (in.template_body.has_value() == in.stack_name.has_value()) {
    return invalid("Exactly one of TemplateBody and StackName must be specified.");
  }
  const auto key = in.stack_name ? find_stack(state, call, *in.stack_name) : std::nullopt;
  if (in.stack_name && !key) return no_stack_with_id(*in.stack_name);
  const auto source = parse_template(key ? state.work.find(*key)->definition.body : *in.template_body);
  if (!source) return std::unexpected(source.error());
  std::vector<api::ParameterDeclaration> parameters;
  for (const auto& [name, parameter] : source->parameters) {
    parameters.push_back({.parameter_key = name,
                          .default_value = parameter.default_value,
                          .parameter_type = parameter.type,
                          .no_echo = parameter.no_echo,
                          .description = parameter.description});
  }
  std::vector<std::string> types;
  for (const auto& [name, resource] : source->resources) {
    if (!contains(types, resource.type)) types.push_back(resource.type);
  }
  return api::GetTemplateSummaryOutput{.parameters = std::move(parameters),
                                       .description = source->description,
                                       .capabilities = needed_capabilities(*source),
                                       .resource_types = std::move(types)};
}

Reply<api::ValidateTemplateOutput> validate_template(State&, const Call&,
                                                     const api::ValidateTemplateInput& in) {
  if (in.template_url) {
    return invalid("The sandbox does not fetch TemplateURL; send the template as TemplateBody.");
  }
  if (!in.template_body) return invalid("Either Template URL or Template Body must be specified.");
  const auto source = parse_template(*in.template_body);
  if (!source) return std::unexpected(source.error());
  for (const auto& [name, resource] : source->resources) {
    if (find_resource_type(resource.type)) continue;
    return invalid(fmt::format("Template format error: Unrecognized resource types: [{}]", resource.type));
  }
  if (const auto sound = dependencies_of(*source); !sound) return std::unexpected(sound.error());
  std::vector<api::TemplateParameter> parameters;
  for (const auto& [name, parameter] : source->parameters) {
    parameters.push_back({.parameter_key = name,
                          .default_value = parameter.default_value,
                          .no_echo = parameter.no_echo,
                          .description = parameter.description});
  }
  api::ValidateTemplateOutput out{.parameters = std::move(parameters), .description = source->description};
  if (auto needed = needed_capabilities(*source); !needed.empty()) {
    out.capabilities = std::move(needed);
    out.capabilities_reason = "The following resource(s) require capabilities: [AWS::IAM::Role]";
  }
  return out;
}

}  // namespace instantstart::sandbox::cloudformation
