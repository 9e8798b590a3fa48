// Model servers in simulated pods: a vLLM OpenAI server that loads, fails or serves as its command line, its
// GPUs and its files say. No model runs: answers are short sentences made from the prompt.
#pragma once

#include <memory>

#include "sandbox/kubernetes/cluster/programs.h"

namespace instantstart::sandbox::kubernetes {

/// nullptr when the container is no model server. For ProgramCatalog.
std::unique_ptr<Program> recognise_model_server(const ContainerView& container);

}  // namespace instantstart::sandbox::kubernetes
