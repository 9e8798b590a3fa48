#include "app/command_line.h"

#include <charconv>
#include <cstdio>
#include <optional>

#include <fmt/core.h>

#include "app/demo.h"
#include "app/mcp_bridge.h"
#include "app/run_client.h"
#include "app/serve.h"
#include "app/server.h"
#include "faces/cli/cli.h"
#include "sandbox/app/sandbox.h"

namespace instantstart::app {
namespace {

using faces::Command;
using faces::ParsedCommand;

Command serve_command() {
  return {
      .name = "serve",
      .doc = "Run the server: REST API and health on one port, until SIGTERM.",
      .flags = {{"state-dir", "State directory.", "DIR"},
                {"listen", "Address to listen on; loopback only.", "ADDRESS"},
                {"port", "Port; 3099 when left out, 0 takes a free one.", "INT"},
                {"allowed-host", "A Host header value to serve beside loopback names.", "HOST:PORT", true},
                {"pace", "Divides poll, settle and cool-down intervals.", "INT"},
                {"sandbox", "Start a simulated AWS beside the server and call that alone.", ""},
                {"sandbox-scale", "Divides the durations of what is simulated; 60 when left out.", "INT"},
                {"die-at", "For tests: die like in a power failure at a fault point.", "POINT:NUMBER"},
                {"mcp-conformance-fixtures", "For tests: what the MCP conformance suite calls for.", ""},
                {"verbose", "Debug lines in the log.", ""}}};
}

std::optional<std::string> value_of(const ParsedCommand& parsed, const std::string& flag) {
  const auto found = parsed.values.find(flag);
  if (found == parsed.values.end()) return std::nullopt;
  return found->second.back();
}

template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

int usage_fault(std::string_view message) {
  fmt::print(stderr, "{}\n", message);
  return 2;
}

/// Leaves `port` as it is when the flag isn't there.
Result<> take_port(const ParsedCommand& parsed, const std::string& flag, std::uint16_t& port) {
  const auto text = value_of(parsed, flag);
  if (!text) return {};
  const auto value = number<std::uint16_t>(*text);
  if (!value) return fail("invalid_request", fmt::format("--{} takes a number from 0 to 65535.", flag));
  port = *value;
  return {};
}

/// nullopt when the flag isn't there.
Result<std::optional<std::int64_t>> divisor(const ParsedCommand& parsed, const std::string& flag) {
  const auto text = value_of(parsed, flag);
  if (!text) return std::nullopt;
  const auto value = number<std::int64_t>(*text);
  if (!value || *value < 1 || *value > 100'000) {
    return fail("invalid_request", fmt::format("--{} takes a number from 1 to 100000.", flag));
  }
  return value;
}

int run_serve(const ParsedCommand& parsed) {
  if (!parsed.unknown.empty()) return usage_fault("serve does not know " + parsed.unknown.front());
  ServeOptions options{.state = value_of(parsed, "state-dir").value_or(default_state_directory().string())};
  if (auto address = value_of(parsed, "listen")) options.address = *address;
  if (auto taken = take_port(parsed, "port", options.port); !taken) return usage_fault(taken.error().message);
  const auto pace = divisor(parsed, "pace");
  if (!pace) return usage_fault(pace.error().message);
  options.pace = *pace;
  const auto scale = divisor(parsed, "sandbox-scale");
  if (!scale) return usage_fault(scale.error().message);
  options.sandbox_scale = scale->value_or(k_sandbox_scale);
  options.sandbox = parsed.values.contains("sandbox");
  options.die_at = value_of(parsed, "die-at");
  options.mcp_conformance_fixtures = parsed.values.contains("mcp-conformance-fixtures");
  if (const auto hosts = parsed.values.find("allowed-host"); hosts != parsed.values.end()) {
    options.allowed_hosts = hosts->second;
  }
  options.verbose = parsed.values.contains("verbose");
  return serve(options);
}

int print_outcome(const faces::CliOutcome& outcome) {
  std::fwrite(outcome.out.data(), 1, outcome.out.size(), stdout);
  std::fwrite(outcome.err.data(), 1, outcome.err.size(), stderr);
  return outcome.exit_code;
}

int run_action(const contract::ActionTable& actions, const ParsedCommand& parsed) {
  auto call = faces::action_call(actions, parsed);
  if (!call) return usage_fault(call.error().message);
  auto connection =
      faces::find_server(value_of(parsed, "state-dir").value_or(default_state_directory().string()));
  if (!connection) {
    fmt::print(stderr, "{} ({})\n", connection.error().message, connection.error().code);
    return 3;
  }
  return print_outcome(run_client<faces::CliOutcome>([&](net::HttpClient& client, net::Timekeeper& time) {
    if (call->follow) {
      const auto show = [](std::string_view text) {
        std::fwrite(text.data(), 1, text.size(), stdout);
        std::fflush(stdout);
      };
      return faces::follow_call(client, time, std::move(*connection), std::move(*call), show);
    }
    const auto progress = [](std::string_view line) { fmt::print(stderr, "{}\n", line); };
    return faces::run_call(client, time, std::move(*connection), std::move(*call), progress);
  }));
}

Command mcp_command() {
  return {.name = "mcp",
          .doc = "Bridge standard input and output to the running server's MCP, for agents that start it.",
          .details = "One JSON-RPC message a line. Agents that speak HTTP use /mcp of the server directly.",
          .flags = {{"state-dir", "State directory of the server.", "DIR"},
                    {"verbose", "Debug lines in the log, on standard error.", ""}}};
}

int run_mcp(const ParsedCommand& parsed) {
  if (!parsed.unknown.empty()) return usage_fault("mcp does not know " + parsed.unknown.front());
  return bridge_mcp(value_of(parsed, "state-dir").value_or(default_state_directory().string()),
                    parsed.values.contains("verbose"));
}

Command demo_command() {
  return {.name = "demo",
          .doc = "The main job on the running server, told step by step: environment, training, model.",
          .details =
              "Run it against `serve --sandbox` to see what there is. Against real AWS it makes what it "
              "says, and that costs money.",
          .flags = {{"name", "Name of the cluster; demo when left out.", "NAME"},
                    {"instance-type", "Of the two nodes; ml.g5.8xlarge when left out.", "TYPE"},
                    {"state-dir", "State directory of the server.", "DIR"}}};
}

int run_demo(const contract::ActionTable& actions, const ParsedCommand& parsed) {
  if (!parsed.unknown.empty()) return usage_fault("demo does not know " + parsed.unknown.front());
  DemoOptions options{.state = value_of(parsed, "state-dir").value_or(default_state_directory().string())};
  if (auto name = value_of(parsed, "name")) options.name = *name;
  if (auto type = value_of(parsed, "instance-type")) options.instance_type = *type;
  return run_demo(actions, options);
}

Command sandbox_command() {
  return {
      .name = "sandbox",
      .doc = "Run a simulated AWS on one port, until SIGTERM.",
      .details =
          "It prints the address and credentials as NAME=value lines: export them, and the aws CLI, boto3 "
          "and this program work against it unchanged.",
      .flags = {{"state-dir", "State directory of the simulated account.", "DIR"},
                {"port", "Port; a free one when left out.", "INT"},
                {"kubernetes-port", "Port of the Kubernetes API servers, likewise.", "INT"},
                {"scale", "Divides the durations of what is simulated.", "INT"},
                {"seed", "Decides what faults with a probability hit.", "INT"},
                {"region", "The region that is printed; all regions are answered.", "REGION"},
                {"account", "The simulated account: 12 digits.", "ID"},
                {"verbose", "Debug lines in the log.", ""}}};
}

int run_sandbox(const ParsedCommand& parsed) {
  if (!parsed.unknown.empty()) return usage_fault("sandbox does not know " + parsed.unknown.front());
  sandbox::SandboxOptions options{
      .state = value_of(parsed, "state-dir").value_or((default_state_directory() / "sandbox").string())};
  if (auto taken = take_port(parsed, "port", options.port); !taken) return usage_fault(taken.error().message);
  auto taken = take_port(parsed, "kubernetes-port", options.kubernetes_port);
  if (!taken) return usage_fault(taken.error().message);
  const auto scale = divisor(parsed, "scale");
  if (!scale) return usage_fault(scale.error().message);
  options.scale = scale->value_or(1);
  if (auto account = value_of(parsed, "account")) options.account = *account;
  if (auto text = value_of(parsed, "seed")) {
    const auto seed = number<std::uint64_t>(*text);
    if (!seed) return usage_fault("--seed takes a whole number.");
    options.seed = *seed;
  }
  if (auto region = value_of(parsed, "region")) options.region = *region;
  options.verbose = parsed.values.contains("verbose");
  return sandbox::run_sandbox(options);
}

}  // namespace

faces::Command root_command(const contract::ActionTable& actions) {
  Command root{.name = "instantstart", .doc = "Control plane for Amazon SageMaker HyperPod on EKS."};
  root.commands.push_back(serve_command());
  root.commands.push_back(sandbox_command());
  root.commands.push_back(mcp_command());
  root.commands.push_back(demo_command());
  for (auto& noun : faces::action_commands(actions)) {
    for (auto& verb : noun.commands) {
      verb.flags.push_back({"state-dir", "State directory of the server.", "DIR"});
    }
    root.commands.push_back(std::move(noun));
  }
  return root;
}

int run(const std::vector<std::string>& arguments) {
  const contract::ActionTable actions(all_actions());
  auto parsed = faces::parse_command(root_command(actions), arguments, version());
  if (const auto* help = std::get_if<faces::CommandHelp>(&parsed)) {
    std::fputs(help->text.c_str(), help->exit_code == 0 ? stdout : stderr);
    return help->exit_code;
  }
  const auto& command = std::get<ParsedCommand>(parsed);
  if (command.path.front() == "serve") return run_serve(command);
  if (command.path.front() == "sandbox") return run_sandbox(command);
  if (command.path.front() == "mcp") return run_mcp(command);
  if (command.path.front() == "demo") return run_demo(actions, command);
  return run_action(actions, command);
}

}  // namespace instantstart::app
