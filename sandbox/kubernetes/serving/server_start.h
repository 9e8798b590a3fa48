// How a vLLM server starts, as a script of lines and times: until it serves, or the reason why it doesn't.
#pragma once

#include <string>
#include <vector>

#include "base/time.h"
#include "sandbox/kubernetes/cluster/programs.h"
#include "sandbox/kubernetes/serving/model_facts.h"
#include "sandbox/kubernetes/serving/server_arguments.h"

namespace instantstart::sandbox::kubernetes {

inline constexpr std::string_view k_server_version = "0.33.0";
/// Before every line of the process that serves.
inline constexpr std::string_view k_server_prefix = "(APIServer pid=1) ";

struct StartStep {
  milliseconds takes{0};
  std::vector<std::string> lines;  ///< "{T}" stands for the time of the line.
  bool fails = false;              ///< And it exits with 1.
};

/// What surrounds the server, as far as its start depends on it.
struct ServerPlace {
  std::int64_t gpus = 0;  ///< The container's limit of nvidia.com/gpu.
  double gpu_gib = 80;
  bool model_is_path = false;
  bool path_is_there = false;    ///< Of a model that is a path.
  bool path_has_config = false;  ///< config.json is in it.
};
ServerPlace server_place(const ProgramSite& site, const ServerArguments& arguments);

/// All steps until it serves; the last one fails when it never does.
std::vector<StartStep> server_start(const ContainerView& container, const ServerArguments& arguments,
                                    const ModelFacts& facts, const ServerPlace& place);

/// "11-30 10:00:00", as its lines begin.
std::string line_time(WallTime time);

}  // namespace instantstart::sandbox::kubernetes
