#include "capabilities/dependencies/dependency_plan.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "base/text.h"
#include "capabilities/dependencies/addon_rules.h"
#include "capabilities/dependencies/component_state.h"
#include "capabilities/dependencies/dependency_steps.h"
#include "capabilities/dependencies/pod_role.h"

namespace instantstart::capabilities {
namespace {

using contract::Plan;
using contract::PlannedCall;
using contract::PlannedStep;
using contract::StepEffect;

template <class Input>
json::object as_input(const Input& input) {
  return encode(input).as_object();
}

class Planner {
 public:
  explicit Planner(const ReconcileFacts& facts) : facts_(facts), release_(release_of(facts.helm)) {}

  Result<Plan> make() {
    for (const auto& [component, seen] : facts_.components) {
      if (seen.objects) plan_objects(*component, *seen.objects);
      if (seen.oidc) plan_oidc(*component, *seen.oidc);
      if (!seen.addon) continue;
      if (auto planned = plan_addon(*component, seen); !planned) return fail(planned.error());
    }
    if (!kept_.empty()) {
      plan_.warnings.push_back(
          fmt::format("The Helm release '{}' in {} keeps {}; it is left alone. Change it with helm.",
                      facts_.helm->name, facts_.helm->space, join(kept_, ", ")));
    }
    order_steps();
    plan_.kind = k_dependency_reconcile;
    plan_.subject = domain::subject_of(key_of(facts_.cluster)) + "/part/dependencies";
    plan_.summary =
        plan_.steps.empty()
            ? fmt::format("The dependencies of cluster {} are as they should be.", facts_.cluster.name)
            : fmt::format("Bring the dependencies of cluster {} in place: {} steps.", facts_.cluster.name,
                          plan_.steps.size());
    return std::move(plan_);
  }

 private:
  void warn(const Component& component, std::string_view text) {
    plan_.warnings.push_back(fmt::format("{}: {}", component.title, text));
  }

  void plan_objects(const Component& component, const ObjectsSeen& seen) {
    if (keeper_of(component, facts_.helm)) {
      kept_.emplace_back(component.name);
      return;
    }
    if (!seen.copies.empty()) {
      warn(component, fmt::format("{} does the same and is left alone.", seen.copies.front()));
      return;
    }
    PlannedStep step{.id = std::string(component.name),
                     .kind = std::string(k_objects_step),
                     .title = fmt::format("Apply: {}", component.title),
                     .effect = StepEffect::update,
                     .input = as_input(ObjectsInput{.cluster = facts_.cluster,
                                                    .component = std::string(component.name),
                                                    .release = release_,
                                                    .adopt = facts_.adopt})};
    for (const auto& object : seen.objects) plan_object(component, object, step);
    if (step.calls.empty()) return;
    plan_.steps.push_back(std::move(step));
    if (!component.caution) return;
    if (const auto caution = component.caution(facts_.cluster.region)) warn(component, *caution);
  }

  void plan_object(const Component& component, const ObjectSeen& object, PlannedStep& step) {
    const ObjectNeed need = need_of(object);
    const bool foreign = need == ObjectNeed::leave || need == ObjectNeed::taken;
    if (need == ObjectNeed::taken && !facts_.adopt) {
      warn(component,
           fmt::format("{} exists, is not ours and differs: the step will stop there, unless adopt "
                       "is given.",
                       object.ref));
    }
    const bool changes = need == ObjectNeed::make || need == ObjectNeed::change || object.going ||
                         need == ObjectNeed::taken || (foreign && facts_.adopt);
    if (!changes) return;
    if (need == ObjectNeed::make) step.effect = StepEffect::create;
    step.calls.push_back({"kubernetes:apply", object.ref});
  }

  void plan_oidc(const Component& component, const OidcSeen& seen) {
    if (seen.issuer.empty()) {
      warn(component, "The cluster has no OIDC issuer.");
      return;
    }
    if (seen.arn && seen.has_audience) return;
    if (seen.arn)
      warn(component, "It exists without the audience sts.amazonaws.com: the step will stop there.");
    plan_.steps.push_back(
        {.id = std::string(component.name),
         .kind = std::string(k_oidc_step),
         .title = fmt::format("Create: {}", component.title),
         .effect = StepEffect::create,
         .calls = {{"iam:CreateOpenIDConnectProvider", oidc_provider_arn(facts_.cluster, seen.issuer)}},
         .input = as_input(OidcInput{.cluster = facts_.cluster})});
  }

  Result<> plan_addon(const Component& component, const ComponentSeen& seen) {
    const AddonSeen& addon = *seen.addon;
    if (!addon.exists && addon.installed_otherwise) {
      warn(component,
           fmt::format("{} exists: it is installed already, but not as an EKS add-on. It is left alone.",
                       *addon.installed_otherwise));
      return {};
    }
    if (!addon.exists && seen.wanted_version.empty()) {
      warn(component, "EKS offers no version of it for this cluster.");
      return {};
    }
    if (component.identity) {
      if (auto planned = plan_identity(component, *component.identity, seen); !planned) return planned;
    }
    PlannedStep step{.id = std::string(component.name),
                     .kind = std::string(k_addon_step),
                     .input = as_input(AddonInput{.cluster = facts_.cluster,
                                                  .component = std::string(component.name),
                                                  .version = seen.wanted_version})};
    if (fill_addon(component, seen, step)) plan_.steps.push_back(std::move(step));
    return {};
  }

