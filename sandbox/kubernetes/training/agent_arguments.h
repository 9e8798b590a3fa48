// The command line of `hyperpodrun`: torchrun's options, the agent's own, then the script and its arguments.
// Pure.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace instantstart::sandbox::kubernetes {

struct AgentArguments {
  std::map<std::string, std::string, std::less<>> options;  ///< "nproc_per_node"; "" for a flag.
  bool is_module = false;                                   ///< -m: the script is a module's name.
  std::string script;
  std::vector<std::string> script_arguments;

  std::string_view option(std::string_view name) const;
  /// The workers' standard output comes to the container's, with a prefix (--tee 1 or 3).
  bool tees_output() const;
  /// The agent has a file of the standard output, which log rules are matched against.
  bool keeps_output() const;
};

/// Without the program's name. Error: what the program prints before it ends with 2.
std::expected<AgentArguments, std::string> parse_agent_arguments(const std::vector<std::string>& argv);

/// Options of a script in all usual spellings: `--max-steps 5`, `--max_steps=5`, `training.steps=5`. Names
/// without dashes in front, `-` as `_`; an option without a value is "true".
std::map<std::string, std::string, std::less<>> script_options(const std::vector<std::string>& arguments);

/// The first of the names that has a whole number of at least 1.
std::optional<std::int64_t> count_option(const std::map<std::string, std::string, std::less<>>& options,
                                         std::initializer_list<std::string_view> names);

}  // namespace instantstart::sandbox::kubernetes
