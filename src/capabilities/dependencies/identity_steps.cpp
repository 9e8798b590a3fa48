// The OIDC provider of a cluster, the role of a component's pods, and which service account has it.
#include <utility>

#include <fmt/core.h>

#include "aws/shapes/eks.h"
#include "aws/shapes/iam.h"
#include "base/error_codes.h"
#include "capabilities/dependencies/dependency_steps.h"
#include "capabilities/dependencies/pod_role.h"

namespace instantstart::capabilities {
namespace {

namespace eks = aws::eks;
namespace iam = aws::iam;
using operations::Act;
using operations::Blocked;
using operations::Decision;
using operations::Done;
using operations::Fail;
using operations::History;
using operations::Repeat;
using operations::Resource;
using operations::Step;
using operations::StepContext;

/// IAM shows what it did after a while.
constexpr milliseconds k_iam_settle{30'000};

aws::CallOptions until(net::Deadline deadline) { return {.deadline = deadline}; }

std::vector<iam::Tag> iam_tags(const ClusterTarget& cluster, const std::string& operation_id) {
  std::vector<iam::Tag> tags;
  for (const auto& [key, value] : owner_tags(cluster, operation_id))
    tags.push_back({.key = key, .value = value});
  return tags;
}

Act act_on(std::string id, std::vector<Resource> makes, Repeat repeat = Repeat::observe) {
  return {.request = encode(ThingRequest{std::move(id)}),
          .repeat = repeat,
          .makes = std::move(makes),
          .settle = k_iam_settle};
}

Done done(bool ours, json::object output, Resource resource) {
  Done result{.output = std::move(output)};
  if (ours) result.owned = {std::move(resource)};
  return result;
}

/// Whose things a removal takes: those of the operation that is undone, or all that were made here.
enum class Whose { this_operations, ours };

bool is_meant(Whose whose, const std::optional<std::string>& maker, const StepContext& context) {
  return whose == Whose::ours ? maker.has_value() : maker == context.operation_id;
}

/// What is meant goes, anything else stays.
Decision remove_ours(bool exists, bool ours, std::string id, Resource resource) {
  if (exists && ours) return act_on(std::move(id), {});
  Done result{.output = json::object()};
  if (!exists) result.removed = {std::move(resource)};
  return result;
}

Error name_taken(std::string message) {
  return {.code = std::string(codes::name_taken), .message = std::move(message)};
}

/// Whether a call that deletes is over: it is, too, when there was nothing to delete.
template <class Answer>
Result<json::value> deleted(Result<Answer> answer, const std::string& id) {
  if (!answer && answer.error().code != codes::not_found) return fail(answer.error());
  return json::object{{"id", id}};
}

// --- OIDC provider -----------------------------------------------------------------------------------------

Resource oidc_resource(const std::string& arn) { return {"iam:oidc-provider", arn}; }

class RemoveOidc final : public Step<OidcInput, OidcSeen, ThingRequest> {
 public:
  RemoveOidc(ComponentReader reader, Whose whose) : reader_(reader), whose_(whose) {}

  std::string_view name() const override { return k_oidc_removal_step; }
  Task<OidcSeen> look(const StepContext& context, const OidcInput& input) const override {
    return reader_.oidc_provider(input.cluster, context.deadline);
  }
  Decision choose(const StepContext& context, const OidcInput& input, const OidcSeen& seen,
                  const History&) const override {
    const auto arn = oidc_provider_arn(input.cluster, seen.issuer);
    return remove_ours(seen.arn.has_value(), is_meant(whose_, seen.maker, context), arn, oidc_resource(arn));
  }
  Task<json::value> send(const StepContext& context, const OidcInput& input,
                         const ThingRequest& request) const override {
    auto client = reader_.aws_client(input.cluster);
    if (!client) co_return fail(client.error());
    auto answer = co_await (*client)->call<iam::DeleteOpenIDConnectProvider>(
        {.open_id_connect_provider_arn = request.id}, until(context.deadline));
    co_return deleted(std::move(answer), request.id);
  }

 private:
  ComponentReader reader_;
  Whose whose_;
};

class MakeOidc final : public Step<OidcInput, OidcSeen, ThingRequest> {
 public:
  explicit MakeOidc(ComponentReader reader) : reader_(reader), undo_(reader, Whose::this_operations) {}

  std::string_view name() const override { return k_oidc_step; }
  const operations::StepKind* undo() const override { return &undo_; }
  Task<OidcSeen> look(const StepContext& context, const OidcInput& input) const override {
    return reader_.oidc_provider(input.cluster, context.deadline);
  }
  Decision choose(const StepContext& context, const OidcInput& input, const OidcSeen& seen,
                  const History&) const override {
    return choose_oidc(context.operation_id, input, seen);
  }
  Task<json::value> send(const StepContext& context, const OidcInput& input,
                         const ThingRequest& request) const override {
    auto client = reader_.aws_client(input.cluster);
    if (!client) co_return fail(client.error());
    // Without thumbprints: IAM trusts EKS's issuers by their certificate authority.
    auto made = co_await (*client)->call<iam::CreateOpenIDConnectProvider>(
        {.url = request.id,
         .client_id_list = std::vector<std::string>{"sts.amazonaws.com"},
         .tags = iam_tags(input.cluster, context.operation_id)},
        until(context.deadline));
    if (!made) co_return fail(within("Create the OIDC provider", made.error()));
    co_return json::object{{"arn", made->open_id_connect_provider_arn.value_or("")}};
  }

 private:
  ComponentReader reader_;
  RemoveOidc undo_;
};

// --- Role --------------------------------------------------------------------------------------------------

Resource role_resource(const RoleInput& input) { return {"iam:role", input.role_name}; }

Act role_act(std::string call, std::vector<Resource> makes = {}) {
  return {.request = encode(RoleRequest{std::move(call)}),
          .repeat = Repeat::observe,
          .makes = std::move(makes),
          .settle = k_iam_settle};
}

class RemoveRole final : public Step<RoleInput, RoleSeen, RoleRequest> {
 public:
  RemoveRole(ComponentReader reader, Whose whose) : reader_(reader), whose_(whose) {}

  std::string_view name() const override { return k_role_removal_step; }
  Task<RoleSeen> look(const StepContext& context, const RoleInput& input) const override {
    return reader_.role(input.cluster, input.role_name, context.deadline, input.policy);
  }
  Decision choose(const StepContext& context, const RoleInput& input, const RoleSeen& seen,
                  const History&) const override {
    return choose_role_removal(is_meant(whose_, seen.maker, context), input, seen);
  }
  Task<json::value> send(const StepContext& context, const RoleInput& input,
                         const RoleRequest& request) const override {
    auto client = reader_.aws_client(input.cluster);
    if (!client) co_return fail(client.error());
    if (request.call == "detach") {
      auto answer = co_await (*client)->call<iam::DetachRolePolicy>(
          {.role_name = input.role_name, .policy_arn = pod_policy_arn(input.cluster, input.policy)},
          until(context.deadline));
      co_return deleted(std::move(answer), input.policy);
    }
    auto answer =
        co_await (*client)->call<iam::DeleteRole>({.role_name = input.role_name}, until(context.deadline));
    co_return deleted(std::move(answer), input.role_name);
  }

 private:
  ComponentReader reader_;
  Whose whose_;
};

class MakeRole final : public Step<RoleInput, RoleSeen, RoleRequest> {
 public:
  explicit MakeRole(ComponentReader reader) : reader_(reader), undo_(reader, Whose::this_operations) {}

  std::string_view name() const override { return k_role_step; }
  const operations::StepKind* undo() const override { return &undo_; }
  Task<RoleSeen> look(const StepContext& context, const RoleInput& input) const override {
    return reader_.role(input.cluster, input.role_name, context.deadline, input.policy);
  }
  Decision choose(const StepContext& context, const RoleInput& input, const RoleSeen& seen,
                  const History&) const override {
    return choose_role(context.operation_id, input, seen);
  }
  Task<json::value> send(const StepContext& context, const RoleInput& input,
                         const RoleRequest& request) const override {
    auto client = reader_.aws_client(input.cluster);
    if (!client) co_return fail(client.error());
    if (request.call == "attach") {
      const auto arn = pod_policy_arn(input.cluster, input.policy);
      auto attached = co_await (*client)->call<iam::AttachRolePolicy>(
          {.role_name = input.role_name, .policy_arn = arn}, until(context.deadline));
      if (!attached) co_return fail(within("Attach a policy to " + input.role_name, attached.error()));
      co_return json::object{{"policy", arn}};
    }
    auto made = co_await (*client)->call<iam::CreateRole>(
        {.path = std::string(k_pod_role_path),
         .role_name = input.role_name,
         .assume_role_policy_document = instantstart::to_text(json::value(pod_role_trust(input.cluster))),
         .description = "Pods of the cluster " + input.cluster.name,
         .tags = iam_tags(input.cluster, context.operation_id)},
        until(context.deadline));
    if (!made) co_return fail(within("Create the role " + input.role_name, made.error()));
    co_return json::object{{"role", input.role_name}};
  }

 private:
  ComponentReader reader_;
  RemoveRole undo_;
};

// --- Pod identity association ------------------------------------------------------------------------------

Resource association_resource(const AssociationInput& input) {
  return {"eks:pod-identity-association", fmt::format("{}/{}/{}", domain::to_text(key_of(input.cluster)),
                                                      input.space, input.service_account)};
}

class RemoveAssociation final : public Step<AssociationInput, AssociationSeen, ThingRequest> {
 public:
  explicit RemoveAssociation(ComponentReader reader) : reader_(reader) {}

  std::string_view name() const override { return "dependency_pod_identity_removal"; }
  Task<AssociationSeen> look(const StepContext& context, const AssociationInput& input) const override {
    return reader_.association(input.cluster, input.space, input.service_account, context.deadline);
  }
  Decision choose(const StepContext& context, const AssociationInput& input, const AssociationSeen& seen,
                  const History&) const override {
    return remove_ours(seen.id.has_value(), seen.maker == context.operation_id, seen.id.value_or(""),
                       association_resource(input));
  }
  Task<json::value> send(const StepContext& context, const AssociationInput& input,
                         const ThingRequest& request) const override {
    auto client = reader_.aws_client(input.cluster);
    if (!client) co_return fail(client.error());
    auto answer = co_await (*client)->call<eks::DeletePodIdentityAssociation>(
        {.cluster_name = input.cluster.name, .association_id = request.id}, until(context.deadline));
    co_return deleted(std::move(answer), request.id);
  }

 private:
  ComponentReader reader_;
};

class MakeAssociation final : public Step<AssociationInput, AssociationSeen, ThingRequest> {
 public:
  explicit MakeAssociation(ComponentReader reader) : reader_(reader), undo_(reader) {}

  std::string_view name() const override { return k_association_step; }
  const operations::StepKind* undo() const override { return &undo_; }
  Task<AssociationSeen> look(const StepContext& context, const AssociationInput& input) const override {
    return reader_.association(input.cluster, input.space, input.service_account, context.deadline);
  }
  Decision choose(const StepContext& context, const AssociationInput& input, const AssociationSeen& seen,
                  const History&) const override {
    return choose_association(context.operation_id, input, seen);
  }
  Task<json::value> send(const StepContext& context, const AssociationInput& input,
                         const ThingRequest&) const override {
    auto client = reader_.aws_client(input.cluster);
    if (!client) co_return fail(client.error());
    auto made = co_await (*client)->call<eks::CreatePodIdentityAssociation>(
        {.cluster_name = input.cluster.name,
         .namespace_ = input.space,
         .service_account = input.service_account,
         .role_arn = pod_role_arn(input.cluster, input.role_name),
         .tags = owner_tags(input.cluster, context.operation_id)},
        {.deadline = context.deadline, .idempotency_token = context.token});
    if (!made) {
      Error error = within("Give the service account its role", made.error());
      // A role that was just made is unknown to EKS for some seconds.
      if (error.code == codes::invalid_request) error.retryable = true;
      co_return fail(std::move(error));
    }
    json::object receipt;
    if (made->association) receipt["id"] = made->association->association_id.value_or("");
    co_return receipt;
  }

 private:
  ComponentReader reader_;
  RemoveAssociation undo_;
};

}  // namespace

Decision choose_oidc(const std::string& operation_id, const OidcInput& input, const OidcSeen& seen) {
  if (seen.issuer.empty()) {
    return Fail{{.code = std::string(codes::conflict), .message = "The cluster has no OIDC issuer."}};
  }
  const auto arn = oidc_provider_arn(input.cluster, seen.issuer);
  if (!seen.arn) return act_on(seen.issuer, {oidc_resource(arn)});
  if (!seen.has_audience) {
    return Blocked{
        name_taken(fmt::format("The OIDC provider {} exists without the audience sts.amazonaws.com.", arn))};
  }
  return done(seen.maker == operation_id, {{"arn", arn}}, oidc_resource(arn));
}

Decision choose_role(const std::string& operation_id, const RoleInput& input, const RoleSeen& seen) {
  if (!seen.arn) return role_act("create", {role_resource(input)});
  if (!seen.maker) {
    return Blocked{name_taken(fmt::format("The role {} exists and is not ours.", input.role_name))};
  }
  if (!seen.trusts_pods) {
    return Blocked{
        {.code = std::string(codes::conflict),
         .message = fmt::format("The trust policy of the role {} was changed: pods of this cluster can't "
                                "assume it.",
                                input.role_name)}};
  }
  // Attached twice is attached once: IAM takes it for the same.
  if (!input.policy.empty() && !seen.has_policy) return role_act("attach");
  return done(seen.maker == operation_id, {{"role_arn", *seen.arn}}, role_resource(input));
}

Decision choose_role_removal(bool meant, const RoleInput& input, const RoleSeen& seen) {
  if (seen.arn && meant) return role_act(seen.has_policy ? "detach" : "delete");
  Done result{.output = json::object()};
  if (!seen.arn) result.removed = {role_resource(input)};
  return result;
}

Decision choose_association(const std::string& operation_id, const AssociationInput& input,
                            const AssociationSeen& seen) {
  if (!seen.id) return act_on(input.role_name, {association_resource(input)}, Repeat::with_token);
  if (seen.role_arn != pod_role_arn(input.cluster, input.role_name)) {
    return Blocked{name_taken(
        fmt::format("{}/{} has the role {} already.", input.space, input.service_account, seen.role_arn))};
  }
  return done(seen.maker == operation_id, {{"association_id", *seen.id}, {"role_arn", seen.role_arn}},
              association_resource(input));
}

std::unique_ptr<const operations::StepKind> oidc_step(ComponentReader reader) {
  return std::make_unique<MakeOidc>(reader);
}
std::unique_ptr<const operations::StepKind> oidc_removal_step(ComponentReader reader) {
  return std::make_unique<RemoveOidc>(reader, Whose::ours);
}
std::unique_ptr<const operations::StepKind> role_removal_step(ComponentReader reader) {
  return std::make_unique<RemoveRole>(reader, Whose::ours);
}
std::unique_ptr<const operations::StepKind> role_step(ComponentReader reader) {
  return std::make_unique<MakeRole>(reader);
}
std::unique_ptr<const operations::StepKind> association_step(ComponentReader reader) {
  return std::make_unique<MakeAssociation>(reader);
}

}  // namespace instantstart::capabilities
