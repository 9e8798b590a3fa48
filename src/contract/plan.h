// A plan: what a change will do, as data, before anything is done. It is shown, confirmed, stored and
// executed.
#pragma once

#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "base/describe.h"

namespace instantstart::contract {

/// What a step does to the world. The plan, not the action's row, decides whether somebody must confirm.
enum class StepEffect {
  none,  ///< Only looks or waits.
  create,
  update,
  replace,
  remove,  ///< Deletes something.
  drain,
  scale_down,
  disrupt,  ///< Takes a node out of work: cordon, reboot.
  expose,   ///< Makes something reachable from outside.
  spend,    ///< Pays a fee upfront.
};

/// True for every effect that needs a confirmation.
bool is_dangerous(StepEffect effect);

/// A call that will change something, as a person would look for it in CloudTrail or an audit log.
struct PlannedCall {
  std::string call;     ///< "cloudformation:CreateStack", "kubernetes:apply"
  std::string subject;  ///< "stack/instantstart-a", "daemonsets/kube-system/nvidia-device-plugin"
};

struct PlannedStep {
  std::string id;     ///< Unique in the plan, stable between plans of one kind: "network", "group/workers".
  std::string kind;   ///< The step kind that executes it.
  std::string title;  ///< "Create the network and the EKS control plane"
  StepEffect effect = StepEffect::none;
  std::vector<std::string> after;  ///< Ids of steps that must be done before.
  std::vector<PlannedCall>
      calls;                  ///< Mutating calls that it is expected to make; none when all holds already.
  boost::json::object input;  ///< Of the step kind's input type.
};

struct Plan {
  std::string kind;  ///< Operation kind: "control_plane_create".
  int version =
      1;  ///< Of the operation kind's steps; an unfinished operation keeps the one that it began with.
  std::string subject;  ///< What it works on, as a path: "cluster/a/group/workers".
  std::string summary;  ///< One sentence: "Create cluster a in us-west-2: 4 steps."
  std::vector<PlannedStep> steps;
  std::vector<std::string> warnings;

  bool needs_confirmation() const;
  /// The steps that made it so, with what they destroy: "Delete instance group workers (3 nodes)".
  std::vector<std::string> dangers() const;
};

Type describe(StepEffect*);
Type describe(PlannedCall*);
Type describe(PlannedStep*);
Type describe(Plan*);

/// Complaints about a plan that can't run: ids twice, unknown `after`, a cycle, a bad subject path. Empty
/// when sound.
std::vector<std::string> plan_faults(const Plan& plan);

/// SHA-256 (hex) of what the plan shows: a confirmation holds for exactly this.
std::string plan_digest(const Plan& plan);

}  // namespace instantstart::contract
