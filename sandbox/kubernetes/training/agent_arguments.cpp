#include "sandbox/kubernetes/training/agent_arguments.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace instantstart::sandbox::kubernetes {
namespace {

/// Those that stand alone; all others take a value.
constexpr std::array<std::string_view, 6> k_flags{"standalone", "m",        "module",
                                                  "no_python",  "run_path", "inprocess_restart"};
constexpr std::array<std::string_view, 36> k_valued{"nnodes",
                                                    "nproc_per_node",
                                                    "rdzv_backend",
                                                    "rdzv_endpoint",
                                                    "rdzv_id",
                                                    "rdzv_conf",
                                                    "max_restarts",
                                                    "monitor_interval",
                                                    "start_method",
                                                    "role",
                                                    "log_dir",
                                                    "r",
                                                    "redirects",
                                                    "redirect",
                                                    "t",
                                                    "tee",
                                                    "local_ranks_filter",
                                                    "node_rank",
                                                    "master_addr",
                                                    "master_port",
                                                    "local_addr",
                                                    "logs_specs",
                                                    "event_log_handler",
                                                    "numa_binding",
                                                    "signals_to_handle",
                                                    "shutdown_signal",
                                                    "shutdown_timeout",
                                                    "inprocess_timeout",
                                                    "pre_train_script",
                                                    "pre_train_args",
                                                    "post_train_script",
                                                    "post_train_args",
                                                    "server_host",
                                                    "server_port",
                                                    "server_log_level",
                                                    "server_shutdown_timeout"};

std::string option_name(std::string_view text) {
  while (text.starts_with('-')) text.remove_prefix(1);
  std::string name(text.substr(0, text.find('=')));
  std::ranges::replace(name, '-', '_');
  return name;
}

bool takes_output(std::string_view value) {
  return value == "1" || value == "3" || value.find(":1") != value.npos || value.find(":3") != value.npos;
}

}  // namespace

std::string_view AgentArguments::option(std::string_view name) const {
  const auto found = options.find(name);
  return found == options.end() ? std::string_view() : found->second;
}

bool AgentArguments::tees_output() const { return takes_output(option("tee")) || takes_output(option("t")); }

bool AgentArguments::keeps_output() const {
  return tees_output() || takes_output(option("redirects")) || takes_output(option("redirect")) ||
         takes_output(option("r"));
}

std::expected<AgentArguments, std::string> parse_agent_arguments(const std::vector<std::string>& argv) {
  AgentArguments parsed;
  std::size_t at = 0;
  for (; at < argv.size() && argv[at].starts_with('-'); ++at) {
    const std::string name = option_name(argv[at]);
    if (std::ranges::find(k_flags, name) != k_flags.end()) {
      parsed.options[name];
      continue;
    }
    if (std::ranges::find(k_valued, name) == k_valued.end()) {
      return std::unexpected(fmt::format("hyperpodrun: error: unrecognized arguments: {}", argv[at]));
    }
    const auto equals = argv[at].find('=');
    if (equals != std::string::npos) {
      parsed.options[name] = argv[at].substr(equals + 1);
    } else if (at + 1 < argv.size()) {
      parsed.options[name] = argv[++at];
    } else {
      return std::unexpected(fmt::format("hyperpodrun: error: argument {}: expected one argument", argv[at]));
    }
  }
  if (at == argv.size()) {
    return std::unexpected(
        "hyperpodrun: error: the following arguments are required: training_script, training_script_args");
  }
  parsed.is_module = parsed.options.contains("m") || parsed.options.contains("module");
  parsed.script = argv[at];
  parsed.script_arguments.assign(argv.begin() + static_cast<std::ptrdiff_t>(at) + 1, argv.end());
  return parsed;
}

std::map<std::string, std::string, std::less<>> script_options(const std::vector<std::string>& arguments) {
  std::map<std::string, std::string, std::less<>> options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& text = arguments[i];
    const auto equals = text.find('=');
    if (equals != std::string::npos) {
      options[option_name(text)] = text.substr(equals + 1);
    } else if (text.starts_with('-')) {
      const bool has_value = i + 1 < arguments.size() && !arguments[i + 1].starts_with("--");
      options[option_name(text)] = has_value ? arguments[i + 1] : "true";
    }
  }
  return options;
}

std::optional<std::int64_t> count_option(const std::map<std::string, std::string, std::less<>>& options,
                                         std::initializer_list<std::string_view> names) {
  for (const auto name : names) {
    const auto found = options.find(name);
    if (found == options.end()) continue;
    const std::string& text = found->second;
    std::int64_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec == std::errc() && number >= 1) return number;
  }
  return std::nullopt;
}

}  // namespace instantstart::sandbox::kubernetes
