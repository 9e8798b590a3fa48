#include <algorithm>

#include <fmt/core.h>

#include "base/decode.h"
#include "base/error_codes.h"
#include "base/text.h"
#include "capabilities/network/control_plane_steps.h"
#include "capabilities/network/control_plane_template.h"
#include "capabilities/network/preflight.h"
#include "capabilities/network/stack_calls.h"

namespace instantstart::capabilities {
namespace {

using contract::Plan;
using contract::PlannedStep;
using contract::StepEffect;

constexpr std::string_view k_open_to_all = "0.0.0.0/0";

/// What the plan is about, found out by looking.
struct Situation {
  ControlPlaneCreate request;
  Identity identity;
  domain::ClusterKey key;
  std::string stack_name;
  std::string tag;
  std::optional<std::string> profile;
  StackSeen stack;
};

/// A stack that never came up is deleted and made anew: nothing of it is kept.
bool is_new(const StackSeen& stack) {
  return !stack.exists || stack.status.starts_with("ROLLBACK_") || stack.status == "CREATE_FAILED" ||
         stack.status.starts_with("DELETE_");
}

StepEffect effect_of(const ControlPlaneChoices& from, const ControlPlaneChoices& to) {
  const bool opened = from.endpoint_access == EndpointAccess::private_only &&
                      to.endpoint_access != EndpointAccess::private_only;
  const bool widened = std::ranges::any_of(to.public_access_cidrs, [&](const std::string& cidr) {
    return std::ranges::count(from.public_access_cidrs, cidr) == 0;
  });
  if (opened || widened) return StepEffect::expose;
  if (from.nat != to.nat)
    return StepEffect::disrupt;  // Connections through a gateway break when routes move.
  return StepEffect::update;
}

std::string clients_of(const ControlPlaneChoices& choices) {
  if (choices.endpoint_access == EndpointAccess::private_only) return "inside the VPC only";
  return "from " + join(choices.public_access_cidrs, ", ");
}

void add_warnings(const ControlPlaneChoices& choices, Plan& plan) {
  if (std::ranges::count(choices.public_access_cidrs, k_open_to_all) > 0) {
    plan.warnings.emplace_back(
        "The Kubernetes API endpoint can be reached from everywhere; callers still need IAM. "
        "public_access_cidrs "
        "narrows it.");
  }
  if (!choices.existing_vpc() && choices.nat == NatMode::single) {
    plan.warnings.push_back(
        fmt::format("One NAT gateway in {} serves all zones: without that zone the others lose the internet. "
                    "nat per_zone avoids "
                    "it.",
                    choices.zones.front()));
  }
  if (choices.existing_vpc()) {
    plan.warnings.emplace_back(
        "The VPC's DNS settings, routes and endpoints are not checked: nodes need DNS, and a way to AWS.");
  }
}

PlannedStep stack_step(const Situation& situation, const ControlPlaneChoices& choices) {
  PlannedStep step{.id = "stack", .kind = std::string(k_stack_step)};
  step.input =
      encode(ControlPlaneStackInput{domain::to_text(situation.key), situation.profile, choices}).as_object();
  const std::string subject = "stack/" + situation.stack_name;
  const std::string where = fmt::format("{} in {}", situation.key.name, situation.key.region);
  if (is_new(situation.stack)) {
    step.effect = StepEffect::create;
    step.title = choices.existing_vpc()
                     ? fmt::format("Create the EKS control plane {} in {}", where, choices.vpc_id)
                     : fmt::format("Create the network {} and the EKS control plane {}, reached {}",
                                   choices.vpc_cidr, where, clients_of(choices));
    if (situation.stack.exists) step.calls.push_back({"cloudformation:DeleteStack", subject});
    step.calls.push_back({"cloudformation:CreateStack", subject});
    return step;
  }
  const ControlPlaneStackInput input{domain::to_text(situation.key), situation.profile, choices};
  const auto wanted = wanted_stack(input, situation.stack_name, "");
  if (wanted.parameters == situation.stack.parameters) {
    step.title = fmt::format("The control plane {} is as it should be", where);
    return step;
  }
  const auto existing = from_parameters(situation.stack.parameters);
  const auto changed = existing ? differences(*existing, choices) : std::vector<std::string>();
  step.effect = existing ? effect_of(*existing, choices) : StepEffect::update;
  step.title = fmt::format("Change {} of the control plane {}",
                           changed.empty() ? std::string("the template") : join(changed, ", "), where);
  step.calls.push_back({"cloudformation:UpdateStack", subject});
  return step;
}

Plan to_plan(const Situation& situation, const ControlPlaneChoices& choices,
             std::vector<std::string> warnings) {
  Plan plan{.kind = std::string(k_control_plane_create), .subject = domain::subject_of(situation.key)};
  plan.warnings = std::move(warnings);
  add_warnings(choices, plan);
  plan.steps.push_back(stack_step(situation, choices));
  PlannedStep record{.id = "record",
                     .kind = std::string(k_record_step),
                     .title = fmt::format("Manage the cluster here as {}", situation.tag),
                     .after = {"stack"}};
  record.input = encode(ClusterRecordInput{domain::to_text(situation.key), situation.tag, situation.profile})
                     .as_object();
  plan.steps.push_back(std::move(record));
  plan.summary =
      fmt::format("Control plane {} in {}: {}.", situation.key.name, situation.key.region,
                  plan.steps.front().calls.empty() ? "nothing to change" : plan.steps.front().title);
  return plan;
}

Error tag_taken(const std::string& tag, const fleet::ClusterRecord& holder) {
  Error error = invalid_request(
      {{"/tag", "unique", "belongs to the cluster " + domain::to_text(holder.key), tag, std::nullopt}});
  error.code = codes::name_taken;
  return error;
}

/// Tag and profile: what is asked for, else what is kept, else the EKS name.
Task<> add_record(fleet::Fleet& fleet, Situation& situation) {
  auto record = co_await fleet.get(situation.key);
  if (!record) co_return fail(record.error());
  situation.tag =
      situation.request.tag ? situation.request.tag->value : (*record ? (*record)->tag : situation.key.name);
  if (situation.request.profile)
    situation.profile = situation.request.profile->value;
  else if (*record)
    situation.profile = (*record)->profile;
  auto holder = co_await fleet.tagged(situation.tag);
  if (!holder) co_return fail(holder.error());
  if (*holder && (*holder)->key != situation.key) co_return fail(tag_taken(situation.tag, **holder));
  co_return Result<>{};
}

Task<Situation> look(aws::Client& client, fleet::Fleet& fleet, ControlPlaneCreate request,
                     net::Deadline deadline) {
  auto identity = co_await look_at_identity(client, deadline);
  if (!identity) co_return fail(identity.error());
  Situation situation{.request = std::move(request), .identity = std::move(*identity)};
  situation.key = {situation.request.name.value, client.region(), situation.identity.place.account};
  if (auto problems = domain::name_problems(situation.request.name, client.region()); !problems.empty()) {
    co_return fail(invalid_request(std::move(problems)));
  }
  auto stack_name = domain::stack_name(situation.request.name);
  if (!stack_name) co_return fail(stack_name.error());
  situation.stack_name = std::move(*stack_name);
  auto recorded = co_await add_record(fleet, situation);
  if (!recorded) co_return fail(recorded.error());
  auto stack = co_await look_at_stack(client, situation.stack_name, deadline);
  if (!stack) co_return fail(stack.error());
  situation.stack = std::move(*stack);
  co_return situation;
}

/// EKS makes an access entry for who creates the cluster; a second one for the same principal would be
/// refused.
void leave_out_creator(const Identity& identity, ControlPlaneChoices& choices) {
  const auto creator = simulated_principal(identity);
  if (!creator) return;
  std::erase_if(choices.administrators, [&](const std::string& arn) {
    const bool same_role = !creator->role_name.empty() && arn.find(":role/") != std::string::npos &&
                           arn.ends_with("/" + creator->role_name);
    return arn == creator->arn || same_role;
  });
}

/// A new control plane: everything that is wrong, with the request or the account, is one answer.
Task<Plan> plan_new(aws::Client& client, Situation situation, contract::Caller caller, RecentBlocks* recent) {
  const net::Deadline deadline = caller.deadline;
  if (!situation.stack.exists) {
    auto foreign = co_await find_eks_cluster(client, situation.key.name, deadline);
    if (!foreign) co_return fail(foreign.error());
    situation.stack.foreign_cluster = std::move(*foreign);
    if (situation.stack.foreign_cluster) {
      co_return fail(taken_by_another({.name = situation.stack_name}, situation.stack));
    }
  }
  auto around = co_await look_around(client, situation.identity, situation.request, deadline);
  if (!around) co_return fail(within("Look before creating", around.error()));
  auto problems = preflight_problems(*around);
  if (recent) {
    const auto others = recent->of_others(situation.key);
    around->facts.taken.insert(around->facts.taken.end(), others.begin(), others.end());
  }
  auto choices = choose_new(situation.request, around->facts);
  if (!choices) {
    const auto& more = choices.error().problems;
    problems.insert(problems.begin(), more.begin(), more.end());
  }
  if (auto error = to_error(std::move(problems))) co_return fail(std::move(*error));
  auto role = domain::role_name(situation.request.name, situation.key.region, "control-plane");
  if (!role) co_return fail(role.error());
  choices->role_name = std::move(*role);
  leave_out_creator(situation.identity, *choices);
  const auto block = domain::Cidr::parse(choices->vpc_cidr);
  if (recent && block && !caller.dry_run) recent->remember(situation.key, *block);
  co_return to_plan(situation, *choices, std::move(around->warnings));
}

}  // namespace

Task<Plan> plan_control_plane_create(aws::Accounts& accounts, fleet::Fleet& fleet, contract::Caller caller,
                                     ControlPlaneCreate request, RecentBlocks* recent) {
  auto account = accounts.get(request.profile ? std::optional(request.profile->value) : std::nullopt,
                              request.region ? std::optional(request.region->value) : std::nullopt);
  if (!account) co_return fail(account.error());
  aws::Client& client = (*account)->client();
  auto situation = co_await look(client, fleet, std::move(request), caller.deadline);
  if (!situation) co_return fail(situation.error());
  const std::string key = domain::to_text(situation->key);
  if (situation->stack.exists && !is_ours(situation->stack, key)) {
    co_return fail(taken_by_another({.name = situation->stack_name, .cluster_key = key}, situation->stack));
  }
  if (is_new(situation->stack))
    co_return co_await plan_new(client, std::move(*situation), std::move(caller), recent);
  auto existing = from_parameters(situation->stack.parameters);
  if (!existing) co_return fail(existing.error());
  auto choices = choose_changed(situation->request, *existing);
  if (!choices) co_return fail(choices.error());
  leave_out_creator(situation->identity, *choices);
  co_return to_plan(*situation, *choices, {});
}

}  // namespace instantstart::capabilities
