#include "sandbox/kubernetes/api/policy_rule.h"

#include <algorithm>

#include <fmt/format.h>

#include "sandbox/kubernetes/api/metadata.h"

namespace instantstart::sandbox::kubernetes {
namespace {

bool holds(const std::vector<std::string>& allowed, std::string_view wanted) {
  return std::ranges::any_of(allowed, [&](const std::string& one) { return one == "*" || one == wanted; });
}

bool holds_resource(const PolicyRule& rule, const Attributes& wanted) {
  if (wanted.subresource.empty()) return holds(rule.resources, wanted.resource);
  const std::string whole = fmt::format("{}/{}", wanted.resource, wanted.subresource);
  const std::string any = fmt::format("*/{}", wanted.subresource);
  return holds(rule.resources, whole) || std::ranges::find(rule.resources, any) != rule.resources.end();
}

bool holds_url(const PolicyRule& rule, std::string_view path) {
  return std::ranges::any_of(rule.urls, [&](std::string_view url) {
    if (url.ends_with('*')) return path.starts_with(url.substr(0, url.size() - 1));
    return url == path;
  });
}

std::vector<std::string> texts_at(const json::object& object, std::string_view member) {
  std::vector<std::string> texts;
  for (const auto& value : member_array(object, member)) {
    if (const auto* text = value.if_string()) texts.emplace_back(*text);
  }
  return texts;
}

json::array texts(const std::vector<std::string>& values) {
  json::array array;
  for (const auto& value : values) array.emplace_back(value);
  return array;
}

}  // namespace

bool allows(const PolicyRule& rule, const Attributes& wanted) {
  if (!holds(rule.verbs, wanted.verb)) return false;
  if (!wanted.is_resource) return holds_url(rule, wanted.path);
  if (!holds(rule.groups, wanted.group) || !holds_resource(rule, wanted)) return false;
  return rule.names.empty() || std::ranges::find(rule.names, wanted.name) != rule.names.end();
}

bool allow(const std::vector<PolicyRule>& rules, const Attributes& wanted) {
  return std::ranges::any_of(rules, [&](const PolicyRule& rule) { return allows(rule, wanted); });
}

std::vector<PolicyRule> rules_of(const json::object& role) {
  std::vector<PolicyRule> rules;
  for (const auto& value : member_array(role, "rules")) {
    const auto* rule = value.if_object();
    if (!rule) continue;
    rules.push_back({.groups = texts_at(*rule, "apiGroups"),
                     .resources = texts_at(*rule, "resources"),
                     .verbs = texts_at(*rule, "verbs"),
                     .names = texts_at(*rule, "resourceNames"),
                     .urls = texts_at(*rule, "nonResourceURLs")});
  }
  return rules;
}

json::object to_json(const PolicyRule& rule) {
  json::object value{{"verbs", texts(rule.verbs)}};
  if (!rule.urls.empty()) {
    value["nonResourceURLs"] = texts(rule.urls);
    return value;
  }
  value["apiGroups"] = texts(rule.groups);
  value["resources"] = texts(rule.resources);
  if (!rule.names.empty()) value["resourceNames"] = texts(rule.names);
  return value;
}

json::array to_json(const std::vector<PolicyRule>& rules) {
  json::array values;
  for (const auto& rule : rules) values.emplace_back(to_json(rule));
  return values;
}

std::string cannot(const Attributes& wanted) {
  if (!wanted.is_resource) return fmt::format("cannot {} path \"{}\"", wanted.verb, wanted.path);
  const std::string resource = wanted.subresource.empty()
                                   ? wanted.resource
                                   : fmt::format("{}/{}", wanted.resource, wanted.subresource);
  const std::string where = wanted.namespace_name.empty()
                                ? "at the cluster scope"
                                : fmt::format("in the namespace \"{}\"", wanted.namespace_name);
  return fmt::format("cannot {} resource \"{}\" in API group \"{}\" {}", wanted.verb, resource, wanted.group,
                     where);
}

}  // namespace instantstart::sandbox::kubernetes
