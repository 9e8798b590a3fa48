// Server-side apply and field ownership: who set which field (metadata.managedFields), for appliers and for
// everyone else. Follows structured-merge-diff's Updater and apiserver's field manager
// (managedfields/internal).
#pragma once

#include <string>

#include "base/json.h"
#include "base/time.h"
#include "sandbox/kubernetes/objects/schema.h"
#include "sandbox/kubernetes/objects/status.h"

namespace instantstart::sandbox::kubernetes {

/// Who writes, and when. Entries are kept apart by manager, operation, subresource and (for updates)
/// apiVersion.
struct FieldWriter {
  std::string
      manager;  ///< `fieldManager`, or the first part of the User-Agent. 1 to 128 printable characters.
  std::string subresource;  ///< "", "status", "scale".
  WallTime now;
};

/// Error 422 for a manager that is too long or not printable; apply needs one (400).
Outcome<> check_field_manager(const std::string& manager, bool apply);

/// After a create (`before` is empty), update or patch: `after` with managedFields in which `writer` owns
/// what changed, and lost owners are gone. managedFields of `after` count as given when they are valid (a
/// client may drop entries with `[{}]`), else those of `before`. Unchanged objects come back with
/// managedFields of `before`, times included. At most 10 update entries are kept: older ones are merged into
/// "ancient-changes".
json::object track_update(const ObjectSchema& schema, const json::object& before, json::object after,
                          const FieldWriter& writer);

/// Applies a configuration to what is stored (`live` empty: creates). Fields that this manager applied
/// before, no longer does, and nobody else owns are removed. Errors: 409 Conflict with a FieldManagerConflict
/// cause a field, unless `force`; 400 for `metadata.managedFields` in the configuration or another apiVersion
/// or kind. A configuration that changes nothing returns `live` as it was, times included. Defaults are not
/// run here: give the result to `with_defaults`.
Outcome<json::object> apply_configuration(const ObjectSchema& schema, const json::object& live,
                                          const json::object& configuration, const FieldWriter& writer,
                                          bool force);

/// Equal but for managedFields' times, resourceVersion and generation: nothing to write.
bool same_content(const json::object& left, const json::object& right);

}  // namespace instantstart::sandbox::kubernetes
