#include "aws/pagination.h"
#include "aws/shapes/iam.h"
#include "base/decode.h"
#include "capabilities/clusters/client_of.h"
#include "capabilities/clusters/execution_role.h"
#include "capabilities/clusters/hyperpod_steps.h"
#include "capabilities/dependencies/pod_role.h"

namespace instantstart::capabilities {
namespace {

namespace iam = aws::iam;
using operations::Decision;
using operations::History;
using operations::Step;
using operations::StepContext;

aws::CallOptions until(net::Deadline deadline) { return {.deadline = deadline}; }

std::map<std::string, std::string> to_map(const std::optional<std::vector<iam::Tag>>& tags) {
  std::map<std::string, std::string> found;
  for (const auto& tag : aws::items(tags)) found[tag.key.value_or("")] = tag.value.value_or("");
  return found;
}

json::object wanted_policy(const ExecutionRoleInput& input) {
  return execution_role_policy(input.cluster, input.bucket, input.kms_key);
}

Task<> add_policies(aws::Client& client, const ExecutionRoleInput& input, ExecutionRoleSeen& seen,
                    net::Deadline deadline) {
  iam::ListAttachedRolePoliciesRequest asked;
  asked.role_name = input.role_name;
  auto attached = co_await aws::collect<iam::ListAttachedRolePolicies>(
      client, std::move(asked), &iam::ListAttachedRolePoliciesResponse::attached_policies, until(deadline));
  if (!attached) co_return fail(within("List the role's managed policies", attached.error()));
  for (const auto& policy : *attached) seen.attached.push_back(policy.policy_arn.value_or(""));
  iam::ListRolePoliciesRequest names;
  names.role_name = input.role_name;
  auto inlined = co_await aws::collect<iam::ListRolePolicies>(
      client, std::move(names), &iam::ListRolePoliciesResponse::policy_names, until(deadline));
  if (!inlined) co_return fail(within("List the role's own policies", inlined.error()));
  seen.inlined = std::move(*inlined);
  iam::GetRolePolicyRequest own;
  own.role_name = input.role_name;
  own.policy_name = std::string(k_execution_policy);
  auto policy = co_await client.call<iam::GetRolePolicy>(std::move(own), until(deadline));
  if (!policy && policy.error().code == codes::not_found) co_return Result<>{};
  if (!policy) co_return fail(within("Look at the role's own policy", policy.error()));
  seen.policy_holds = same_document(policy->policy_document.value_or(""), wanted_policy(input));
  co_return Result<>{};
}

Task<json::value> send_call(aws::Client& client, ExecutionRoleInput input, RoleStepRequest request,
                            std::string operation_id, net::Deadline deadline) {
  const json::value receipt = encode(request);
  const std::string& role = input.role_name;
  const auto trust = instantstart::to_text(json::value(execution_role_trust(input.cluster)));
  switch (request.call) {
    case RoleCall::create_role: {
      iam::CreateRoleRequest wanted;
      wanted.path = std::string(k_pod_role_path);
      wanted.role_name = role;
      wanted.assume_role_policy_document = trust;
      wanted.description = "HyperPod instances of the cluster " + input.cluster.name;
      wanted.tags.emplace();
      for (const auto& [key, value] : owner_tags(input.cluster, operation_id)) {
        wanted.tags->push_back({.key = key, .value = value});
      }
      auto made = co_await client.call<iam::CreateRole>(std::move(wanted), until(deadline));
      co_return receipt_of(std::move(made), receipt, "Create the role " + role);
    }
    case RoleCall::update_trust: {
      auto made = co_await client.call<iam::UpdateAssumeRolePolicy>(
          {.role_name = role, .policy_document = trust}, until(deadline));
      co_return receipt_of(std::move(made), receipt, "Correct the trust of the role " + role);
    }
    case RoleCall::attach_policy: {
      auto made = co_await client.call<iam::AttachRolePolicy>(
          {.role_name = role, .policy_arn = instance_role_policy_arn(input.cluster)}, until(deadline));
      co_return receipt_of(std::move(made), receipt, "Attach a policy to the role " + role);
    }
    case RoleCall::put_policy: {
      iam::PutRolePolicyRequest wanted;
      wanted.role_name = role;
      wanted.policy_name = std::string(k_execution_policy);
      wanted.policy_document = instantstart::to_text(json::value(wanted_policy(input)));
      auto made = co_await client.call<iam::PutRolePolicy>(std::move(wanted), until(deadline));
      co_return receipt_of(std::move(made), receipt, "Put the policy into the role " + role);
    }
    case RoleCall::detach_policy: {
      auto made = co_await client.call<iam::DetachRolePolicy>(
          {.role_name = role, .policy_arn = request.policy}, until(deadline));
      co_return receipt_of_deletion(std::move(made), receipt, "Detach a policy of the role " + role);
    }
    case RoleCall::delete_policy: {
      auto made = co_await client.call<iam::DeleteRolePolicy>(
          {.role_name = role, .policy_name = request.policy}, until(deadline));
      co_return receipt_of_deletion(std::move(made), receipt, "Delete a policy of the role " + role);
    }
    case RoleCall::delete_role: {
      auto made = co_await client.call<iam::DeleteRole>({.role_name = role}, until(deadline));
      co_return receipt_of_deletion(std::move(made), receipt, "Delete the role " + role);
    }
  }
  co_return fail(codes::internal, "There is no such call about a role.");
}

class RoleStep : public Step<ExecutionRoleInput, ExecutionRoleSeen, RoleStepRequest> {
 public:
  explicit RoleStep(aws::Accounts& accounts) : accounts_(accounts) {}
  Task<ExecutionRoleSeen> look(const StepContext& context, const ExecutionRoleInput& input) const override {
    auto client = client_of(accounts_, input.cluster);
    if (!client) co_return fail(client.error());
    co_return co_await look_at_execution_role(**client, input, context.deadline);
  }
  Task<json::value> send(const StepContext& context, const ExecutionRoleInput& input,
                         const RoleStepRequest& request) const override {
    auto client = client_of(accounts_, input.cluster);
    if (!client) co_return fail(client.error());
    co_return co_await send_call(**client, input, request, context.operation_id, context.deadline);
  }

