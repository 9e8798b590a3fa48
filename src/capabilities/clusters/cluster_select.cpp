#include "capabilities/clusters/cluster_select.h"

#include <utility>

namespace instantstart::capabilities {
namespace {

Task<ClusterSelectAnswer> select_cluster(fleet::Fleet& fleet, access::SelectionStore& selections,
                                         contract::Caller caller, ClusterSelect request) {
  auto record = co_await fleet.find(std::move(request.cluster.value));
  if (!record) co_return fail(record.error());
  ClusterSelectAnswer answer{.cluster = domain::to_text(record->key), .previous = {}};
  auto previous = co_await selections.get(caller.principal);
  if (!previous) co_return fail(previous.error());
  answer.previous = std::move(*previous);
  if (caller.dry_run) co_return answer;
  auto selected = co_await selections.select(caller.principal, answer.cluster);
  if (!selected) co_return fail(selected.error());
  co_return answer;
}

}  // namespace

Type describe(ClusterSelect*) {
  return object_type<ClusterSelect>("ClusterSelect", "Which cluster to select.",
                                    {field<&ClusterSelect::cluster>("cluster", "Key, tag or ARN.")});
}

Type describe(ClusterSelectAnswer*) {
  return object_type<ClusterSelectAnswer>(
      "ClusterSelectAnswer", "The caller's selected cluster.",
      {field<&ClusterSelectAnswer::cluster>("cluster", "The cluster, by key."),
       field<&ClusterSelectAnswer::previous>("previous", "Which was selected before.")});
}

contract::Action cluster_select_action(fleet::Fleet* fleet, access::SelectionStore* selections) {
  return contract::local_action<ClusterSelect, ClusterSelectAnswer>(
      {.name = "cluster_select",
       .path = "/selection",
       .summary = "Select the cluster that your later calls mean when they name none.",
       .doc = "The selection is yours alone: nobody else's calls change. What needs a confirmation must name "
              "its cluster nevertheless. Nothing in AWS is touched.",
       .method = "PUT",
       .status_action = "cluster_get",
       .names_cluster = true,
       .errors = {"ambiguous", "not_found"},
       .example = {{"cluster", "demo"}}},
      [fleet, selections](contract::Caller caller, ClusterSelect request) {
        return select_cluster(*fleet, *selections, std::move(caller), std::move(request));
      });
}

}  // namespace instantstart::capabilities
