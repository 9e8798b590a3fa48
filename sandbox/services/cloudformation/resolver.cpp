#include "sandbox/services/cloudformation/resolver.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "aws/shapes/ec2.h"
#include "base/text.h"
#include "sandbox/core/arn.h"
#include "sandbox/services/cloudformation/errors.h"
#include "sandbox/services/cloudformation/resources/requests.h"
#include "sandbox/services/cloudformation/template/contains.h"

namespace instantstart::sandbox::cloudformation {
namespace {

constexpr std::string_view k_invoked_by = "cloudformation.amazonaws.com";

/// [{"Key": "a", "Value": "b"}], or {"a": "b"} as some types take them.
Tags own_tags(const json::object& properties) {
  Tags tags;
  const json::value* found = properties.if_contains("Tags");
  if (!found) return tags;
  if (const json::object* map = found->if_object()) {
    for (const auto& [key, value] : *map) tags.emplace(key, scalar_text(value).value_or(""));
  }
  for (const auto& tag : objects(properties, "Tags")) {
    tags.insert_or_assign(text(tag, "Key").value_or(""), text(tag, "Value").value_or(""));
  }
  return tags;
}

std::optional<AwsFault> refuse_types(const Template& source) {
  std::vector<std::string> unknown;
  for (const auto& [name, resource] : source.resources) {
    if (!find_resource_type(resource.type) && !contains(unknown, resource.type))
      unknown.push_back(resource.type);
  }
  if (unknown.empty()) return std::nullopt;
  return invalid(fmt::format("Template format error: Unrecognized resource types: [{}]", join(unknown, ", ")))
      .error();
}

}  // namespace

Resolver::Resolver(State& state, Call call, StackNames names, Definition definition,
                   const Resources& resources)
    : state_(&state),
      call_(std::move(call)),
      names_(std::move(names)),
      definition_(std::move(definition)),
      resources_(&resources) {}

Reply<Resolver> Resolver::make(State& state, Call call, StackNames names, Definition definition,
                               const Resources& resources) {
  Resolver resolver(state, std::move(call), std::move(names), std::move(definition), resources);
  auto source = parse_template(resolver.definition_.body);
  if (!source) return std::unexpected(std::move(source.error()));
  resolver.source_ = std::move(*source);
  if (auto refusal = refuse_types(resolver.source_)) return std::unexpected(std::move(*refusal));
  auto dependencies = dependencies_of(resolver.source_);
  if (!dependencies) return std::unexpected(std::move(dependencies.error()));
  resolver.dependencies_ = std::move(*dependencies);
  auto conditions = evaluate_conditions(resolver.scope());
  if (!conditions) return std::unexpected(std::move(conditions.error()));
  resolver.conditions_ = std::move(*conditions);
  for (const auto& [name, resource] : resolver.source_.resources) {
    if (!resource.condition || resolver.conditions_.contains(*resource.condition)) continue;
    return invalid(
        fmt::format("Template format error: Unresolved condition dependency {} in the Resources block "
                    "of the template",
                    *resource.condition));
  }
  return resolver;
}

bool Resolver::is_active(const std::string& logical_id) const {
  const auto found = source_.resources.find(logical_id);
  if (found == source_.resources.end()) return false;
  return !found->second.condition || conditions_.at(*found->second.condition);
}

Scope Resolver::scope() const {
  return {
      .source = source_,
      .parameters = definition_.parameters,
      .pseudo = {{"AWS::Region", call_.region},
                 {"AWS::AccountId", state_->world.account()},
                 {"AWS::Partition", std::string(partition_of(call_.region))},
                 {"AWS::StackName", names_.name},
                 {"AWS::StackId", names_.id},
                 {"AWS::URLSuffix", call_.region.starts_with("cn-") ? "amazonaws.com.cn" : "amazonaws.com"}},
      .conditions = conditions_,
      .ref = [this](const std::string& logical_id) { return ref(logical_id); },
      .attribute = [this](const std::string& logical_id,
                          const std::string& name) { return attribute(logical_id, name); },
      .zones = [this](const std::string& region) { return zones(region); }};
}

Reply<json::value> Resolver::ref(const std::string& logical_id) const {
  if (!is_active(logical_id)) {
    return invalid(fmt::format(
        "Template format error: Unresolved resource dependencies [{}] in the Resources block of the template",
        logical_id));
  }
  const auto found = resources_->find(logical_id);
  const bool known = found != resources_->end() && found->second.exists();
  return json::value(json::string(known ? std::string_view(found->second.physical_id) : k_unknown));
}

Reply<json::value> Resolver::attribute(const std::string& logical_id, const std::string& name) const {
  if (auto exists = ref(logical_id); !exists) return exists;
  const ResourceType* type = find_resource_type(source_.resources.at(logical_id).type);
  if (!type->has_attribute(name)) {
    return invalid(fmt::format("Template error: resource {} does not support attribute type {} in Fn::GetAtt",
                               logical_id, name));
  }
  const auto found = resources_->find(logical_id);
  const json::value* value = found != resources_->end() && found->second.exists()
                                 ? found->second.attributes.if_contains(name)
                                 : nullptr;
  return value ? *value : json::value(json::string(k_unknown));
}

std::vector<std::string> Resolver::zones(const std::string& region) const {
  Call call = call_;
  call.region = region;
  const auto found = state_->calls.call<aws::ec2::DescribeAvailabilityZones>(std::move(call), {});
  std::vector<std::string> names;
  if (!found) return names;
  for (const auto& zone : aws::items(found->availability_zones)) {
    if (zone.zone_type.value_or("availability-zone") != "availability-zone") continue;
    names.push_back(zone.zone_name.value_or(""));
  }
  std::ranges::sort(names);
  return names;
}

Reply<Resolved> Resolver::resource(const std::string& logical_id) const {
  const ResourceDeclaration& declaration = source_.resources.at(logical_id);
  const ResourceType* type = find_resource_type(declaration.type);
  auto value = evaluated(json::value(declaration.properties), scope());
  if (!value) return std::unexpected(std::move(value.error()));
  // Properties that are one function, as Fn::If over all of them, come to an object too; or to nothing.
  Resolved resolved;
  if (json::object* properties = value->if_object()) resolved.properties = std::move(*properties);
  if (!type->tagged) return resolved;
  resolved.tags = {{"aws:cloudformation:stack-name", names_.name},
                   {"aws:cloudformation:stack-id", names_.id},
                   {"aws:cloudformation:logical-id", logical_id}};
  for (const auto& [key, tag] : definition_.tags) resolved.tags.insert_or_assign(key, tag);
  for (const auto& [key, tag] : own_tags(resolved.properties)) resolved.tags.insert_or_assign(key, tag);
  return resolved;
}

Reply<std::vector<api::Output>> Resolver::outputs() const {
  std::vector<api::Output> outputs;
  for (const auto& [name, output] : source_.outputs) {
    if (output.condition) {
      const auto holds = conditions_.find(*output.condition);
      if (holds == conditions_.end()) {
        return invalid(
            fmt::format("Template format error: Unresolved condition dependency {} in the Outputs "
                        "block of the template",
                        *output.condition));
      }
      if (!holds->second) continue;
    }
    auto value = evaluated(output.value, scope());
    if (!value) return std::unexpected(std::move(value.error()));
    auto as_text = scalar_text(*value);
    if (!as_text) {
      return invalid(
          fmt::format("Template format error: The Value field of every Outputs member must evaluate "
                      "to a String. [{}]",
                      name));
    }
    api::Output shown{
        .output_key = name, .output_value = std::move(*as_text), .description = output.description};
    if (output.export_name) {
      auto exported = evaluated(*output.export_name, scope());
      if (!exported) return std::unexpected(std::move(exported.error()));
      shown.export_name = scalar_text(*exported);
    }
    outputs.push_back(std::move(shown));
  }
  return outputs;
}

Reply<void> Resolver::check() const {
  for (const auto& [name, declaration] : source_.resources) {
    if (!is_active(name)) continue;
    auto resolved = resource(name);
    if (!resolved) return std::unexpected(std::move(resolved.error()));
  }
  auto made = outputs();
  if (!made) return std::unexpected(std::move(made.error()));
  return {};
}

std::vector<std::string> needed_capabilities(const Template& source) {
  bool has_roles = false;
  for (const auto& [name, resource] : source.resources) {
    if (resource.type != "AWS::IAM::Role") continue;
    if (resource.properties.contains("RoleName")) return {"CAPABILITY_NAMED_IAM"};
    has_roles = true;
  }
  return has_roles ? std::vector<std::string>{"CAPABILITY_IAM"} : std::vector<std::string>{};
}

std::optional<AwsFault> refuse_capabilities(const Template& source, const std::vector<std::string>& given) {
  const auto needed = needed_capabilities(source);
  if (needed.empty() || contains(given, "CAPABILITY_NAMED_IAM") || contains(given, needed.front())) {
    return std::nullopt;
  }
  return fault("InsufficientCapabilitiesException",
               fmt::format("Requires capabilities : [{}]", needed.front()))
      .error();
}

Call call_for(const StackWork& work) {
  Call call{.region = work.region,
            .principal_arn = work.principal_arn,
            .principal_id = work.principal_id,
            .access_key_id = work.access_key_id};
  call.invoked_by = k_invoked_by;
  return call;
}

}  // namespace instantstart::sandbox::cloudformation
