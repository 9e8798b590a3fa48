// The calls of steps that make or remove our objects one by one. What they answer, {"ref": …}, is the act's
// receipt.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "kube/eks_clusters.h"
#include "net/task.h"

namespace instantstart::capabilities {

/// Applies the one of `objects` that `ref` names (owned_object.h). `force` takes fields over from other
/// managers. With "created" in the answer. Error `internal` when none is named so.
Task<json::value> apply_object(std::shared_ptr<kube::EksCluster> api, std::vector<json::object> objects,
                               std::string ref, bool force, net::Deadline deadline);

/// Deletes the object if the operation `maker` made it: the very one that is looked at, and no other that
/// takes its name. One that is gone is fine; one of another maker stays, with "kept" in the answer. Error
/// `internal` for a `ref` that can't be read.
Task<json::value> remove_made_object(std::shared_ptr<kube::EksCluster> api, std::string ref,
                                     std::string maker, net::Deadline deadline);

}  // namespace instantstart::capabilities
