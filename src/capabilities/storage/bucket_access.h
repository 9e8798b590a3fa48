// What the driver may do with a mounted bucket: one inline policy a mount, in the driver's role. Several
// mounts add up, and none widens another. Pure.
//
// Its statement ids carry the operation that made it, which is the proof that it is ours: inline policies
// have no tags.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "capabilities/storage/mount.h"

namespace instantstart::capabilities {

/// How a policy names its maker; statement ids are letters and digits only.
std::string policy_mark(std::string_view operation_id);

json::object access_policy(const Mount& mount, std::string_view mark);

/// The mark of a policy that we made; nullopt: somebody else's.
std::optional<std::string> mark_of(const json::object& policy);

/// What the mount's requests need, in words, for an identity that is not ours to change.
std::string needs_in_words(const Mount& mount);

}  // namespace instantstart::capabilities
