// A Kubernetes object that we apply: how it says whose it is.
//
// It carries what Helm looks for before it adopts an object (label and annotations), so that a later
// `helm upgrade --install` of the chart can take it over; and our own proof, which Helm leaves alone: the
// component, and the operation that made it. Without that proof an object of the same name is somebody
// else's.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace instantstart::capabilities {

inline constexpr std::string_view k_component_label = "instantstart/component";
inline constexpr std::string_view k_operation_annotation = "instantstart/operation";
inline constexpr std::string_view k_version_annotation = "instantstart/version";
inline constexpr std::string_view k_release = "hyperpod-dependencies";
inline constexpr std::string_view k_release_namespace = "kube-system";
inline constexpr std::string_view k_hyperpod_namespace = "aws-hyperpod";

struct Ownership {
  std::string component;     ///< "health_agent"
  std::string version;       ///< Of the component.
  std::string release;       ///< The name of the Helm release that could adopt it.
  std::string operation_id;  ///< That made it.
};

/// Which object, as the API addresses it.
struct ObjectRef {
  std::string api_version;  ///< "apps/v1"
  std::string kind;         ///< "DaemonSet"
  std::string namespace_;   ///< Empty for what stands outside namespaces.
  std::string name;

  auto operator<=>(const ObjectRef&) const = default;
};

ObjectRef ref_of(const json::object& object);
/// "daemonsets/kube-system/nvidia-device-plugin", "clusterroles/hyperpod-patching": for plans and
/// inventories.
std::string to_text(const ObjectRef& ref);
/// The way back, for the kinds that our components are made of; nullopt for anything else.
std::optional<ObjectRef> parse_object_ref(std::string_view text);

/// With labels, annotations and version of the owner.
json::object owned(json::object object, const Ownership& ownership);

/// The operation that made it; nullopt: not ours.
std::optional<std::string> maker_of(const json::object& object);

/// Where `live` lacks what `desired` says, as JSON Pointers: empty when applying it would change nothing.
/// What the server filled in beside ours doesn't count, nor does which operation made it. An empty value is
/// as good as an absent one, since Go's encoding leaves both out.
std::vector<std::string> differences(const json::object& desired, const json::object& live);

}  // namespace instantstart::capabilities
