#include <array>

#include <fmt/core.h>

#include "base/json.h"
#include "faces/mcp/progress.h"
#include "tests/mcp_fixtures/tools.h"

namespace instantstart::mcp_fixtures {
namespace {

constexpr milliseconds k_pause{50};
constexpr std::string_view k_log_level_key = "io.modelcontextprotocol/logLevel";

void log_to_client(const Call& call, std::string_view text) {
  call.exchange.notify("notifications/message", {{"level", "info"}, {"logger", "fixtures"}, {"data", text}});
}

Answer logging(const Call& call) {
  const bool wanted = !faces::is_modern(call.caller.revision) || meta(call.request, k_log_level_key);
  constexpr auto k_lines = std::to_array<std::string_view>(
      {"Tool execution started", "Tool processing data", "Tool execution completed"});
  for (const auto line : k_lines) {
    if (wanted) log_to_client(call, line);
    co_await call.time.sleep(k_pause);
  }
  co_return text_content("Tool with logging executed successfully");
}

Answer progress(const Call& call) {
  const auto* token = meta(call.request, "progressToken");
  double last = -1;
  for (const double done : {0.0, 50.0, 100.0}) {
    if (token) {
      const faces::Progress now{.done = done, .total = 100, .message = fmt::format("{} of 100", done)};
      const json::object notification = faces::progress_notification(*token, now, last);
      call.exchange.notify("notifications/progress", notification.at("params").as_object());
    }
    co_await call.time.sleep(k_pause);
  }
  co_return text_content("Tool with progress executed successfully");
}

/// What the client has no way to answer, it is not asked.
std::optional<faces::RpcError> no_questions(const Call& call) {
  if (!call.caller.session.empty()) return std::nullopt;
  return fault(faces::rpc::invalid_params, "This one asks back, which only sessions can do.");
}

json::object prompt_schema() {
  return {{"type", "object"},
          {"properties", json::object{{"prompt", json::object{{"type", "string"}}}}},
          {"required", json::array{"prompt"}}};
}

Answer sampling(const Call& call) {
  if (auto none = no_questions(call)) co_return std::unexpected(std::move(*none));
  const json::object message{{"role", "user"}, {"content", text_block(argument(call.request, "prompt"))}};
  json::object params{{"messages", json::array{message}}, {"maxTokens", 100}};
  const auto answer = co_await call.exchange.ask("sampling/createMessage", std::move(params));
  if (!answer) co_return std::unexpected(answer.error());
  const auto* block = faces::object_member(*answer, "content");
  const auto text = block ? faces::text_member(*block, "text") : std::nullopt;
  co_return text_content(fmt::format("LLM response: {}", text.value_or("")));
}

Answer elicit(const Call& call, std::string message, json::object properties, json::array required) {
  if (auto none = no_questions(call)) co_return std::unexpected(std::move(*none));
  json::object schema{{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  json::object params{{"message", std::move(message)}, {"requestedSchema", std::move(schema)}};
  const auto answer = co_await call.exchange.ask("elicitation/create", std::move(params));
  if (!answer) co_return std::unexpected(answer.error());
  const auto action = faces::text_member(*answer, "action");
  const auto* given = answer->if_contains("content");
  co_return text_content(fmt::format("Elicitation completed: action={}, content={}", action.value_or("none"),
                                     given ? to_text(*given) : "{}"));
}

json::object message_schema() {
  return {{"type", "object"},
          {"properties", json::object{{"message", json::object{{"type", "string"}}}}},
          {"required", json::array{"message"}}};
}

Answer elicitation(const Call& call) {
  json::object properties{
      {"username", json::object{{"type", "string"}, {"description", "User's response"}}},
      {"email", json::object{{"type", "string"}, {"description", "User's email address"}}}};
  return elicit(call, argument(call.request, "message"), std::move(properties),
                json::array{"username", "email"});
}

Answer elicitation_defaults(const Call& call) {
  json::object properties{{"name", json::object{{"type", "string"}, {"default", "John Doe"}}},
                          {"age", json::object{{"type", "integer"}, {"default", 30}}},
                          {"score", json::object{{"type", "number"}, {"default", 95.5}}},
                          {"status", json::object{{"type", "string"},
                                                  {"enum", json::array{"active", "inactive", "pending"}},
                                                  {"default", "active"}}},
                          {"verified", json::object{{"type", "boolean"}, {"default", true}}}};
  return elicit(call, "Please review the defaults", std::move(properties), {});
}

json::array titled(std::initializer_list<std::pair<std::string_view, std::string_view>> choices) {
  json::array array;
  for (const auto& [value, title] : choices) array.push_back({{"const", value}, {"title", title}});
  return array;
}

Answer elicitation_enums(const Call& call) {
  const json::array options{"option1", "option2", "option3"};
  json::object properties{
      {"untitledSingle", json::object{{"type", "string"}, {"enum", options}}},
      {"titledSingle",
       json::object{
           {"type", "string"},
           {"oneOf",
            titled({{"value1", "First Option"}, {"value2", "Second Option"}, {"value3", "Third Option"}})}}},
      {"legacyEnum", json::object{{"type", "string"},
                                  {"enum", json::array{"opt1", "opt2", "opt3"}},
                                  {"enumNames", json::array{"Option One", "Option Two", "Option Three"}}}},
      {"untitledMulti",
       json::object{{"type", "array"}, {"items", json::object{{"type", "string"}, {"enum", options}}}}},
      {"titledMulti",
       json::object{{"type", "array"},
                    {"items", json::object{{"anyOf", titled({{"value1", "First Choice"},
                                                             {"value2", "Second Choice"},
                                                             {"value3", "Third Choice"}})}}}}}};
  return elicit(call, "Please select options", std::move(properties), {});
}

Answer reconnection(const Call& call) {
  call.exchange.hang_up();
  co_await call.time.sleep(2 * k_pause);
  co_return text_content("Reconnection test completed successfully");
}

Answer change_tools(const Call& call) {
  call.listeners.tell("toolsListChanged", "notifications/tools/list_changed");
  co_return text_content("Everybody who listens was told that the list of tools changed.");
}

Answer change_prompts(const Call& call) {
  call.listeners.tell("promptsListChanged", "notifications/prompts/list_changed");
  co_return text_content("Everybody who listens was told that the list of prompts changed.");
}

constexpr auto k_tools = std::to_array<FixtureTool>({
    {"test_tool_with_logging", "Logs three lines.", logging},
    {"test_logging_tool", "Logs three lines when the request names a level.", logging},
    {"test_tool_with_progress", "Tells its progress three times.", progress},
    {"test_sampling", "Asks the client's model.", sampling, prompt_schema},
    {"test_elicitation", "Asks the user.", elicitation, message_schema},
    {"test_elicitation_sep1034_defaults", "Asks the user, with defaults.", elicitation_defaults},
    {"test_elicitation_sep1330_enums", "Asks the user to choose.", elicitation_enums},
    {"test_reconnection", "Ends the connection before it answers.", reconnection},
    {"test_trigger_tool_change", "Says that the list of tools changed.", change_tools},
    {"test_trigger_prompt_change", "Says that the list of prompts changed.", change_prompts},
});

}  // namespace

std::span<const FixtureTool> speaking_tools() { return k_tools; }

}  // namespace instantstart::mcp_fixtures
