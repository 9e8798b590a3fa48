// `hyperpodrun`: the agent of HyperPod's training operator, with a training script as its workers. The agent
// waits READY until the operator gives it ranks; without the operator it waits for ever.
#pragma once

#include <memory>

#include "sandbox/kubernetes/cluster/programs.h"
#include "sandbox/kubernetes/training/agent_board.h"

namespace instantstart::sandbox::kubernetes {

/// Label of a job's pods: its name.
inline constexpr std::string_view k_job_name_label = "sagemaker.amazonaws.com/job-name";

/// The job that a pod belongs to, by its owner; its name is empty where there is none.
ObjectKey job_of_pod(const ObjectKey& pod_key, const json::object& pod);

/// nullptr for other programs. The board must outlive what it makes.
std::unique_ptr<Program> recognise_hyperpodrun(const ContainerView& container, AgentBoard& board);

}  // namespace instantstart::sandbox::kubernetes
