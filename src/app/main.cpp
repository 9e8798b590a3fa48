// The one program: process commands here, every other command from the table of actions.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "app/command_line.h"

int main(int argc, char** argv) {
  try {
    return instantstart::app::run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& broken) {
    fmt::print(stderr, "instantstart: {}\n", broken.what());
    return 70;  // EX_SOFTWARE
  }
}
