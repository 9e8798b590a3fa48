#include "contract/plan.h"

#include <algorithm>
#include <array>

#include "base/decode.h"
#include "base/digest.h"

namespace instantstart::contract {

bool is_dangerous(StepEffect effect) {
  switch (effect) {
    case StepEffect::none:
    case StepEffect::create:
    case StepEffect::update: return false;
    case StepEffect::replace:
    case StepEffect::remove:
    case StepEffect::drain:
    case StepEffect::scale_down:
    case StepEffect::disrupt:
    case StepEffect::expose:
    case StepEffect::spend: return true;
  }
  return true;  // what is not known is asked about
}

bool Plan::needs_confirmation() const {
  return std::ranges::any_of(steps, [](const PlannedStep& step) { return is_dangerous(step.effect); });
}

std::vector<std::string> Plan::dangers() const {
  std::vector<std::string> titles;
  for (const auto& step : steps) {
    if (is_dangerous(step.effect)) titles.push_back(step.title);
  }
  return titles;
}

Type describe(StepEffect*) {
  return enum_type<StepEffect>(
      "StepEffect", "What a step does to the world.",
      {{StepEffect::none, {"none", "Only looks or waits."}},
       {StepEffect::create, {"create", "Makes something new."}},
       {StepEffect::update, {"update", "Changes something in place."}},
       {StepEffect::replace, {"replace", "Makes something anew in place of what is there; confirmed first."}},
       {StepEffect::remove, {"remove", "Deletes something; confirmed first."}},
       {StepEffect::drain, {"drain", "Moves work away from where it runs; confirmed first."}},
       {StepEffect::scale_down, {"scale_down", "Takes capacity away; confirmed first."}},
       {StepEffect::disrupt, {"disrupt", "Takes a node out of work; confirmed first."}},
       {StepEffect::expose, {"expose", "Makes something reachable from outside; confirmed first."}},
       {StepEffect::spend, {"spend", "Pays a fee upfront; confirmed first."}}});
}

Type describe(PlannedCall*) {
  return object_type<PlannedCall>(
      "PlannedCall", "A call that will change something.",
      {field<&PlannedCall::call>("call", "Service and operation, as an audit log names them.",
                                 {.examples = {"cloudformation:CreateStack", "kubernetes:apply"}}),
       field<&PlannedCall::subject>("subject", "What it changes.",
                                    {.examples = {"daemonsets/kube-system/nvidia-device-plugin"}})});
}

Type describe(PlannedStep*) {
  return object_type<PlannedStep>(
      "PlannedStep", "One step of a plan.",
      {field<&PlannedStep::id>("id", "Unique in the plan.", {.examples = {"group/workers"}}),
       field<&PlannedStep::kind>("kind", "The step kind that executes it."),
       field<&PlannedStep::title>("title", "What it does, in words.",
                                  {.examples = {"Create the network and the EKS control plane"}}),
       field<&PlannedStep::effect>("effect", "What it does to the world."),
       field<&PlannedStep::after>("after", "Ids of the steps that must be done before.", {.defaulted = true}),
       field<&PlannedStep::calls>("calls",
                                  "Calls that it is expected to make; none when everything holds already.",
                                  {.defaulted = true}),
       field<&PlannedStep::input>("input", "Values for the step kind.", {.defaulted = true})});
}

Type describe(Plan*) {
  return object_type<Plan>(
      "Plan", "What a change will do, before anything is done.",
      {field<&Plan::kind>("kind", "Kind of the operation.", {.examples = {"control_plane_create"}}),
       field<&Plan::version>("version", "Version of the kind's steps.", {.rule = {.min = 1}}),
       field<&Plan::subject>("subject", "What it works on, as a path of kinds and names.",
                             {.examples = {"cluster/a/group/workers"}}),
       field<&Plan::summary>("summary", "The whole plan in one sentence.",
                             {.examples = {"Create cluster a in us-west-2: 4 steps."}}),
       field<&Plan::steps>("steps", "What is done, in an order that respects `after`."),
       field<&Plan::warnings>("warnings", "What to know before it is started.", {.defaulted = true})});
}

std::string plan_digest(const Plan& plan) {
  json::array steps;
  for (const auto& step : plan.steps) {
    steps.push_back(json::object{{"id", step.id},
                                 {"title", step.title},
                                 {"effect", encode(step.effect)},
                                 {"calls", encode(step.calls)}});
  }
  const json::object shown{{"kind", plan.kind},
                           {"subject", plan.subject},
                           {"summary", plan.summary},
                           {"steps", std::move(steps)},
                           {"warnings", encode(plan.warnings)}};
  return to_hex(sha256(to_canonical_text(shown)));
}

}  // namespace instantstart::contract
