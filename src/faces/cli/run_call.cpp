#include <fmt/format.h>

#include "base/decode.h"
#include "base/digest.h"
#include "base/error_codes.h"
#include "base/json.h"
#include "base/text.h"
#include "contract/answers.h"
#include "contract/problem.h"
#include "contract/schema.h"
#include "faces/cli/api_call.h"
#include "faces/cli/cli.h"
#include "net/query.h"

namespace instantstart::faces {
namespace {

constexpr std::int64_t k_wait_seconds = 45;

std::string formatted(const json::value& value, bool as_json) {
  return as_json ? to_text(value) + "\n" : to_human_text(value);
}

std::string problem_text(const contract::Problem& problem) {
  std::string text = fmt::format("{} ({})\n", without_controls(problem.detail), problem.code);
  for (const auto& one : problem.problems) {
    text += fmt::format("  {} {}", without_controls(one.pointer), without_controls(one.message));
    if (!one.value.empty()) text += fmt::format(", got {}", without_controls(one.value));
    if (one.nearest) text += fmt::format("; did you mean {}?", without_controls(*one.nearest));
    text += "\n";
  }
  for (const auto& next : problem.next) {
    text += fmt::format("  next: {} {}\n", next.action, without_controls(to_text(next.arguments)));
  }
  return text;
}

CliOutcome outcome_of(const net::ClientResponse& response, bool as_json) {
  auto body = parse_json(response.body, {.max_bytes = 64 * 1024 * 1024});
  if (!body) return {.exit_code = 1, .out = {}, .err = "The server's answer is not JSON.\n"};
  if (response.headers.get("Content-Type") == contract::k_problem_media_type) {
    auto problem = decode<contract::Problem>(*body);
    if (!problem) return {.exit_code = 1, .out = {}, .err = formatted(*body, as_json)};
    return {.exit_code = 1, .out = {}, .err = as_json ? to_text(*body) + "\n" : problem_text(*problem)};
  }
  return {.exit_code = response.status < 400 ? 0 : 1, .out = formatted(*body, as_json), .err = {}};
}

CliOutcome unreachable(const Error& error) {
  return {.exit_code = 3, .out = {}, .err = fmt::format("{} ({})\n", error.message, error.code)};
}

std::string member_text(const json::value& value, std::string_view name) {
  const auto* object = value.if_object();
  const auto* member = object ? object->if_contains(name) : nullptr;
  return member && member->is_string() ? std::string(member->get_string()) : std::string();
}

bool has_ended(std::string_view state) {
  return state == "succeeded" || state == "failed" || state == "cancelled" || state == "needs_input";
}

std::string progress_line(const json::value& operation) {
  std::string line = member_text(operation, "state");
  const auto* steps = operation.if_object() ? operation.get_object().if_contains("steps") : nullptr;
  if (!steps || !steps->is_array()) return line;
  for (const auto& step : steps->get_array()) {
    const std::string state = member_text(step, "state");
    if (state == "done" || state == "pending") continue;
    line += fmt::format("; {} {}", member_text(step, "id"), state);
    if (const auto progress = member_text(step, "progress"); !progress.empty()) line += ": " + progress;
  }
  return without_controls(line);
}

}  // namespace

asio::awaitable<CliOutcome> run_call(net::HttpClient& client, net::Timekeeper& time, CliConnection connection,
                                     ActionCall call, std::function<void(std::string_view)> progress) {
  auto request = to_request(connection, *call.action, std::move(call.arguments));
  auto response = co_await client.send(std::move(request), net::Deadline::in(time, k_api_call_time));
  if (!response) co_return unreachable(response.error());
  if (!call.wait || response->status != 202) co_return outcome_of(*response, call.output_json);

  auto answer = parse_json(response->body);
  if (!answer) co_return CliOutcome{.exit_code = 1, .out = {}, .err = "The server's answer is not JSON.\n"};
  const std::string operation_id = member_text(*answer, "operation_id");
  std::string last;
  while (true) {
    net::ClientRequest look{.method = "GET",
                            .url = fmt::format("{}/api/v1/operations/{}?wait_seconds={}", connection.url,
                                               percent_encode(operation_id), k_wait_seconds),
                            .headers = {{"Authorization", "Bearer " + connection.token}}};
    auto seen = co_await client.send(std::move(look), net::Deadline::in(time, k_api_call_time));
    if (!seen) co_return unreachable(seen.error());
    auto operation = parse_json(seen->body, {.max_bytes = 64 * 1024 * 1024});
    if (!operation || seen->status != 200) co_return outcome_of(*seen, call.output_json);
    if (const std::string line = progress_line(*operation); line != last) {
      progress(line);
      last = line;
    }
    const std::string state = member_text(*operation, "state");
    if (!has_ended(state)) continue;
    co_return CliOutcome{
        .exit_code = state == "succeeded" ? 0 : 1, .out = formatted(*operation, call.output_json), .err = {}};
  }
}

}  // namespace instantstart::faces
