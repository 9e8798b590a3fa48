#include "capabilities/dependencies/component_state.h"

#include <algorithm>
#include <string>

#include <fmt/core.h>

#include "capabilities/dependencies/addon_rules.h"

namespace instantstart::capabilities {
namespace {

constexpr std::string_view k_ours = "instantstart";
constexpr std::string_view k_other = "other";

/// What there is of the component, in numbers.
struct Tally {
  std::size_t there = 0;
  std::size_t not_ours = 0;
  std::int64_t wanted = 0;
  std::int64_t ready = 0;
  bool settled = true;
};

Tally tally_of(const ObjectsSeen& seen) {
  Tally tally;
  for (const auto& object : seen.objects) {
    if (!object.exists) continue;
    ++tally.there;
    if (!object.maker) ++tally.not_ours;
    if (!object.daemons) continue;
    tally.wanted += object.daemons->wanted;
    tally.ready += object.daemons->ready;
    tally.settled = tally.settled && object.daemons->current;
  }
  return tally;
}

std::string owner_of(const ObjectsSeen& seen, const kube::HelmRelease* keeper) {
  if (keeper) return "helm:" + keeper->name;
  for (const auto& object : seen.objects) {
    if (!object.exists || object.maker) continue;
    return object.helm_release ? "helm:" + *object.helm_release : std::string(k_other);
  }
  return std::string(k_ours);
}

void add_missing(const ObjectsSeen& seen, std::vector<std::string>& reasons) {
  for (const auto& object : seen.objects) {
    if (!object.exists) reasons.push_back(fmt::format("{} is missing.", object.ref));
    if (object.going) reasons.push_back(fmt::format("{} is being deleted.", object.ref));
  }
}

/// Of objects that are all there.
void judge_pods(const Component& component, const ObjectsSeen& seen, const Tally& tally,
                DependencyView& view) {
  if (!component.needs_nodes) {
    view.state = DependencyState::ready;
  } else if (!seen.nodes) {
    view.state = DependencyState::waiting_for_nodes;
    view.reasons.emplace_back("The cluster has no nodes yet; its pods start by themselves when they join.");
  } else if (!tally.settled || tally.ready < tally.wanted) {
    view.state = DependencyState::progressing;
    view.reasons.push_back(fmt::format("{} of {} pods are ready.", tally.ready, tally.wanted));
  } else {
    view.state = DependencyState::ready;
    if (tally.wanted == 0) view.reasons.emplace_back("No node has an instance type that it is for.");
  }
}

void judge_objects(const Component& component, const ObjectsSeen& seen, const kube::HelmRelease* keeper,
                   DependencyView& view) {
  const Tally tally = tally_of(seen);
  if (tally.there > 0) view.owner = owner_of(seen, keeper);
  for (const auto& object : seen.objects) {
    if (object.exists && object.version) view.observed_version = object.version;
    for (const auto& difference : object.differences) {
      view.differences.push_back(fmt::format("{}: {}", object.ref, difference));
    }
  }
  if (tally.there == 0 && !seen.copies.empty()) {
    view.state = DependencyState::foreign;
    view.owner = k_other;
    for (const auto& copy : seen.copies) view.reasons.push_back(fmt::format("{} does the same.", copy));
    return;
  }
  if (tally.there == 0) {
    view.state = DependencyState::absent;
    if (keeper) {
      view.state = DependencyState::degraded;
      view.owner = "helm:" + keeper->name;
      view.reasons.push_back(fmt::format(
          "The Helm release '{}' has it switched on, but its objects are missing.", keeper->name));
    }
    return;
  }
  add_missing(seen, view.reasons);
  for (const auto& copy : seen.copies) view.reasons.push_back(fmt::format("{} does the same.", copy));
  if (!view.reasons.empty()) {
    view.state = DependencyState::degraded;
    return;
  }
  judge_pods(component, seen, tally, view);
  if (!keeper && tally.not_ours > 0) {
    const bool differs = std::ranges::any_of(
        seen.objects, [](const ObjectSeen& o) { return need_of(o) == ObjectNeed::taken; });
    if (differs) {
      view.state = DependencyState::foreign;
      view.reasons.emplace_back("Somebody else made objects of its names, with other content.");
    }
  }
}

DependencyState state_of(AddonCondition condition) {
  switch (condition) {
    case AddonCondition::absent: return DependencyState::absent;
    case AddonCondition::ready: return DependencyState::ready;
    case AddonCondition::progressing:
    case AddonCondition::going: return DependencyState::progressing;
    case AddonCondition::waiting_for_nodes: return DependencyState::waiting_for_nodes;
    case AddonCondition::short_of_replicas:
    case AddonCondition::degraded:
    case AddonCondition::failed: return DependencyState::degraded;
  }
  return DependencyState::degraded;
}

void judge_identity(const ComponentSeen& seen, DependencyView& view) {
  if (view.state == DependencyState::absent || view.state == DependencyState::foreign) return;
  const bool lacks_role = seen.role && !seen.role->arn;
  const bool lacks_association = seen.association && !seen.association->id;
  if (lacks_association) {
    view.reasons.emplace_back("Its pods have no AWS identity of their own.");
  } else if (lacks_role && seen.association && !seen.association->maker) {
    view.reasons.push_back(
        fmt::format("Its pods have the role {}, which is not ours.", seen.association->role_arn));
  }
}

void judge_addon(const ComponentSeen& seen, DependencyView& view) {
  const AddonSeen& addon = *seen.addon;
  const auto condition = condition_of(addon);
  view.state = state_of(condition);
  if (!seen.wanted_version.empty()) view.desired_version = seen.wanted_version;
  if (addon.exists) {
    view.observed_version = addon.version;
    view.owner = addon.maker ? std::string(k_ours) : "eks_addon";
    if (condition != AddonCondition::ready) view.reasons = words_of(addon);
    if (condition == AddonCondition::progressing || condition == AddonCondition::going) {
      view.reasons.push_back(fmt::format("EKS says {}.", addon.status));
    } else if (condition == AddonCondition::waiting_for_nodes) {
      view.reasons.emplace_back("The cluster has no nodes yet; it completes by itself when they join.");
    } else if (condition == AddonCondition::failed && view.reasons.empty()) {
      view.reasons.push_back(fmt::format("EKS says {}.", addon.status));
    }
  } else if (addon.installed_otherwise) {
    view.state = DependencyState::foreign;
    view.owner = k_other;
    view.reasons.push_back(
        fmt::format("It is installed, but not as an EKS add-on: {} exists.", *addon.installed_otherwise));
  } else if (seen.wanted_version.empty()) {
    view.reasons.emplace_back("EKS offers no version of it for this cluster.");
  }
  judge_identity(seen, view);
}

void judge_oidc(const OidcSeen& seen, DependencyView& view) {
  if (!seen.arn) {
    if (seen.issuer.empty()) view.reasons.emplace_back("The cluster has no OIDC issuer.");
    return;
  }
  view.owner = seen.maker ? k_ours : k_other;
  view.state = seen.has_audience ? DependencyState::ready : DependencyState::degraded;
  if (!seen.has_audience) view.reasons.emplace_back("It lacks the audience sts.amazonaws.com.");
}

}  // namespace

const kube::HelmRelease* keeper_of(const Component& component,
                                   const std::optional<kube::HelmRelease>& release) {
  if (!release || component.chart_condition.empty()) return nullptr;
  return release->switched_on(component.chart_condition) ? &*release : nullptr;
}

DependencyView view_of(const Component& component, const ComponentSeen& seen,
                       const kube::HelmRelease* keeper) {
  DependencyView view{.name = std::string(component.name),
                      .title = std::string(component.title),
                      .how = std::string(to_text(component.how)),
                      .needs = {component.needs.begin(), component.needs.end()},
                      .needs_nodes = component.needs_nodes};
  if (!component.version.empty()) view.desired_version = component.version;
  if (seen.objects) judge_objects(component, *seen.objects, keeper, view);
  if (seen.addon) judge_addon(seen, view);
  if (seen.oidc) judge_oidc(*seen.oidc, view);
  return view;
}

ObjectNeed need_of(const ObjectSeen& object) {
  if (!object.exists) return ObjectNeed::make;
  if (object.maker) return object.differences.empty() ? ObjectNeed::nothing : ObjectNeed::change;
  return object.differences.empty() ? ObjectNeed::leave : ObjectNeed::taken;
}

}  // namespace instantstart::capabilities