 private:
  aws::Accounts& accounts_;
};

class UndoRole final : public RoleStep {
 public:
  using RoleStep::RoleStep;
  std::string_view name() const override { return "hyperpod_execution_role_undo"; }
  Decision choose(const StepContext& context, const ExecutionRoleInput& input, const ExecutionRoleSeen& seen,
                  const History&) const override {
    return choose_execution_role_removal(input, seen, context.operation_id);
  }
};

class MakeRole final : public RoleStep {
 public:
  explicit MakeRole(aws::Accounts& accounts) : RoleStep(accounts), undo_(accounts) {}
  std::string_view name() const override { return k_execution_role_step; }
  const operations::StepKind* undo() const override { return &undo_; }
  Decision choose(const StepContext& context, const ExecutionRoleInput& input, const ExecutionRoleSeen& seen,
                  const History&) const override {
    return choose_execution_role(context.operation_id, input, seen);
  }

 private:
  UndoRole undo_;
};

class RemoveRole final : public RoleStep {
 public:
  using RoleStep::RoleStep;
  std::string_view name() const override { return k_execution_role_removal_step; }
  Decision choose(const StepContext&, const ExecutionRoleInput& input, const ExecutionRoleSeen& seen,
                  const History&) const override {
    return choose_execution_role_removal(input, seen, std::nullopt);
  }
};

}  // namespace

Task<ExecutionRoleSeen> look_at_execution_role(aws::Client& client, ExecutionRoleInput input,
                                               net::Deadline deadline) {
  auto got = co_await client.call<iam::GetRole>({.role_name = input.role_name}, until(deadline));
  if (!got && got.error().code == codes::not_found) co_return ExecutionRoleSeen{};
  if (!got) co_return fail(within("Look at the role " + input.role_name, got.error()));
  ExecutionRoleSeen seen;
  if (!got->role) co_return seen;
  seen.exists = true;
  // A role of another path is another role, though IAM takes its name for the same.
  if (got->role->path == std::string(k_pod_role_path)) {
    seen.maker = maker_of(to_map(got->role->tags), input.cluster);
  }
  seen.trust_holds =
      same_document(got->role->assume_role_policy_document.value_or(""), execution_role_trust(input.cluster));
  if (!seen.maker) co_return seen;
  auto policies = co_await add_policies(client, input, seen, deadline);
  if (!policies) co_return fail(policies.error());
  co_return seen;
}

std::unique_ptr<const operations::StepKind> execution_role_step(aws::Accounts& accounts) {
  return std::make_unique<MakeRole>(accounts);
}
std::unique_ptr<const operations::StepKind> execution_role_removal_step(aws::Accounts& accounts) {
  return std::make_unique<RemoveRole>(accounts);
}

}  // namespace instantstart::capabilities
