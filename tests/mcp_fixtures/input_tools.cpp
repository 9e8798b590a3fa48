// A request that needs input is answered with what it needs; the client sends it again with the answers and,
// where there is one, the state that it was handed.
#include <array>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/digest.h"
#include "base/json.h"
#include "tests/mcp_fixtures/tools.h"

namespace instantstart::mcp_fixtures {
namespace {

using faces::McpOutcome;
using faces::RpcError;

json::object text_form(std::string message, std::string_view member, std::string_view type = "string") {
  json::object schema{{"type", "object"},
                      {"properties", json::object{{member, json::object{{"type", type}}}}},
                      {"required", json::array{member}}};
  return {{"method", "elicitation/create"},
          {"params",
           json::object{
               {"mode", "form"}, {"message", std::move(message)}, {"requestedSchema", std::move(schema)}}}};
}

json::object model_question(std::string text) {
  const json::object message{{"role", "user"}, {"content", text_block(std::move(text))}};
  return {{"method", "sampling/createMessage"},
          {"params", json::object{{"messages", json::array{message}}, {"maxTokens", 100}}}};
}

json::object roots_question() { return {{"method", "roots/list"}, {"params", json::object()}}; }

std::string_view capability_of(const json::object& question) {
  const auto method = faces::text_member(question, "method").value_or("");
  return method.substr(0, method.find('/'));
}

/// "STEP.SIGNATURE": bound to the fixture, so that one's state is no good for another.
std::string state_of(const Call& call, std::string_view step) {
  const auto name = faces::text_member(call.request.params, "name").value_or("");
  const auto mac = hmac_sha256(call.key, fmt::format("{}\n{}", name, step));
  return fmt::format("{}.{}", step, to_base64url(as_text(mac)));
}

/// The questions of this step that are still open, or the step's answers.
using Answers = std::vector<json::object>;

struct Step {
  std::string_view name;  ///< Empty: the client carries no state.
  std::vector<std::pair<std::string_view, json::object>> questions;
};

json::object needs_input(const Call& call, const Step& step) {
  json::object questions;
  for (const auto& [key, question] : step.questions) questions[key] = question;
  json::object result{{"resultType", "input_required"}, {"inputRequests", std::move(questions)}};
  if (!step.name.empty()) result["requestState"] = state_of(call, step.name);
  return result;
}

/// The answers that the request carries, in the order of the questions; nullopt when one is missing. What
/// else it carries is not looked at.
std::expected<std::optional<Answers>, RpcError> answers_to(const Call& call, const Step& step) {
  const auto* sent = call.request.params.if_contains("inputResponses");
  if (!sent) return std::nullopt;
  if (!sent->is_object()) {
    return std::unexpected(fault(faces::rpc::invalid_params, "params.inputResponses must be an object."));
  }
  Answers answers;
  for (const auto& question : step.questions) {
    const auto* answer = sent->get_object().if_contains(question.first);
    if (!answer) return std::nullopt;
    if (!answer->is_object()) {
      return std::unexpected(fault(faces::rpc::invalid_params, "An input response must be an object."));
    }
    answers.push_back(answer->get_object());
  }
  return answers;
}

/// Undeclared capabilities are not relied on: -32021 names them all.
std::optional<RpcError> undeclared(const Call& call, const Step& step) {
  json::object missing;
  for (const auto& question : step.questions) {
    const auto capability = capability_of(question.second);
    if (!client_can(call.request, capability)) missing[capability] = json::object();
  }
  if (missing.empty()) return std::nullopt;
  return fault(faces::rpc::missing_capability, "Missing required client capability",
               json::object{{"requiredCapabilities", std::move(missing)}});
}

/// Goes through the steps in order; the request's state says at which one it is.
McpOutcome run_steps(const Call& call, const std::vector<Step>& steps, json::object (*done)(const Answers&)) {
  if (!faces::is_modern(call.caller.revision)) {
    return std::unexpected(fault(faces::rpc::invalid_params, "Input is asked for in 2026-07-28 alone."));
  }
  const auto* sent = call.request.params.if_contains("requestState");
  std::size_t at = 0;
  if (sent) {
    const auto* text = sent->if_string();
    while (at < steps.size() && (!text || !equal_in_constant_time(*text, state_of(call, steps[at].name))))
      ++at;
    if (at == steps.size() || steps[at].name.empty()) {
      return std::unexpected(fault(faces::rpc::invalid_params, "params.requestState is not one of ours."));
    }
  }
  const Step& step = steps[at];
  if (auto fault = undeclared(call, step)) return std::unexpected(std::move(*fault));
  if (!step.name.empty() && !sent) return needs_input(call, step);
  auto answers = answers_to(call, step);
  if (!answers) return std::unexpected(std::move(answers.error()));
  if (!*answers) return needs_input(call, step);
  if (at + 1 < steps.size()) return needs_input(call, steps[at + 1]);
  return done(**answers);
}

std::string given(const json::object& answer, std::string_view member) {
  const auto* form = faces::object_member(answer, "content");
  return std::string(form ? faces::text_member(*form, member).value_or("") : "");
}

Answer elicitation(const Call& call) {
  co_return run_steps(call, {{"", {{"user_name", text_form("What is your name?", "name")}}}},
                      [](const Answers& answers) {
                        return text_content(fmt::format("Hello, {}!", given(answers[0], "name")));
                      });
}

Answer sampling(const Call& call) {
  co_return run_steps(call, {{"", {{"capital_question", model_question("What is the capital of France?")}}}},
                      [](const Answers& answers) { return text_content(given(answers[0], "text")); });
}

Answer list_roots(const Call& call) {
  co_return run_steps(call, {{"", {{"client_roots", roots_question()}}}}, [](const Answers& answers) {
    return text_content(fmt::format("The client's roots: {}", to_text(answers[0])));
  });
}

Answer request_state(const Call& call) {
  co_return run_steps(call, {{"confirm", {{"confirm", text_form("Please confirm", "ok", "boolean")}}}},
                      [](const Answers&) { return text_content("state-ok"); });
}

Answer multiple_inputs(const Call& call) {
  co_return run_steps(
      call,
      {{"all",
        {{"user_name", text_form("What is your name?", "name")},
         {"greeting", model_question("Generate a greeting")},
         {"client_roots", roots_question()}}}},
      [](const Answers& answers) {
        return text_content(fmt::format("{}, {}!", given(answers[1], "text"), given(answers[0], "name")));
      });
}

Answer multi_round(const Call& call) {
  co_return run_steps(call,
                      {{"first", {{"step1", text_form("Step 1: What is your name?", "name")}}},
                       {"second", {{"step2", text_form("Step 2: What is your favorite color?", "color")}}}},
                      [](const Answers& answers) {
                        return text_content(fmt::format("The color is {}.", given(answers[0], "color")));
                      });
}

/// Asks in the way that the client declared, and in no other.
Answer by_capability(const Call& call) {
  Step step;
  if (client_can(call.request, "sampling")) {
    step.questions.emplace_back("model", model_question("Say hello"));
  }
  if (client_can(call.request, "elicitation")) {
    step.questions.emplace_back("user", text_form("Say hello", "hello"));
  }
  if (step.questions.empty()) step.questions.emplace_back("model", model_question("Say hello"));
  co_return run_steps(call, {std::move(step)}, [](const Answers&) { return text_content("Hello."); });
}

Answer needs_sampling(const Call& call) {
  co_return run_steps(call, {{"", {{"model", model_question("Say hello")}}}},
                      [](const Answers&) { return text_content("Hello."); });
}

constexpr auto k_tools = std::to_array<FixtureTool>({
    {"test_input_required_result_elicitation", "Asks the user for a name.", elicitation},
    {"test_input_required_result_sampling", "Asks the client's model.", sampling},
    {"test_input_required_result_list_roots", "Asks for the client's roots.", list_roots},
    {"test_input_required_result_request_state", "Hands out a state.", request_state},
    {"test_input_required_result_multiple_inputs", "Asks for three things at once.", multiple_inputs},
    {"test_input_required_result_multi_round", "Asks twice.", multi_round},
    {"test_input_required_result_tampered_state", "Hands out a state and checks it.", request_state},
    {"test_input_required_result_capabilities", "Asks as the client declared.", by_capability},
    {"test_missing_capability", "Needs sampling.", needs_sampling},
    {"test_streaming_elicitation", "Asks the user.", elicitation},
});

}  // namespace

Answer input_prompt(const Call& call) {
  const Step step{"", {{"user_context", text_form("What context should the prompt use?", "context")}}};
  co_return run_steps(call, {step}, [](const Answers& answers) {
    const auto text = fmt::format("Use this context: {}", given(answers[0], "context"));
    return json::object{
        {"messages", json::array{json::object{{"role", "user"}, {"content", text_block(text)}}}}};
  });
}

std::span<const FixtureTool> input_tools() { return k_tools; }

}  // namespace instantstart::mcp_fixtures
