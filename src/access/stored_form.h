// How this room's values stand in the store.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/digest.h"
#include "base/time.h"

namespace instantstart::access {

/// Secrets are kept as digests only.
inline std::string digest_of(std::string_view secret) { return to_hex(sha256(secret)); }

/// Since 1970.
inline std::int64_t to_milliseconds(WallTime time) { return time.time_since_epoch().count(); }

}  // namespace instantstart::access
