// What a container is told to serve: the command line of a vLLM OpenAI server.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sandbox/kubernetes/cluster/programs.h"

namespace instantstart::sandbox::kubernetes {

/// vLLM's arguments, with its defaults; those that change nothing here are left out.
struct ServerArguments {
  std::string model = "Qwen/Qwen3-0.6B";
  std::vector<std::string> served_names;  ///< At least one: the model's own when none is given.
  std::int64_t port = 8000;
  std::string api_key;  ///< Empty: everybody may ask.
  std::int64_t tensor_parallel = 1;
  std::int64_t pipeline_parallel = 1;
  std::int64_t data_parallel = 1;
  std::int64_t nodes = 1;
  std::int64_t max_model_len = 0;  ///< 0: the model's.
  double memory_utilization = 0.92;
  std::string load_format = "auto";
  bool headless = false;  ///< Of a group's other nodes: it serves nothing.
  std::string given;      ///< As its log shows them: "'model': 'a/b', 'port': 9000".
};

/// Of `vllm serve MODEL …`, `python3 -m vllm.entrypoints.openai.api_server …`, or the arguments of an image
/// whose entry point that is (vllm/vllm-openai); nullopt for anything else.
std::optional<ServerArguments> server_arguments(const ContainerView& container);

}  // namespace instantstart::sandbox::kubernetes
