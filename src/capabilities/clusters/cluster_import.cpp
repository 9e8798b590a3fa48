#include <utility>

#include <fmt/core.h>

#include "aws/shapes/iam.h"
#include "base/decode.h"
#include "base/error_codes.h"
#include "capabilities/clusters/client_of.h"
#include "capabilities/clusters/cluster_place.h"
#include "capabilities/clusters/clusters.h"
#include "capabilities/clusters/hyperpod_steps.h"
#include "capabilities/network/control_plane_steps.h"

namespace instantstart::capabilities {
namespace {

namespace iam = aws::iam;
using contract::Plan;
using contract::PlannedStep;
using contract::StepEffect;

/// What is taken in, found out by reading alone.
struct Found {
  Identity identity;
  EksFacts eks;
  ClusterTarget target;
  std::string tag;
  bool recorded = false;
  bool same_record = false;
};

/// The role or user that an access entry names; of a session its role, whose path only IAM knows.
Task<std::string> principal_of(aws::Client& client, Identity identity, net::Deadline deadline) {
  auto principal = simulated_principal(identity);
  if (!principal) {
    co_return fail(
        invalid_request({{"/access_entry", "principal", "needs a caller that is an IAM role or user",
                          identity.arn, std::nullopt}}));
  }
  if (principal->role_name.empty()) co_return principal->arn;
  iam::GetRoleRequest asked;
  asked.role_name = principal->role_name;
  auto role = co_await client.call<iam::GetRole>(std::move(asked), {.deadline = deadline});
  if (!role) co_return fail(within("Look at the caller's role", role.error()));
  if (role->role && role->role->arn) co_return *role->role->arn;
  co_return principal->arn;
}

Task<> add_record(fleet::Fleet& fleet, const ClusterImport& request, Found& found) {
  const auto key = key_of(found.target);
  auto record = co_await fleet.get(key);
  if (!record) co_return fail(record.error());
  found.recorded = record->has_value();
  found.tag = request.tag ? request.tag->value : (*record ? (*record)->tag : key.name);
  if (!request.profile && *record) found.target.profile = (*record)->profile;
  found.same_record = *record && (*record)->tag == found.tag && (*record)->profile == found.target.profile;
  auto holder = co_await fleet.tagged(found.tag);
  if (!holder) co_return fail(holder.error());
  if (*holder && (*holder)->key != key) {
    Error error =
        invalid_request({{"/tag", "unique", "belongs to the cluster " + domain::to_text((*holder)->key),
                          found.tag, std::nullopt}});
    error.code = codes::name_taken;
    co_return fail(std::move(error));
  }
  co_return Result<>{};
}

Task<Found> look(aws::Accounts& accounts, fleet::Fleet& fleet, ClusterImport request,
                 net::Deadline deadline) {
  const auto key = domain::key_of_arn(request.name);
  Found found;
  found.target.name = key ? key->name : request.name;
  found.target.profile = request.profile ? std::optional(request.profile->value) : std::nullopt;
  std::optional<std::string> region = request.region ? std::optional(request.region->value) : std::nullopt;
  if (key) region = key->region;
  auto account = accounts.get(found.target.profile, region);
  if (!account) co_return fail(account.error());
  aws::Client& client = (*account)->client();
  auto identity = co_await look_at_identity(client, deadline);
  if (!identity) co_return fail(identity.error());
  if (key && key->account != identity->place.account) {
    co_return fail(codes::invalid_request,
                   fmt::format("{} is in the account {}, and the credentials are of {}.", request.name,
                               key->account, identity->place.account));
  }
  found.identity = std::move(*identity);
  found.target.region = client.region();
  found.target.account = found.identity.place.account;
  auto eks = co_await look_at_eks(client, found.target.name, deadline);
  if (!eks) co_return fail(eks.error());
  if (!*eks) {
    co_return fail(codes::not_found,
                   fmt::format("There is no EKS cluster {} in {}.", found.target.name, found.target.region));
  }
  found.eks = std::move(**eks);
  auto recorded = co_await add_record(fleet, request, found);
  if (!recorded) co_return fail(recorded.error());
  co_return found;
}

Task<> add_access_entry(aws::Client& client, const Found& found, Plan& plan, net::Deadline deadline) {
  if (found.eks.authentication_mode == "CONFIG_MAP") {
    co_return fail(invalid_request(
        {{"/access_entry", "authentication_mode",
          "can't be made: the cluster's authentication mode is CONFIG_MAP", "", std::nullopt}}));
  }
  auto principal = co_await principal_of(client, found.identity, deadline);
  if (!principal) co_return fail(principal.error());
  const AccessEntryInput input{found.target, *principal};
  auto seen = co_await look_at_access_entry(client, input, deadline);
  if (!seen) co_return fail(seen.error());
  if (seen->exists && seen->administrator) co_return Result<>{};
  PlannedStep step{.id = "access",
                   .kind = std::string(k_access_entry_step),
                   .title = fmt::format("Make {} an administrator of the cluster", *principal),
                   .effect = seen->exists ? StepEffect::update : StepEffect::create};
  if (!seen->exists) step.calls.push_back({"eks:CreateAccessEntry", "cluster/" + found.target.name});
  step.calls.push_back({"eks:AssociateAccessPolicy", "cluster/" + found.target.name});
  step.input = encode(input).as_object();
  plan.steps.push_back(std::move(step));
  co_return Result<>{};
}

}  // namespace

Task<Plan> plan_cluster_import(aws::Accounts& accounts, fleet::Fleet& fleet, contract::Caller caller,
                               ClusterImport request) {
  const bool with_access = request.access_entry;
  auto found = co_await look(accounts, fleet, std::move(request), caller.deadline);
  if (!found) co_return fail(found.error());
  const std::string key = domain::to_text(key_of(found->target));
  Plan plan{.kind = std::string(k_cluster_import), .subject = domain::subject_of(key_of(found->target))};
  if (with_access) {
    auto client = client_of(accounts, found->target);
    if (!client) co_return fail(client.error());
    auto added = co_await add_access_entry(**client, *found, plan, caller.deadline);
    if (!added) co_return fail(added.error());
  }
  if (!found->same_record) {
    PlannedStep record{.id = "record",
                       .kind = std::string(k_record_step),
                       .title = fmt::format("Manage the cluster here as {}", found->tag)};
    for (const auto& step : plan.steps) record.after.push_back(step.id);
    record.input = encode(ClusterRecordInput{key, found->tag, found->target.profile}).as_object();
    plan.steps.push_back(std::move(record));
  }
  if (found->eks.status != "ACTIVE")
    plan.warnings.push_back("The control plane is " + found->eks.status + ".");
  plan.summary = plan.steps.empty() ? fmt::format("The cluster {} is managed here as {}.", key, found->tag)
                                    : fmt::format("Take in the EKS cluster {} as {}.", key, found->tag);
  co_return plan;
}

}  // namespace instantstart::capabilities
