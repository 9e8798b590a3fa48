// What is seen of a mount's parts in the real world, before anything is concluded from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/describe.h"
#include "capabilities/dependencies/component_seen.h"

namespace instantstart::capabilities {

struct BucketSeen {
  bool exists = false;
  bool accessible = false;  ///< S3 lets us look at it; names are global, so it may be anybody's.
  std::string region;
  // Looked at where it may be ours:
  std::optional<std::string> maker;  ///< Our operation that made it for this cluster.
  bool public_blocked = false;       ///< All four settings.
  bool empty = false;                ///< It holds no object's current version.
};

/// The mount's policy in the driver's role.
struct AccessSeen {
  bool exists = false;
  std::optional<std::string> mark;  ///< Which operation made it; absent: not ours.
  bool as_wanted = false;
};

struct MountSeen {
  std::vector<ObjectSeen> objects;  ///< The volume, then the claim.
  std::string phase;                ///< Of the claim: "Bound"; empty when it isn't there.
  std::vector<std::string> users;   ///< Pods that use the claim and have not ended, the first of them.
  std::int64_t user_count = 0;
};

Type describe(BucketSeen*);
Type describe(AccessSeen*);
Type describe(MountSeen*);

}  // namespace instantstart::capabilities
