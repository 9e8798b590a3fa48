// The components, as a table: one more is one more row.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "capabilities/dependencies/hyperpod_objects.h"
#include "kube/resource_type.h"

namespace instantstart::capabilities {

enum class How {
  objects,        ///< Kubernetes objects that we apply.
  eks_addon,      ///< An add-on that EKS keeps.
  oidc_provider,  ///< An IAM OIDC provider for the cluster's issuer.
};
std::string_view to_text(How how);

/// An AWS identity that the component's pods get by EKS Pod Identity.
struct ComponentIdentity {
  std::string_view space;
  std::string_view service_account;
  std::string_view purpose;  ///< Of the role's name: "s3-csi".
  /// A managed policy of AWS that its role has; empty: the role may do nothing at first.
  std::string_view policy = {};
};

/// A well-known object of a component: when it is there without the add-on, somebody else installed the same
/// thing.
struct Evidence {
  std::string_view group;
  std::string_view version;
  std::string_view kind;
  std::string_view plural;
  std::string_view space;  ///< Empty: cluster-wide.
  std::string_view name;
};

struct Component {
  std::string_view name;   ///< "health_agent"
  std::string_view title;  ///< "Health monitoring agent"
  How how = How::objects;
  std::vector<std::string_view> needs = {};  ///< Components that come before it.
  bool needs_nodes = false;
  std::string_view version = {};  ///< Empty: EKS says which.

  Objects (*objects)(const ObjectScope&) = nullptr;
  /// What a user should know before it is applied in a region; nothing when there is nothing to say.
  std::optional<std::string> (*caution)(std::string_view region) = nullptr;
  /// "/k8s-device-plugin:": two copies of such a plugin on one node would fight, so another DaemonSet with
  /// this in its image takes the component's place.
  std::string_view image_mark = {};
  /// The chart's switch for it; it is on where a release says nothing. Empty: not in the chart.
  std::string_view chart_condition = {};

  std::string_view addon = {};  ///< EKS's name.
  std::optional<ComponentIdentity> identity = {};
  std::optional<Evidence> evidence = {};
};

/// In an order that has every component after those that it needs.
std::span<const Component> components();
/// nullptr when there is none.
const Component* find_component(std::string_view name);

/// The named ones and all that they need, in the table's order; all for an empty list. The names are valid.
std::vector<const Component*> with_needs(const std::vector<std::string_view>& names);

}  // namespace instantstart::capabilities
