// A rule of RBAC (rbac.authorization.k8s.io/v1) and the decision it makes. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "base/json.h"

namespace instantstart::sandbox::kubernetes {

/// What somebody wants to do.
struct Attributes {
  bool is_resource = true;
  std::string verb;
  std::string group;
  std::string resource;
  std::string subresource;
  std::string namespace_name;
  std::string name;
  std::string path;  ///< Where it is no resource.
};

struct PolicyRule {
  std::vector<std::string> groups;
  std::vector<std::string> resources;
  std::vector<std::string> verbs;
  std::vector<std::string> names = {};  ///< Empty: all.
  std::vector<std::string> urls = {};   ///< Of rules about no resource.
};

bool allows(const PolicyRule& rule, const Attributes& wanted);
bool allow(const std::vector<PolicyRule>& rules, const Attributes& wanted);

/// Of a Role or ClusterRole. What can't be read allows nothing.
std::vector<PolicyRule> rules_of(const json::object& role);
json::object to_json(const PolicyRule& rule);
json::array to_json(const std::vector<PolicyRule>& rules);

/// "cannot list resource "pods" in API group "" in the namespace "default"", as refusals say it.
std::string cannot(const Attributes& wanted);

}  // namespace instantstart::sandbox::kubernetes
