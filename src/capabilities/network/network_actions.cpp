#include "aws/pagination.h"
#include "capabilities/network/control_plane_steps.h"
#include "capabilities/network/kubernetes_versions.h"
#include "capabilities/network/network.h"

namespace instantstart::capabilities {
namespace {

using contract::Caller;
namespace eks = aws::eks;

Task<KubernetesVersionListAnswer> list_versions(aws::Accounts& accounts, net::Deadline deadline,
                                                KubernetesVersionList request) {
  auto account = accounts.get(request.profile ? std::optional(request.profile->value) : std::nullopt,
                              request.region ? std::optional(request.region->value) : std::nullopt);
  if (!account) co_return fail(account.error());
  aws::Client& client = (*account)->client();
  auto versions = co_await aws::collect<eks::DescribeClusterVersions>(
      client, {}, &eks::DescribeClusterVersionsResponse::cluster_versions, {.deadline = deadline});
  if (!versions) co_return fail(within("List Kubernetes versions", versions.error()));
  co_return KubernetesVersionListAnswer{client.region(), to_versions(*versions, request.extended)};
}

std::vector<std::string> with_aws_errors(std::vector<std::string> codes) {
  for (const char* code : {"access_denied", "credentials_expired", "credentials_invalid",
                           "credentials_missing", "connection_failed", "throttled", "upstream_error"}) {
    codes.emplace_back(code);
  }
  return codes;
}

}  // namespace

std::vector<contract::Action> network_actions(aws::Accounts* accounts, fleet::Fleet* fleet) {
  std::vector<contract::Action> actions;
  actions.push_back(contract::read_action<KubernetesVersionList, KubernetesVersionListAnswer>(
      {.name = "kubernetes_version_list",
       .path = "/kubernetes-versions",
       .summary = "Kubernetes versions that EKS offers, and until when.",
       .doc = "Use it to choose a version for control_plane_create. It changes nothing.",
       .errors = with_aws_errors({}),
       .example = {{"region", "us-west-2"}}},
      [accounts](Caller caller, KubernetesVersionList request) {
        return list_versions(*accounts, caller.deadline, std::move(request));
      }));
  actions.push_back(contract::change_action<ControlPlaneCreate>(
      {.name = "control_plane_create",
       .path = "/control-planes",
       .summary = "Create the network and the EKS control plane of a cluster.",
       .doc = "One CloudFormation stack: VPC, subnets in at least two zones, NAT, S3 endpoint, a security "
              "group for "
              "EFA, the control plane and its core add-ons; or the control plane alone in an existing VPC. "
              "It takes "
              "about 15 minutes. Names, permissions, quotas and zones are checked first, also in a dry run. "
              "Asked "
              "again with the same values it changes nothing; with others, only these. It makes no nodes.",
       .status_action = "operation_get",
       .operation_kind = std::string(k_control_plane_create),
       .errors = with_aws_errors({"name_taken", "quota_exceeded"}),
       .example = {{"name", "demo"}, {"region", "us-west-2"}}},
      [accounts, fleet, recent = std::make_shared<RecentBlocks>()](Caller caller,
                                                                   ControlPlaneCreate request) {
        return plan_control_plane_create(*accounts, *fleet, std::move(caller), std::move(request),
                                         recent.get());
      }));
  actions.push_back(contract::change_action<ControlPlaneDelete>(
      {.name = "control_plane_delete",
       .path = "/control-planes/{cluster}",
       .summary = "Delete a cluster's EKS control plane, and the network made for it.",
       .doc =
           "It refuses, and lists them, while there are things in the network that its stack did not make: "
           "HyperPod clusters, load balancers, network interfaces, subnets, security groups. Delete those "
           "first. "
           "An existing VPC that the control plane was put into stays.",
       .effect = contract::Effect::destroy,
       .method = "DELETE",
       .status_action = "operation_get",
       .operation_kind = std::string(k_control_plane_delete),
       .errors = with_aws_errors({"ambiguous", "blocked", "name_taken", "not_found"}),
       .example = {{"cluster", "demo"}}},
      [accounts, fleet](Caller caller, ControlPlaneDelete request) {
        return plan_control_plane_delete(*accounts, *fleet, std::move(caller), std::move(request));
      }));
  return actions;
}

void add_network_kinds(operations::KindRegistry& kinds, aws::Accounts& accounts, fleet::Fleet& fleet,
                       const Clock& clock) {
  kinds.add(operations::OperationKind{.name = std::string(k_control_plane_create)});
  kinds.add(operations::OperationKind{.name = std::string(k_control_plane_delete), .removes = true});
  kinds.add(control_plane_stack_step(accounts));
  kinds.add(stack_deletion_step(accounts));
  kinds.add(cluster_record_step(fleet, clock));
  kinds.add(cluster_forget_step(fleet));
}

}  // namespace instantstart::capabilities
