// A managed cluster and the client that reaches it: what every handler begins with.
#pragma once

#include <string>

#include "aws/accounts.h"
#include "capabilities/clusters/cluster_reader.h"
#include "capabilities/dependencies/cluster_target.h"
#include "capabilities/network/preflight.h"
#include "fleet/fleet.h"

namespace instantstart::capabilities {

struct ClusterPlace {
  fleet::ClusterRecord record;
  ClusterTarget target;
  aws::Client* client = nullptr;
};

/// Errors: those of Fleet::find and Accounts::get.
Task<ClusterPlace> find_place(aws::Accounts& accounts, fleet::Fleet& fleet, std::string reference);

/// Who calls; error `invalid_request` when the credentials are of another account than the cluster.
Task<Identity> identity_in(aws::Client& client, ClusterTarget cluster, net::Deadline deadline);

}  // namespace instantstart::capabilities
