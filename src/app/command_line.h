// What `instantstart …` means: a process command (serve), or an action sent to the running server.
#pragma once

#include <string>
#include <vector>

#include "contract/action.h"
#include "faces/cli/command_tree.h"

namespace instantstart::app {

/// All commands with their flags: process commands, and one for each action.
faces::Command root_command(const contract::ActionTable& actions);

/// Arguments without the program's name; the answer is the exit code (see docs/cli.md).
int run(const std::vector<std::string>& arguments);

}  // namespace instantstart::app
