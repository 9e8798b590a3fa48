// A tree of commands with flags, and what a command line says in it. CLI11 stands behind this header alone.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace instantstart::faces {

struct CommandFlag {
  std::string name;  ///< "wait-seconds"; written --wait-seconds
  std::string doc;
  std::string value_name;  ///< "TEXT", "INT"; empty for a switch that takes no value.
  bool repeated = false;   ///< May be given several times.
};

struct Command {
  std::string name;
  std::string doc;           ///< One line, for the list.
  std::string details = {};  ///< More, for its own help.
  std::vector<CommandFlag> flags = {};
  std::vector<Command> commands = {};
};

struct ParsedCommand {
  std::vector<std::string> path;                           ///< "operation", "get"
  std::map<std::string, std::vector<std::string>> values;  ///< By flag; a switch has the value "true".
  std::vector<std::string> unknown;  ///< Flags that the command doesn't have, as written.
};

/// Text to print and an exit code, when there is nothing to run: help (0) or a fault of the command line (2).
struct CommandHelp {
  int exit_code = 0;
  std::string text;
};

/// `arguments` without the program's name. A command that has commands needs one of them; a misspelt one is
/// answered with the nearest. Flags that are not known are collected, not refused: the server says what is
/// wrong with them.
std::variant<ParsedCommand, CommandHelp> parse_command(const Command& root,
                                                       const std::vector<std::string>& arguments,
                                                       std::string_view version);

}  // namespace instantstart::faces
