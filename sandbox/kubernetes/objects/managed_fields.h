// metadata.managedFields as a list of owners. Internal to this room: use apply.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/time.h"
#include "sandbox/kubernetes/objects/field_set.h"

namespace instantstart::sandbox::kubernetes {

struct FieldOwner {
  std::string manager;
  bool applied = false;  ///< Operation Apply, else Update.
  std::string api_version;
  std::string subresource;
  std::string time;  ///< RFC 3339, whole seconds; "" when it is not known.
  FieldSet fields;

  /// Appliers are one whatever the version they apply.
  bool same_manager(const FieldOwner& other) const {
    return manager == other.manager && applied == other.applied && subresource == other.subresource &&
           (applied || api_version == other.api_version);
  }
  bool operator==(const FieldOwner&) const = default;
};
using FieldOwners = std::vector<FieldOwner>;

/// From metadata.managedFields; nothing when it is malformed.
std::optional<FieldOwners> read_owners(const json::object& object);
/// `object` with these owners in Kubernetes' order: appliers first, then by time and manager.
void write_owners(json::object& object, FieldOwners owners);
json::object without_owners(json::object object);

FieldOwner* find_owner(FieldOwners& owners, const FieldOwner& like);

/// At most ten update entries: the oldest of one version are merged into "ancient-changes".
void cap_owners(FieldOwners& owners);

/// "2026-11-30T19:35:29Z".
std::string to_seconds(WallTime time);

}  // namespace instantstart::sandbox::kubernetes
