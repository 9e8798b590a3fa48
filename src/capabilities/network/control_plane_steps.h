// The step kinds of control planes and their inputs.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "aws/accounts.h"
#include "capabilities/network/control_plane_choices.h"
#include "capabilities/network/stack.h"
#include "fleet/fleet.h"
#include "operations/step.h"

namespace instantstart::capabilities {

inline constexpr std::string_view k_stack_step = "control_plane_stack";
inline constexpr std::string_view k_stack_deletion_step = "control_plane_stack_deletion";
inline constexpr std::string_view k_record_step = "cluster_record";
inline constexpr std::string_view k_forget_step = "cluster_forget";

struct ControlPlaneStackInput {
  std::string cluster;  ///< Key
  std::optional<std::string> profile;
  ControlPlaneChoices choices;
};

struct StackDeletionInput {
  std::string cluster;  ///< Key
  std::optional<std::string> profile;
};

struct ClusterRecordInput {
  std::string cluster;  ///< Key
  std::string tag;
  std::optional<std::string> profile;
};

Type describe(ControlPlaneStackInput*);
Type describe(StackDeletionInput*);
Type describe(ClusterRecordInput*);

/// With all parameters, the template's digest among them.
StackWanted wanted_stack(const ControlPlaneStackInput& input, std::string stack_name,
                         std::string operation_id);

std::unique_ptr<const operations::StepKind> control_plane_stack_step(aws::Accounts& accounts);
std::unique_ptr<const operations::StepKind> stack_deletion_step(aws::Accounts& accounts);
std::unique_ptr<const operations::StepKind> cluster_record_step(fleet::Fleet& fleet, const Clock& clock);
std::unique_ptr<const operations::StepKind> cluster_forget_step(fleet::Fleet& fleet);

}  // namespace instantstart::capabilities
