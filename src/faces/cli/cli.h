// The command line over the REST API: `instantstart operation get --operation-id … --wait-seconds 45`.
// Commands, flags and help come from the table of actions. Nothing is checked here that the server checks, so
// every face gives the same answer.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "contract/action.h"
#include "faces/cli/command_tree.h"
#include "net/http_client.h"
#include "net/task.h"
#include "net/time.h"

namespace instantstart::faces {

/// One command a noun, with a command a verb below it.
std::vector<Command> action_commands(const contract::ActionTable& actions);

/// A command line that names an action.
struct ActionCall {
  const contract::Action* action = nullptr;
  boost::json::object arguments;
  bool output_json = false;
  bool wait = false;    ///< Follow the operation to its end.
  bool follow = false;  ///< Follow the text to its end.
};

/// Pure. Values are texts where the table says text, else parsed as JSON when they are JSON. `--arguments`
/// takes a whole JSON object
/// ("-" and @file are read by the caller before). Error `invalid_json` for an --arguments that is none.
Result<ActionCall> action_call(const contract::ActionTable& actions, const ParsedCommand& parsed);

/// Where the server is and who we are.
struct CliConnection {
  std::string url;  ///< "http://127.0.0.1:3099"
  std::string token;
};

/// Reads server.json and the token file of a state directory. `server_not_running` says how to start one.
Result<CliConnection> find_server(const std::filesystem::path& state_directory);

/// What to print and how to exit: 0 fine, 1 the server refused or the operation failed, 3 no server answered.
struct CliOutcome {
  int exit_code = 0;
  std::string out;
  std::string err;
};

/// Sends the call and formats the answer. `progress` gets a line whenever a followed operation moves.
asio::awaitable<CliOutcome> run_call(net::HttpClient& client, net::Timekeeper& time, CliConnection connection,
                                     ActionCall call, std::function<void(std::string_view)> progress);

/// Of an action whose text grows: calls again from where the answer ended, until the text has. `out` gets the
/// text, fit for a terminal, or each answer with --output json.
asio::awaitable<CliOutcome> follow_call(net::HttpClient& client, net::Timekeeper& time,
                                        CliConnection connection, ActionCall call,
                                        std::function<void(std::string_view)> out);

/// An answer for people: aligned "name: value" lines, lists as tables. Control characters are stripped, since
/// names and messages may come from a cluster.
std::string to_human_text(const boost::json::value& value);

}  // namespace instantstart::faces
