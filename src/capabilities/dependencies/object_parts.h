// Pieces that many objects are made of. Pure.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace instantstart::capabilities {

using Words = std::initializer_list<std::string_view>;

struct PolicyRule {
  Words groups;  ///< "" is the core group.
  Words resources;
  Words verbs;
};

json::array to_array(Words words);
json::array to_array(const std::vector<std::string>& texts);

json::object service_account(std::string_view space, std::string_view name);
json::object cluster_role(std::string_view name, std::initializer_list<PolicyRule> rules);
json::object bound_to_account(std::string_view name, std::string_view role, std::string_view space,
                              std::string_view account);
json::object bound_to_user(std::string_view name, std::string_view role, std::string_view user);

/// `value` absent: any value ("Exists"). An empty effect means every effect.
json::object tolerates(std::string_view key, std::string_view effect);
json::object tolerates_any(std::string_view effect);
/// Nodes that the service checks or holds back: device plugins and agents run there too.
json::object tolerates_health_checks();

/// Required node affinity: the node's instance type is one of these. `more` is one further expression, or
/// empty.
json::object on_instance_types(const std::vector<std::string>& types, json::object more = {});

json::object env(std::string_view name, std::string_view value);
/// With the API version that the server would fill in: server-side apply compares such a value as a whole.
json::object env_from_field(std::string_view name, std::string_view path);
json::object mount(std::string_view volume, std::string_view path);
json::object mount_read_only(std::string_view volume, std::string_view path);
json::object host_path(std::string_view volume, std::string_view path, std::string_view type = "");

/// No privilege escalation, no capabilities.
json::object unprivileged();

struct DaemonSetParts {
  std::string space;
  std::string name;
  json::object labels;    ///< Of the object.
  json::object selector;  ///< Also the labels of its pods.
  json::object pod;       ///< The pod's spec.
  bool rolling = false;   ///< Writes the update strategy, which is the default one.
};
json::object daemon_set(DaemonSetParts parts);

}  // namespace instantstart::capabilities
