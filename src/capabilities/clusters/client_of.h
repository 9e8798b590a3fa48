// The client that reaches a cluster.
#pragma once

#include <string_view>

#include "aws/accounts.h"
#include "base/error_codes.h"
#include "base/json.h"
#include "capabilities/dependencies/cluster_target.h"

namespace instantstart::capabilities {

inline Result<aws::Client*> client_of(aws::Accounts& accounts, const ClusterTarget& cluster) {
  auto account = accounts.get(cluster.profile, cluster.region);
  if (!account) return fail(account.error());
  return &(*account)->client();
}

/// Deleting what is gone is no error.
template <class Output>
Result<json::value> receipt_of_deletion(Result<Output> answer, json::value receipt, std::string_view what) {
  if (!answer && answer.error().code != codes::not_found) return fail(within(what, answer.error()));
  return receipt;
}

template <class Output>
Result<json::value> receipt_of(Result<Output> answer, json::value receipt, std::string_view what) {
  if (!answer) return fail(within(what, answer.error()));
  return receipt;
}

}  // namespace instantstart::capabilities
