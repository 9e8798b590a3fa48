#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/json.h"
#include "faces/cli/api_call.h"
#include "faces/cli/cli.h"
#include "faces/cli/terminal_text.h"

namespace instantstart::faces {
namespace {

/// What the server lets a read wait.
constexpr std::int64_t k_wait_seconds = 45;

struct Piece {
  std::string text;
  std::int64_t next_offset = 0;
  bool ended = false;
};

std::optional<Piece> piece_of(const json::object& answer) {
  const auto* text = answer.if_contains("text");
  const auto* next = answer.if_contains("next_offset");
  const auto* ended = answer.if_contains("ended");
  if (!text || !text->is_string() || !next || !next->is_int64() || !ended || !ended->is_bool()) return {};
  return Piece{std::string(text->get_string()), next->get_int64(), ended->get_bool()};
}

}  // namespace

asio::awaitable<CliOutcome> follow_call(net::HttpClient& client, net::Timekeeper& time,
                                        CliConnection connection, ActionCall call,
                                        std::function<void(std::string_view)> out) {
  TerminalText terminal;
  json::object arguments = call.arguments;
  while (true) {
    auto answer = co_await call_api(client, time, connection, *call.action, arguments);
    if (!answer) {
      const auto& error = answer.error();
      co_return CliOutcome{
          .exit_code = 3, .out = {}, .err = fmt::format("{} ({})\n", error.message, error.code)};
    }
    if (answer->status >= 400) {
      co_return CliOutcome{
          .exit_code = 1,
          .out = {},
          .err = call.output_json ? to_text(answer->body) + "\n" : to_human_text(answer->body)};
    }
    const auto* object = answer->body.if_object();
    const auto piece = object ? piece_of(*object) : std::nullopt;
    if (!piece) {
      co_return CliOutcome{
          .exit_code = 1, .out = {}, .err = "The server's answer is not a part of a text.\n"};
    }
    if (call.output_json) {
      out(to_text(answer->body) + "\n");
    } else if (const auto text = terminal.take(piece->text); !text.empty()) {
      out(text);
    }
    if (piece->ended) co_return CliOutcome{};
    arguments["offset"] = piece->next_offset;
    arguments["wait_seconds"] = k_wait_seconds;
    arguments.erase("tail_bytes");
    // Which run it was: after a restart the offset is no place in the log of the next one.
    if (const auto* attempt = object->if_contains("attempt")) {
      arguments["attempt"] = *attempt;
      arguments.erase("previous");
    }
  }
}

}  // namespace instantstart::faces
