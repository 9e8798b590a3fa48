// What the reads of storage answer. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "aws/shapes/s3.h"
#include "base/result.h"
#include "capabilities/storage/storage_plan.h"

namespace instantstart::capabilities {

/// Why pods may not reach a mount; nothing when nothing is known against it.
std::vector<std::string> problems_of(const VolumeSummary& volume, const DriverSeen& driver,
                                     const DriverIdentity& identity, const AccessSeen& access);

/// The keys of a folder begin with this: the mount's prefix, the folder, "/".
std::string folder_prefix(std::string_view mount_prefix, std::string_view folder);

/// Of a page of a listing with the delimiter "/" and URL encoding. Error `upstream_error` for keys that can't
/// be decoded.
Result<std::vector<StorageEntry>> entries_of(const aws::s3::ListObjectsV2Output& page,
                                             std::string_view prefix);

}  // namespace instantstart::capabilities
