#include "sandbox/services/cloudformation/template/references.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <boost/json/array.hpp>

#include "base/text.h"
#include "sandbox/services/cloudformation/errors.h"
#include "sandbox/services/cloudformation/template/contains.h"

namespace instantstart::sandbox::cloudformation {
namespace {

constexpr std::array<std::string_view, 8> k_pseudo{"AWS::AccountId", "AWS::NoValue",  "AWS::NotificationARNs",
                                                   "AWS::Partition", "AWS::Region",   "AWS::StackId",
                                                   "AWS::StackName", "AWS::URLSuffix"};

void collect(const json::value& value, References& out);

void collect_sub(const json::value& argument, References& out) {
  std::string_view text;
  const json::object* own = nullptr;
  if (argument.is_string()) {
    text = argument.get_string();
  } else if (argument.is_array() && argument.get_array().size() == 2) {
    if (argument.get_array()[0].is_string()) text = argument.get_array()[0].get_string();
    own = argument.get_array()[1].if_object();
    collect(argument.get_array()[1], out);
  }
  for (const SubPart& part : sub_parts(text)) {
    if (!part.is_name || (own && own->contains(part.text))) continue;
    const auto dot = part.text.find('.');
    if (dot == std::string::npos) {
      out.refs.insert(part.text);
    } else {
      out.attributes.push_back({part.text.substr(0, dot), part.text.substr(dot + 1)});
    }
  }
}

void collect(const json::value& value, References& out) {
  if (value.is_array()) {
    for (const auto& item : value.get_array()) collect(item, out);
    return;
  }
  if (!value.is_object()) return;
  const json::object& object = value.get_object();
  if (object.size() == 1) {
    const std::string_view name(object.begin()->key());
    const json::value& argument = object.begin()->value();
    if (name == "Ref" && argument.is_string()) {
      out.refs.emplace(argument.get_string());
      return;
    }
    if (name == "Fn::Sub") return collect_sub(argument, out);
    if (name == "Fn::GetAtt") {
      if (auto target = get_att_target(argument)) out.attributes.push_back(std::move(*target));
      return;
    }
  }
  for (const auto& member : object) collect(member.value(), out);
}

std::unexpected<AwsFault> unresolved(const std::set<std::string>& names, std::string_view block) {
  return invalid(fmt::format(
      "Template format error: Unresolved resource dependencies [{}] in the {} block of the template",
      join(std::vector<std::string>(names.begin(), names.end()), ", "), block));
}

/// The resources among what is referred to.
Reply<std::set<std::string>> resources_among(const Template& source, const References& references,
                                             std::string_view block) {
  std::set<std::string> needed;
  std::set<std::string> missing;
  for (const auto& name : references.refs) {
    if (source.resources.contains(name)) {
      needed.insert(name);
    } else if (!source.parameters.contains(name) && !contains(k_pseudo, name)) {
      missing.insert(name);
    }
  }
  if (!missing.empty()) return unresolved(missing, block);
  for (const auto& target : references.attributes) {
    if (!source.resources.contains(target.logical_id)) {
      return invalid(fmt::format("Template error: instance of Fn::GetAtt references undefined resource {}",
                                 target.logical_id));
    }
    needed.insert(target.logical_id);
  }
  return needed;
}

/// Takes away what needs nothing that is left, again and again: the rest stands in a cycle or behind one.
std::optional<AwsFault> refuse_cycle(Dependencies left) {
  bool changed = true;
  while (changed) {
    changed = std::erase_if(left, [&left](const auto& entry) {
                return std::ranges::none_of(entry.second,
                                            [&left](const auto& name) { return left.contains(name); });
              }) > 0;
  }
  // What only stands behind the cycle is no part of it.
  for (changed = true; changed;) {
    changed = std::erase_if(left, [&left](const auto& entry) {
                return std::ranges::none_of(
                    left, [&entry](const auto& other) { return other.second.contains(entry.first); });
              }) > 0;
  }
  if (left.empty()) return std::nullopt;
  std::vector<std::string> names;
  for (const auto& [name, ignored] : left) names.push_back(name);
  return invalid(fmt::format("Circular dependency between resources: [{}]", join(names, ", "))).error();
}

}  // namespace

std::vector<SubPart> sub_parts(std::string_view text) {
  std::vector<SubPart> parts;
  std::string literal;
  while (!text.empty()) {
    const auto end = text.starts_with("${") ? text.find('}') : std::string_view::npos;
    if (end == std::string_view::npos) {
      literal += text.front();
      text.remove_prefix(1);
      continue;
    }
    const std::string_view name = text.substr(2, end - 2);
    text.remove_prefix(end + 1);
    if (name.starts_with('!')) {
      literal += fmt::format("${{{}}}", name.substr(1));
      continue;
    }
    parts.push_back({std::exchange(literal, {})});
    parts.push_back({std::string(trim(name)), true});
  }
  parts.push_back({std::move(literal)});
  return parts;
}

std::optional<GetAttTarget> get_att_target(const json::value& argument) {
  GetAttTarget target;
  if (argument.is_string()) {
    const std::string_view text = argument.get_string();
    const auto dot = text.find('.');
    if (dot == std::string_view::npos) return std::nullopt;
    target = {std::string(text.substr(0, dot)), std::string(text.substr(dot + 1))};
  } else if (argument.is_array() && argument.get_array().size() == 2 && argument.get_array()[0].is_string() &&
             argument.get_array()[1].is_string()) {
    target = {std::string(argument.get_array()[0].get_string()),
              std::string(argument.get_array()[1].get_string())};
  }
  if (target.logical_id.empty() || target.attribute.empty()) return std::nullopt;
  return target;
}

References references_of(const json::value& value) {
  References out;
  collect(value, out);
  return out;
}

Reply<Dependencies> dependencies_of(const Template& source) {
  Dependencies all;
  for (const auto& [name, resource] : source.resources) {
    auto needed = resources_among(source, references_of(resource.properties), "Resources");
    if (!needed) return std::unexpected(std::move(needed.error()));
    std::set<std::string> missing;
    for (const auto& other : resource.depends_on) {
      needed->insert(other);
      if (!source.resources.contains(other)) missing.insert(other);
    }
    if (!missing.empty()) return unresolved(missing, "Resources");
    all.emplace(name, std::move(*needed));
  }
  for (const auto& [name, output] : source.outputs) {
    json::array values{output.value};
    if (output.export_name) values.push_back(*output.export_name);
    const auto needed = resources_among(source, references_of(values), "Outputs");
    if (!needed) return std::unexpected(needed.error());
  }
  if (auto refusal = refuse_cycle(all)) return std::unexpected(std::move(*refusal));
  return all;
}

}  // namespace instantstart::sandbox::cloudformation
