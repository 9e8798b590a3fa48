// The caller's selected cluster: see access/selection_store.h.
#pragma once

#include <optional>
#include <string>

#include "access/selection_store.h"
#include "contract/action.h"
#include "domain/cluster_key.h"
#include "fleet/fleet.h"

namespace instantstart::capabilities {

struct ClusterSelect {
  domain::ClusterReference cluster;
};
struct ClusterSelectAnswer {
  std::string cluster;                  ///< By key: the selected one, or in a dry run the one that would be.
  std::optional<std::string> previous;  ///< Which was selected before.
};
Type describe(ClusterSelect*);
Type describe(ClusterSelectAnswer*);

/// The row of the contract. Both outlive the table; null where rows are only read.
contract::Action cluster_select_action(fleet::Fleet* fleet, access::SelectionStore* selections);

}  // namespace instantstart::capabilities
