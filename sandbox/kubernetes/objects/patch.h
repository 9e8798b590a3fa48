// The three patches of the API: JSON Patch (RFC 6902), JSON Merge Patch (RFC 7396) and Kubernetes' strategic
// merge patch. All are pure: what comes out still has to be decoded, defaulted and validated.
#pragma once

#include "base/json.h"
#include "sandbox/kubernetes/objects/schema.h"
#include "sandbox/kubernetes/objects/status.h"

namespace instantstart::sandbox::kubernetes {

/// `application/json-patch+json`. Errors: 400 for a malformed patch, 422 Invalid when an operation can't be
/// done
/// (`the server rejected our request due to an error in our request`, the reason in a cause). At most 10,000
/// operations.
Outcome<json::value> json_patch(json::value document, const json::value& patch);

/// `application/merge-patch+json`: null removes, objects merge, everything else replaces.
json::value merge_patch(json::value document, const json::value& patch);

/// `application/strategic-merge-patch+json`: lists merge by `patchMergeKey`, with `$patch:
/// replace|delete|merge`,
/// `$retainKeys`, `$setElementOrder/<list>`, `$deleteFromPrimitiveList/<list>`. Custom kinds have none: the
/// server answers 415 before it comes here. Errors: 400 with what is wrong with a directive or a merge key.
Outcome<json::object> strategic_merge_patch(json::object document, const json::object& patch,
                                            const ObjectSchema& schema);

}  // namespace instantstart::sandbox::kubernetes