  /// Whether there is something to do.
  bool fill_addon(const Component& component, const ComponentSeen& seen, PlannedStep& step) {
    const AddonSeen& addon = *seen.addon;
    const auto calls = [&](std::initializer_list<std::string_view> names) {
      for (const auto name : names)
        step.calls.push_back({std::string(name), fmt::format("addon/{}", component.addon)});
    };
    switch (condition_of(addon)) {
      case AddonCondition::absent:
      case AddonCondition::going:
        step.title = fmt::format("Install the add-on {} {}", component.addon, seen.wanted_version);
        step.effect = StepEffect::create;
        calls({"eks:CreateAddon"});
        return true;
      case AddonCondition::failed:
        if (!addon.maker) break;
        step.title = fmt::format("Repair the add-on {}, which is {}", component.addon, addon.status);
        if (addon.status == "CREATE_FAILED") {
          step.effect = StepEffect::replace;
          calls({"eks:DeleteAddon", "eks:CreateAddon"});
        } else {
          step.effect = StepEffect::update;
          calls({"eks:UpdateAddon"});
        }
        return true;
      case AddonCondition::ready:
        if (!addon.maker || compare_addon_versions(addon.version, seen.wanted_version) >= 0) return false;
        step.title = fmt::format("Update the add-on {} from {} to {}", component.addon, addon.version,
                                 seen.wanted_version);
        step.effect = StepEffect::update;
        calls({"eks:UpdateAddon"});
        return true;
      default: break;
    }
    for (const auto& words : words_of(addon)) warn(component, words);
    return false;
  }

  Result<> plan_identity(const Component& component, const ComponentIdentity& identity,
                         const ComponentSeen& seen) {
    auto role_name = pod_role_name(facts_.cluster, identity.purpose);
    if (!role_name) return fail(role_name.error());
    const auto& association = *seen.association;
    if (association.id && association.role_arn != pod_role_arn(facts_.cluster, *role_name)) {
      warn(component, fmt::format("Its pods have the role {}, which is left alone.", association.role_arn));
      return {};
    }
    const auto& role = *seen.role;
    const bool sound = role.arn && role.maker && role.trusts_pods;
    const bool lacks_policy = !identity.policy.empty() && !role.has_policy;
    if (!sound || lacks_policy) {
      if (role.arn && !sound)
        warn(component,
             fmt::format("The role {} is not as we make it: the step will stop there.", *role_name));
      PlannedStep step{
          .id = fmt::format("{}/role", component.name),
          .kind = std::string(k_role_step),
          .title = fmt::format("Create the role of {}", component.title),
          .effect = StepEffect::create,
          .calls = {{"iam:CreateRole", "role/" + *role_name}},
          .input = as_input(RoleInput{
              .cluster = facts_.cluster, .role_name = *role_name, .policy = std::string(identity.policy)})};
      if (sound) {
        step.title = fmt::format("Let the role of {} do its work", component.title);
        step.effect = StepEffect::update;
        step.calls.clear();
      }
      if (lacks_policy) step.calls.push_back({"iam:AttachRolePolicy", "role/" + *role_name});
      plan_.steps.push_back(std::move(step));
    }
    if (association.id) return {};
    plan_.steps.push_back(
        {.id = fmt::format("{}/identity", component.name),
         .kind = std::string(k_association_step),
         .title = fmt::format("Give {}/{} its role", identity.space, identity.service_account),
         .effect = StepEffect::create,
         .calls = {{"eks:CreatePodIdentityAssociation",
                    fmt::format("serviceaccount/{}/{}", identity.space, identity.service_account)}},
         .input = as_input(AssociationInput{.cluster = facts_.cluster,
                                            .space = std::string(identity.space),
                                            .service_account = std::string(identity.service_account),
                                            .role_name = *role_name})});
    return {};
  }

  /// Pods get an identity when they are made, so that comes before the add-on that makes them.
  void order_steps() {
    std::set<std::string> ids;
    for (const auto& step : plan_.steps) ids.insert(step.id);
    for (auto& step : plan_.steps) {
      const std::string name = step.id.substr(0, step.id.find('/'));
      std::vector<std::string> before;
      if (step.id == name) {
        for (const auto need : find_component(name)->needs) before.emplace_back(need);
        before.push_back(name + "/role");
        before.push_back(name + "/identity");
      } else if (step.id.ends_with("/identity")) {
        before.push_back(name + "/role");
      }
      for (auto& id : before) {
        if (ids.contains(id)) step.after.push_back(std::move(id));
      }
    }
  }

  const ReconcileFacts& facts_;
  std::string release_;
  std::vector<std::string> kept_;
  Plan plan_;
};

}  // namespace

std::string release_of(const std::optional<kube::HelmRelease>& helm) {
  return helm ? helm->name : std::string(k_release);
}

Result<contract::Plan> plan_reconcile(const ReconcileFacts& facts) { return Planner(facts).make(); }

}  // namespace instantstart::capabilities
