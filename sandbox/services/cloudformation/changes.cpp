#include "sandbox/services/cloudformation/changes.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "aws/protocols/api_json.h"
#include "base/text.h"
#include "sandbox/services/cloudformation/errors.h"
#include "sandbox/services/cloudformation/resources/requests.h"
#include "sandbox/services/cloudformation/template/contains.h"

namespace instantstart::sandbox::cloudformation {
namespace {

/// Needs first.
std::vector<std::string> in_order(const Dependencies& dependencies) {
  std::vector<std::string> order;
  std::set<std::string> placed;
  while (order.size() < dependencies.size()) {
    for (const auto& [name, needs] : dependencies) {
      if (placed.contains(name)) continue;
      if (!std::ranges::all_of(needs, [&placed](const auto& need) { return placed.contains(need); }))
        continue;
      order.push_back(name);
      placed.insert(name);
    }
  }
  return order;
}

api::Change change_of(api::ResourceChange change) {
  return {.type = "Resource", .resource_change = std::move(change)};
}

api::ResourceChangeDetail detail_of(const Property& property, const Resolved& wanted) {
  const json::value* value = wanted.properties.if_contains(property.name);
  const bool dynamic = value && has_unknown(*value);
  const bool replaces = property.update == Update::replacement;
  return {.target = api::ResourceTargetDefinition{.attribute = "Properties",
                                                  .name = std::string(property.name),
                                                  .requires_recreation = !replaces ? "Never"
                                                                         : dynamic ? "Conditionally"
                                                                                   : "Always"},
          .evaluation = dynamic ? "Dynamic" : "Static",
          .change_source = dynamic ? "ResourceReference" : "DirectModification"};
}

/// How the resource changes; nullopt when it doesn't. One whose replacement is certain loses its id in
/// `record`, so that what refers to it sees that it isn't known.
std::optional<api::Change> modification(ResourceRecord& record, const Resolved& wanted) {
  const ResourceType& type = *find_resource_type(record.type);
  api::ResourceChange change{.action = "Modify",
                             .logical_resource_id = record.logical_id,
                             .physical_resource_id = record.physical_id,
                             .resource_type = record.type,
                             .replacement = "False"};
  change.details.emplace();
  for (const auto& property : type.properties) {
    if (property.name == "Tags" || !differs(record.properties, wanted.properties, property.name)) continue;
    change.details->push_back(detail_of(property, wanted));
    const auto& recreation = change.details->back().target->requires_recreation;
    if (recreation == "Always") change.replacement = "True";
    if (recreation == "Conditionally" && change.replacement == "False") change.replacement = "Conditional";
  }
  change.scope.emplace();
  if (!change.details->empty()) change.scope->push_back("Properties");
  if (record.tags != wanted.tags) {
    change.scope->push_back("Tags");
    change.details->push_back(
        {.target = api::ResourceTargetDefinition{.attribute = "Tags", .requires_recreation = "Never"},
         .evaluation = "Static",
         .change_source = "DirectModification"});
  }
  if (change.details->empty()) return std::nullopt;
  if (change.replacement == "True") {
    change.policy_action = record.update_replace_policy == "Retain" ? "ReplaceAndRetain" : "ReplaceAndDelete";
    record.physical_id.clear();
  }
  return change_of(std::move(change));
}

Reply<void> refuse_changed_types(const Template& source, const Resources& resources) {
  std::vector<std::string> changed;
  for (const auto& [name, declaration] : source.resources) {
    const auto found = resources.find(name);
    if (found != resources.end() && found->second.type != declaration.type) changed.push_back(name);
  }
  if (changed.empty()) return {};
  return invalid(
      fmt::format("Update of resource type is not permitted. The new template modifies resource type of "
                  "the following resources: [{}]",
                  join(changed, ", ")));
}

bool policies_differ(const Template& source, const Resources& resources) {
  return std::ranges::any_of(resources, [&source](const auto& entry) {
    const auto found = source.resources.find(entry.first);
    return found != source.resources.end() &&
           (found->second.deletion_policy != entry.second.deletion_policy ||
            found->second.update_replace_policy != entry.second.update_replace_policy);
  });
}

std::string text_of(const std::vector<api::Output>& outputs) {
  std::string text;
  for (const auto& output : outputs) text += to_text(json::value(aws::to_api_json(output)));
  return text;
}

}  // namespace

Reply<ChangePlan> plan_changes(State& state, const Call& call, const StackNames& names,
                               const Definition& definition, const std::vector<std::string>& capabilities,
                               const api::Stack* stack, const StackWork* work) {
  Resources resources = work ? work->resources : Resources{};
  std::erase_if(resources, [](const auto& entry) { return !entry.second.exists() || entry.second.obsolete; });
  StackWork caller{
      .region = call.region, .principal_arn = call.principal_arn, .principal_id = call.principal_id};
  auto resolver = Resolver::make(state, call_for(caller), names, definition, resources);
  if (!resolver) return std::unexpected(std::move(resolver.error()));
  if (auto refusal = refuse_capabilities(resolver->source(), capabilities)) {
    return std::unexpected(std::move(*refusal));
  }
  if (auto right = resolver->check(); !right) return std::unexpected(std::move(right.error()));
  if (auto right = refuse_changed_types(resolver->source(), resources); !right) {
    return std::unexpected(std::move(right.error()));
  }
  ChangePlan plan;
  for (const auto& name : in_order(resolver->dependencies())) {
    if (!resolver->is_active(name)) continue;
    const auto found = resources.find(name);
    if (found == resources.end()) {
      plan.changes.push_back(change_of({.action = "Add",
                                        .logical_resource_id = name,
                                        .resource_type = resolver->source().resources.at(name).type,
                                        .scope = std::vector<std::string>{},
                                        .details = std::vector<api::ResourceChangeDetail>{}}));
      continue;
    }
    const auto wanted = resolver->resource(name);
    if (!wanted) return std::unexpected(wanted.error());
    if (auto change = modification(found->second, *wanted)) plan.changes.push_back(std::move(*change));
  }
  for (const auto& [name, record] : resources) {
    if (resolver->is_active(name)) continue;
    plan.changes.push_back(
        change_of({.policy_action = record.deletion_policy == "Retain" ? "Retain" : "Delete",
                   .action = "Remove",
                   .logical_resource_id = name,
                   .physical_resource_id = record.physical_id,
                   .resource_type = record.type,
                   .scope = std::vector<std::string>{},
                   .details = std::vector<api::ResourceChangeDetail>{}}));
  }
  if (!stack || !work || !plan.changes.empty()) return plan;
  const auto outputs = resolver->outputs();
  if (!outputs) return std::unexpected(outputs.error());
  plan.changes_nothing = text_of(*outputs) == text_of(aws::items(stack->outputs)) &&
                         definition.tags == work->definition.tags &&
                         !policies_differ(resolver->source(), resources);
  return plan;
}

}  // namespace instantstart::sandbox::cloudformation
