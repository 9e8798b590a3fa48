// The process command `demo`: the main job on the running server, told step by step. An environment, a
// training job with its log, a served model and a question to it; each step is one action, as anybody would
// call it.
#pragma once

#include <filesystem>
#include <string>

#include "contract/action.h"

namespace instantstart::app {

struct DemoOptions {
  std::filesystem::path state;  ///< Where the server's address and token are.
  std::string name = "demo";    ///< Of the cluster; with it the bucket and all that is made is named.
  std::string instance_type = "ml.g5.8xlarge";
};

/// Made twice, it finds what is there and says so. Returns the exit code: 0; 1 when a step was refused or
/// failed, with what the server says of it; 3 when no server answers.
int run_demo(const contract::ActionTable& actions, const DemoOptions& options);

}  // namespace instantstart::app
