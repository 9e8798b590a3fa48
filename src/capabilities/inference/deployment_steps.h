// The step kinds of served models: their inputs, their decisions (pure, tested as tables) and their makers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capabilities/inference/deployment_objects.h"
#include "capabilities/inference/deployment_reader.h"
#include "capabilities/inference/deployment_state.h"
#include "operations/step.h"

namespace instantstart::capabilities {

inline constexpr std::string_view k_deployment_step = "inference_deployment";
inline constexpr std::string_view k_deployment_removal_step = "inference_deployment_removal";

struct PodRequest {
  std::string name;
  std::string uid;
};

/// One object to apply or delete, or pods to start anew.
struct DeploymentRequest {
  std::string ref;     ///< Empty: the pods.
  std::string maker;   ///< Whose it is, or will be.
  bool force = false;  ///< Fields that others set become ours.
  std::vector<PodRequest> pods;
};

Type describe(PodRequest*);
Type describe(DeploymentRequest*);

operations::Decision choose_deployment(const std::string& operation_id, const ServedModel& input,
                                       const DeploymentSeen& seen, const operations::History& history);
/// `only_operation`: nothing goes but what that one made (an undo).
operations::Decision choose_deployment_removal(const std::optional<std::string>& only_operation,
                                               const DeploymentSeen& seen);

std::unique_ptr<const operations::StepKind> deployment_step(DeploymentReader reader);
std::unique_ptr<const operations::StepKind> deployment_removal_step(DeploymentReader reader);

}  // namespace instantstart::capabilities
