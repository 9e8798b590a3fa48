#include "faces/cli/command_tree.h"

#include <algorithm>
#include <functional>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "base/text.h"

namespace instantstart::faces {
namespace {

void add_flags(CLI::App& app, const Command& command, ParsedCommand& parsed) {
  for (const auto& flag : command.flags) {
    const std::string name = "--" + flag.name;
    if (flag.value_name.empty()) {
      app.add_flag_function(
          name, [&parsed, key = flag.name](std::int64_t) { parsed.values[key] = {"true"}; }, flag.doc);
      continue;
    }
    auto* option = app.add_option_function<std::vector<std::string>>(
        name,
        [&parsed, key = flag.name](const std::vector<std::string>& values) { parsed.values[key] = values; },
        flag.doc);
    option->type_name(flag.value_name)->type_size(1)->allow_extra_args(false);
    option->multi_option_policy(flag.repeated ? CLI::MultiOptionPolicy::TakeAll
                                              : CLI::MultiOptionPolicy::Throw);
    if (flag.repeated) option->expected(1, 1000)->allow_extra_args(false);
  }
}

void add_command(CLI::App& parent, const Command& command, ParsedCommand& parsed) {
  CLI::App* app = parent.add_subcommand(command.name, command.doc);
  if (!command.details.empty()) app->footer(command.details);
  add_flags(*app, command, parsed);
  for (const auto& child : command.commands) add_command(*app, child, parsed);
  // Below the last command nothing but flags may come, known or not.
  if (command.commands.empty()) app->allow_extras();
}

/// How far the words lead into the tree, and the first that leads nowhere.
CommandHelp missing_command(const Command& root, const std::vector<std::string>& arguments) {
  const Command* at = &root;
  std::string path;
  for (const auto& word : arguments) {
    if (word.starts_with('-')) continue;
    const auto next = std::ranges::find(at->commands, word, &Command::name);
    if (next == at->commands.end()) {
      std::vector<std::string_view> names;
      for (const auto& command : at->commands) names.push_back(command.name);
      std::string text =
          fmt::format("There is no command '{}{}'.", path, shortened(without_controls(word), 60));
      if (auto near = nearest(word, names)) text += fmt::format(" Did you mean '{}{}'?", path, *near);
      return {2, text + "\n"};
    }
    at = &*next;
    path += word + " ";
    if (at->commands.empty()) break;
  }
  std::string text =
      path.empty() ? "A command is needed:\n" : fmt::format("'{}' needs one of:\n", trim(path));
  for (const auto& command : at->commands) text += fmt::format("  {:<20} {}\n", command.name, command.doc);
  return {2, text};
}

const CLI::App* selected(const CLI::App& app, std::vector<std::string>& path) {
  const auto chosen = app.get_subcommands();
  if (chosen.empty()) return &app;
  path.push_back(chosen.front()->get_name());
  return selected(*chosen.front(), path);
}

bool is_complete(const Command& root, const std::vector<std::string>& path) {
  const Command* at = &root;
  for (const auto& word : path) at = &*std::ranges::find(at->commands, word, &Command::name);
  return at->commands.empty();
}

}  // namespace

std::variant<ParsedCommand, CommandHelp> parse_command(const Command& root,
                                                       const std::vector<std::string>& arguments,
                                                       std::string_view version) {
  ParsedCommand parsed;
  CLI::App app(root.doc, root.name);
  app.set_version_flag("--version", std::string(version));
  for (const auto& command : root.commands) add_command(app, command, parsed);
  try {
    // CLI11 takes its arguments last first.
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app.parse(std::move(reversed));
  } catch (const CLI::Success& help) {  // --help and --version
    const bool asked_version = dynamic_cast<const CLI::CallForVersion*>(&help) != nullptr;
    std::vector<std::string> path;
    return CommandHelp{0, asked_version ? std::string(version) + "\n" : selected(app, path)->help()};
  } catch (const CLI::ExtrasError&) {
    return missing_command(root, arguments);
  } catch (const CLI::ParseError& fault) {
    return CommandHelp{2, fmt::format("{}\n", fault.what())};
  }
  const CLI::App* last = selected(app, parsed.path);
  if (!is_complete(root, parsed.path)) return missing_command(root, arguments);
  parsed.unknown = last->remaining();
  return parsed;
}

}  // namespace instantstart::faces
