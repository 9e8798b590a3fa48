// A Kubernetes object stays the JSON that it is; this reads what all kinds have in common.
// https://kubernetes.io/docs/reference/using-api/api-concepts/
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace instantstart::kube {

struct GroupVersionKind {
  std::string group;  ///< "" is the core group.
  std::string version;
  std::string kind;

  std::string api_version() const;  ///< "apps/v1", "v1"
  bool operator==(const GroupVersionKind&) const = default;
};

/// Splits "apps/v1" or "v1".
GroupVersionKind to_gvk(std::string_view api_version, std::string_view kind);

/// Where an object is, within its type.
struct ObjectName {
  std::string space;  ///< Its namespace; "" for a cluster-wide object.
  std::string name;

  auto operator<=>(const ObjectName&) const = default;
};

/// metav1.Condition, and what older types call one.
struct Condition {
  std::string type;
  std::string status;  ///< "True", "False" or "Unknown"
  std::string reason;
  std::string message;

  bool is_true() const { return status == "True"; }
};

/// Looks at an object that it does not own. Text is as it came: what a cluster holds is untrusted.
class ObjectView {
 public:
  explicit ObjectView(const json::object& object) : object_(&object) {}
  explicit ObjectView(json::object&&) = delete;

  GroupVersionKind gvk() const;
  ObjectName id() const;
  std::string_view name() const;
  std::string_view space() const;  ///< Its namespace.
  std::string_view uid() const;
  std::string_view resource_version() const;
  std::int64_t generation() const;
  bool being_deleted() const;

  std::optional<std::string_view> label(std::string_view key) const;
  std::optional<std::string_view> annotation(std::string_view key) const;
  std::vector<Condition> conditions() const;
  std::optional<Condition> condition(std::string_view type) const;

 private:
  const json::object* object_;
};

}  // namespace instantstart::kube
