#include "capabilities/inference/chat.h"

#include <utility>

#include <fmt/core.h>

#include "base/decode.h"
#include "base/error_codes.h"
#include "base/json.h"
#include "base/text.h"
#include "kube/json_access.h"

namespace instantstart::capabilities {
namespace {

constexpr std::size_t k_longest_message = 2'000;
constexpr std::size_t k_longest_name = 300;
constexpr JsonLimits k_limits{.max_bytes = k_max_chat_bytes};

std::string bounded(std::string_view text, std::size_t most) {
  return shortened(trim(without_controls(text)), most);
}

std::optional<TokenUsage> usage_of(const json::object& object) {
  const auto& usage = kube::object_at(object, {"usage"});
  if (usage.empty()) return std::nullopt;
  const auto number = [&](std::string_view name) { return kube::integer_at(usage, {name}).value_or(0); };
  return TokenUsage{.prompt_tokens = number("prompt_tokens"),
                    .completion_tokens = number("completion_tokens"),
                    .total_tokens = number("total_tokens")};
}

/// OpenAI's {"error": {"message"}}, or older servers' {"message"}, FastAPI's {"detail"}.
std::string message_in(const json::object& object) {
  for (const auto& text : {kube::text_at(object, {"error", "message"}), kube::text_at(object, {"message"}),
                           kube::text_at(object, {"detail"}), kube::text_at(object, {"error"})}) {
    if (!text.empty()) return bounded(text, k_longest_message);
  }
  return {};
}

std::string sentence(std::string_view what, std::string_view said) {
  return said.empty() ? fmt::format("{}.", what) : fmt::format("{}: {}", what, said);
}

/// Collects a reply from its pieces: a whole answer is one.
class ReplyReader {
 public:
  /// `part`: "delta" in a stream, "message" in a whole answer.
  Result<> add(const json::object& piece, std::string_view part) {
    if (const auto* error = piece.if_contains("error"); error && !error->is_null()) {
      return fail(codes::upstream_error,
                  sentence("The model server failed while it answered", message_in(piece)));
    }
    if (const auto model = kube::text_at(piece, {"model"}); !model.empty()) {
      reply_.model = bounded(model, k_longest_name);
    }
    if (auto usage = usage_of(piece)) reply_.usage = *usage;
    const auto& choices = kube::array_at(piece, {"choices"});
    if (choices.empty()) return {};
    any_ = true;
    const auto& choice = kube::as_object(choices.front());
    text_ += kube::text_at(choice, {part, "content"});
    if (const auto reason = kube::text_at(choice, {"finish_reason"}); !reason.empty()) {
      reply_.finish_reason = bounded(reason, k_longest_name);
    }
    return {};
  }

  Result<ChatReply> end() && {
    if (!any_) return fail(codes::upstream_error, "The model server's answer is no chat completion.");
    if (reply_.finish_reason.empty()) {
      return fail(codes::upstream_error, "The model server's answer broke off before its end.");
    }
    // Not before all pieces are there: a character may stand in two of them.
    reply_.text = without_controls(text_);
    return std::move(reply_);
  }

 private:
  ChatReply reply_;
  std::string text_;
  bool any_ = false;
};

Error no_json() {
  return {.code = std::string(codes::upstream_error), .message = "The model server's answer is not JSON."};
}

/// https://html.spec.whatwg.org/multipage/server-sent-events.html, as far as these servers use it: an event
/// is one line of data.
Result<ChatReply> read_stream(std::string_view body) {
  ReplyReader reader;
  for (auto line : split(body, '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.starts_with("data:")) continue;
    line = trim(line.substr(5));
    if (line == "[DONE]") break;
    const auto piece = parse_json(line, k_limits);
    if (!piece || !piece->is_object()) return fail(no_json());
    const auto added = reader.add(piece->get_object(), "delta");
    if (!added) return fail(added.error());
  }
  return std::move(reader).end();
}

bool is_stream(std::string_view body) {
  const auto start = body.find_first_not_of(" \r\n\t");
  return start != std::string_view::npos && (body.substr(start).starts_with("data:") || body[start] == ':' ||
                                             body.substr(start).starts_with("event:"));
}

}  // namespace

std::string chat_request(const ModelCall& call, std::string_view served_name) {
  json::array messages;
  if (call.prompt) messages.push_back(json::object{{"role", "user"}, {"content", *call.prompt}});
  for (const auto& message : call.messages) {
    messages.push_back(json::object{{"role", encode(message.role)}, {"content", message.content}});
  }
  json::object request{{"model", served_name},
                       {"messages", std::move(messages)},
                       {"stream", true},
                       {"stream_options", {{"include_usage", true}}}};
  if (call.max_tokens) request["max_tokens"] = *call.max_tokens;
  if (call.temperature) request["temperature"] = *call.temperature;
  return to_text(request);
}

Result<ChatReply> read_chat_reply(std::string_view body) {
  if (is_stream(body)) return read_stream(body);
  const auto whole = parse_json(body, k_limits);
  if (!whole || !whole->is_object()) return fail(no_json());
  ReplyReader reader;
  const auto added = reader.add(whole->get_object(), "message");
  if (!added) return fail(added.error());
  return std::move(reader).end();
}

Error chat_refusal(int status, std::string_view body) {
  const auto parsed = parse_json(body, k_limits);
  const std::string said =
      parsed && parsed->is_object() ? message_in(parsed->get_object()) : bounded(body.substr(0, 1'000), 500);
  Error error{.code = std::string(codes::upstream_error),
              .message = sentence(fmt::format("The model server answered {}", status), said)};
  error.detail["http_status"] = status;
  if (status == 401 || status == 403) {
    error.code = codes::access_denied;
  } else if (status == 429) {
    error.code = codes::rate_limited;
    error.retryable = true;
  } else if (status / 100 == 4) {
    error.code = codes::invalid_request;
    error.message = sentence("The model server refuses the request", said);
  }
  return error;
}

}  // namespace instantstart::capabilities
