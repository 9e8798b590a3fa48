#include "aws/pagination.h"
#include "aws/shapes/eks.h"
#include "base/decode.h"
#include "capabilities/clusters/client_of.h"
#include "capabilities/clusters/hyperpod_steps.h"
#include "capabilities/dependencies/pod_role.h"

namespace instantstart::capabilities {
namespace {

namespace eks = aws::eks;
using operations::Decision;
using operations::Done;
using operations::History;
using operations::Step;
using operations::StepContext;

aws::CallOptions until(net::Deadline deadline) { return {.deadline = deadline}; }

/// Access policies are EKS's own, in every partition (EKS user guide, "Access policy ARNs").
std::string administrator_policy(const ClusterTarget& cluster) {
  return "arn:" + place_of(cluster).partition + ":eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy";
}

Task<json::value> send_call(aws::Client& client, AccessEntryInput input, AccessRequest request,
                            std::string operation_id, std::string token, net::Deadline deadline) {
  const json::value receipt = encode(request);
  if (request.call == AccessCall::create_entry) {
    eks::CreateAccessEntryRequest wanted;
    wanted.cluster_name = input.cluster.name;
    wanted.principal_arn = input.principal_arn;
    wanted.tags = owner_tags(input.cluster, operation_id);
    wanted.client_request_token = token;
    auto made = co_await client.call<eks::CreateAccessEntry>(std::move(wanted), until(deadline));
    co_return receipt_of(std::move(made), receipt, "Create the access entry");
  }
  if (request.call == AccessCall::associate_policy) {
    eks::AssociateAccessPolicyRequest wanted;
    wanted.cluster_name = input.cluster.name;
    wanted.principal_arn = input.principal_arn;
    wanted.policy_arn = administrator_policy(input.cluster);
    wanted.access_scope.emplace();
    wanted.access_scope->type = "cluster";
    auto made = co_await client.call<eks::AssociateAccessPolicy>(std::move(wanted), until(deadline));
    co_return receipt_of(std::move(made), receipt, "Make the caller an administrator of the cluster");
  }
  eks::DeleteAccessEntryRequest wanted;
  wanted.cluster_name = input.cluster.name;
  wanted.principal_arn = input.principal_arn;
  auto gone = co_await client.call<eks::DeleteAccessEntry>(std::move(wanted), until(deadline));
  co_return receipt_of_deletion(std::move(gone), receipt, "Delete the access entry");
}

class AccessStep : public Step<AccessEntryInput, AccessEntrySeen, AccessRequest> {
 public:
  explicit AccessStep(aws::Accounts& accounts) : accounts_(accounts) {}
  Task<AccessEntrySeen> look(const StepContext& context, const AccessEntryInput& input) const override {
    auto client = client_of(accounts_, input.cluster);
    if (!client) co_return fail(client.error());
    co_return co_await look_at_access_entry(**client, input, context.deadline);
  }
  Task<json::value> send(const StepContext& context, const AccessEntryInput& input,
                         const AccessRequest& request) const override {
    auto client = client_of(accounts_, input.cluster);
    if (!client) co_return fail(client.error());
    co_return co_await send_call(**client, input, request, context.operation_id, context.token,
                                 context.deadline);
  }

 private:
  aws::Accounts& accounts_;
};

class UndoAccess final : public AccessStep {
 public:
  using AccessStep::AccessStep;
  std::string_view name() const override { return "cluster_access_entry_undo"; }
  Decision choose(const StepContext& context, const AccessEntryInput&, const AccessEntrySeen& seen,
                  const History&) const override {
    if (!seen.exists || seen.maker != context.operation_id) return Done{.output = json::object{}};
    return operations::Act{.request = encode(AccessRequest{AccessCall::delete_entry}),
                           .repeat = operations::Repeat::with_token};
  }
};

class MakeAccess final : public AccessStep {
 public:
  explicit MakeAccess(aws::Accounts& accounts) : AccessStep(accounts), undo_(accounts) {}
  std::string_view name() const override { return k_access_entry_step; }
  const operations::StepKind* undo() const override { return &undo_; }
  Decision choose(const StepContext& context, const AccessEntryInput& input, const AccessEntrySeen& seen,
                  const History&) const override {
    return choose_access_entry(context.operation_id, input, seen);
  }

 private:
  UndoAccess undo_;
};

}  // namespace

Task<AccessEntrySeen> look_at_access_entry(aws::Client& client, AccessEntryInput input,
                                           net::Deadline deadline) {
  eks::DescribeAccessEntryRequest asked;
  asked.cluster_name = input.cluster.name;
  asked.principal_arn = input.principal_arn;
  auto entry = co_await client.call<eks::DescribeAccessEntry>(std::move(asked), until(deadline));
  if (!entry && entry.error().code == codes::not_found) co_return AccessEntrySeen{};
  if (!entry) co_return fail(within("Look at the access entry", entry.error()));
  AccessEntrySeen seen{.exists = true};
  if (entry->access_entry) seen.maker = maker_of(aws::items(entry->access_entry->tags), input.cluster);
  eks::ListAssociatedAccessPoliciesRequest policies;
  policies.cluster_name = input.cluster.name;
  policies.principal_arn = input.principal_arn;
  auto found = co_await aws::collect<eks::ListAssociatedAccessPolicies>(
      client, std::move(policies), &eks::ListAssociatedAccessPoliciesResponse::associated_access_policies,
      until(deadline));
  if (!found) co_return fail(within("List the access policies", found.error()));
  for (const auto& policy : *found) {
    const bool whole_cluster = policy.access_scope && policy.access_scope->type == "cluster";
    if (whole_cluster && policy.policy_arn == administrator_policy(input.cluster)) seen.administrator = true;
  }
  co_return seen;
}

std::unique_ptr<const operations::StepKind> access_entry_step(aws::Accounts& accounts) {
  return std::make_unique<MakeAccess>(accounts);
}

}  // namespace instantstart::capabilities
