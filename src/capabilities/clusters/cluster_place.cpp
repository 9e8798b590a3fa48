#include "capabilities/clusters/cluster_place.h"

#include <fmt/core.h>

#include "base/error_codes.h"
#include "capabilities/clusters/client_of.h"

namespace instantstart::capabilities {

Task<ClusterPlace> find_place(aws::Accounts& accounts, fleet::Fleet& fleet, std::string reference) {
  auto record = co_await fleet.find(std::move(reference));
  if (!record) co_return fail(record.error());
  ClusterPlace place{.record = *record, .target = target_of(*record)};
  auto client = client_of(accounts, place.target);
  if (!client) co_return fail(client.error());
  place.client = *client;
  co_return place;
}

Task<Identity> identity_in(aws::Client& client, ClusterTarget cluster, net::Deadline deadline) {
  auto identity = co_await look_at_identity(client, deadline);
  if (!identity) co_return fail(identity.error());
  if (identity->place.account == cluster.account) co_return std::move(*identity);
  co_return fail(codes::invalid_request,
                 fmt::format("{} is in the account {}, and the credentials are of {}.",
                             domain::to_text(key_of(cluster)), cluster.account, identity->place.account));
}

}  // namespace instantstart::capabilities
