#include "sandbox/kubernetes/serving/completions.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <expected>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "sandbox/kubernetes/objects/json_access.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::size_t k_longest_piece = 7;
constexpr std::size_t k_key_words = 6;
constexpr std::int64_t k_tokens_of_a_turn = 5;  ///< The chat template's marks around a message.

bool is_word_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || static_cast<unsigned char>(letter) >= 0x80;
}

bool is_common(std::string_view word) {
  constexpr std::array<std::string_view, 40> k_common{
      "about", "and",  "are",   "can",   "could", "does",  "for",    "from", "give", "have",
      "how",   "into", "just",  "like",  "make",  "me",    "please", "say",  "tell", "that",
      "the",   "them", "there", "these", "they",  "this",  "was",    "what", "when", "where",
      "which", "who",  "why",   "will",  "with",  "would", "write",  "you",  "your", "explain"};
  return std::ranges::find(k_common, word) != k_common.end();
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char letter : text) {
    if (is_word_letter(letter)) {
      word += letter;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, {}));
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

std::unexpected<ApiFault> bad_request(std::string message) {
  return std::unexpected(ApiFault{.status = 400, .type = "BadRequestError", .message = std::move(message)});
}

std::unexpected<ApiFault> missing(std::string_view member) {
  return bad_request(
      fmt::format("[{{'type': 'missing', 'loc': ('body', '{}'), 'msg': 'Field required'}}]", member));
}

/// Text, or the text parts of a message with several.
std::string content_of(const json::object& message) {
  if (const auto* parts = array_at(message, "content")) {
    std::string all;
    for (const auto& part : *parts) {
      if (part.is_object()) all += text_at(part.get_object(), "text");
    }
    return all;
  }
  return text_at(message, "content");
}

struct Prompt {
  std::string last;  ///< What is answered.
  std::int64_t tokens = 0;
};

std::expected<Prompt, ApiFault> chat_prompt(const json::object& request) {
  const auto* messages = array_at(request, "messages");
  if (!messages) return missing("messages");
  Prompt prompt{.last = {}, .tokens = k_tokens_of_a_turn};
  for (const auto& message : *messages) {
    const auto* one = message.if_object();
    if (!one || text_at(*one, "role").empty()) return missing("role");
    const std::string content = content_of(*one);
    prompt.tokens += k_tokens_of_a_turn + std::ssize(tokens_of(content));
    if (text_at(*one, "role") == "user") prompt.last = content;
  }
  if (messages->empty()) return bad_request("list index out of range");
  return prompt;
}

std::expected<Prompt, ApiFault> text_prompt(const json::object& request) {
  const auto* value = at(request, "prompt");
  if (!value) return missing("prompt");
  Prompt prompt;
  if (const auto* text = value->if_string()) prompt.last = *text;
  if (const auto* list = value->if_array(); list && !list->empty() && list->front().is_string()) {
    prompt.last = list->front().get_string();
  }
  if (prompt.last.empty())
    return bad_request("Either prompt or prompt_embeds must be provided and non-empty.");
  prompt.tokens = 1 + std::ssize(tokens_of(prompt.last));
  return prompt;
}

/// How many tokens may be made: `max_tokens`, or what the context has left.
std::expected<std::int64_t, ApiFault> room_for(CompletionKind kind, const json::object& request,
                                               const Prompt& prompt, std::int64_t max_len) {
  const std::int64_t left = max_len - prompt.tokens;
  if (left <= 0) {
    return bad_request(
        fmt::format("This model's maximum context length is {} tokens. However, your request has {} "
                    "input tokens. Please reduce the length of the input messages.",
                    max_len, prompt.tokens));
  }
  const auto* asked = at(request, "max_completion_tokens");
  if (!asked || asked->is_null()) asked = at(request, "max_tokens");
  if (!asked || asked->is_null())
    return kind == CompletionKind::text ? std::min<std::int64_t>(16, left) : left;
  if (!is_integer(*asked)) {
    return bad_request(
        "[{'type': 'int_parsing', 'loc': ('body', 'max_tokens'), 'msg': 'Input should be a valid "
        "integer'}]");
  }
  const std::int64_t wanted = asked->is_int64() ? asked->get_int64() : INT64_MAX;
  if (wanted < 1) return bad_request(fmt::format("max_tokens must be at least 1, got {}.", wanted));
  if (wanted > left) {
    return bad_request(
        fmt::format("'max_tokens' or 'max_completion_tokens' is too large: {0}. This model's maximum "
                    "context length is {1} tokens and your request has {2} input tokens ({0} > {1} - "
                    "{2}).",
                    wanted, max_len, prompt.tokens));
  }
  return wanted;
}

json::object usage_of(const Completion& completion) {
  const std::int64_t made = std::ssize(completion.pieces);
  return {{"prompt_tokens", completion.prompt_tokens},
          {"total_tokens", completion.prompt_tokens + made},
          {"completion_tokens", made},
          {"prompt_tokens_details", nullptr}};
}

std::string id_of(const Completion& completion, std::string_view id) {
  return fmt::format("{}-{}", completion.kind == CompletionKind::chat ? "chatcmpl" : "cmpl", id);
}

std::string event_of(json::object object) {
  return fmt::format("data: {}\n\n", to_text(json::value(std::move(object))));
}

}  // namespace

std::vector<std::string> tokens_of(std::string_view text) {
  std::vector<std::string> tokens;
  std::string piece;
  const auto end_piece = [&] {
    if (!piece.empty()) tokens.push_back(std::exchange(piece, {}));
  };
  for (const char letter : text) {
    const bool continues = (static_cast<unsigned char>(letter) & 0xC0) == 0x80;  // Within a UTF-8 character.
    if (is_word_letter(letter)) {
      const bool full = piece.size() >= k_longest_piece + (piece.starts_with(' ') ? 1 : 0);
      if (!continues && (full || (!piece.empty() && piece != " " && !is_word_letter(piece.back()))))
        end_piece();
      piece += letter;
      continue;
    }
    end_piece();
    piece = letter;
    if (letter != ' ') end_piece();
  }
  end_piece();
  return tokens;
}

std::string answer_to(std::string_view prompt) {
  std::vector<std::string> keys;
  for (auto& word : words_of(prompt)) {
    const std::string lower = to_lower(word);
    if (word.size() < 3 || is_common(lower)) continue;
    if (std::ranges::any_of(keys, [&](const auto& key) { return to_lower(key) == lower; })) continue;
    keys.push_back(std::move(word));
    if (keys.size() == k_key_words) break;
  }
  if (keys.empty()) return "Hello! How can I help you today?";
  const std::string last = keys.back();
  keys.pop_back();
  if (keys.empty()) return fmt::format("Here is a short answer about {}.", last);
  return fmt::format("Here is a short answer about {} and {}.", join(keys, ", "), last);
}

json::object to_json(const ApiFault& fault) {
  return {
      {"error",
       json::object{
           {"message", fault.message}, {"type", fault.type}, {"param", nullptr}, {"code", fault.status}}}};
}

std::expected<Completion, ApiFault> complete(CompletionKind kind, std::string_view body,
                                             const ServedModel& served) {
  const auto parsed = parse_json(body);
  if (!parsed) {
    return bad_request(
        "[{'type': 'json_invalid', 'loc': ('body', 0), 'msg': 'JSON decode error', 'input': {}, "
        "'ctx': {'error': 'Expecting value'}}]");
  }
  const auto* request = parsed->if_object();
  if (!request) {
    return bad_request(
        "[{'type': 'model_attributes_type', 'loc': ('body',), 'msg': 'Input should be a valid "
        "dictionary or object to extract fields from'}]");
  }
  const auto prompt = kind == CompletionKind::chat ? chat_prompt(*request) : text_prompt(*request);
  if (!prompt) return std::unexpected(prompt.error());
  const std::string asked = text_at(*request, "model");
  if (!asked.empty() && std::ranges::find(served.names, asked) == served.names.end()) {
    return std::unexpected(ApiFault{.status = 404,
                                    .type = "NotFoundError",
                                    .message = fmt::format("The model `{}` does not exist.", asked)});
  }
  const auto room = room_for(kind, *request, *prompt, served.max_len);
  if (!room) return std::unexpected(room.error());
  Completion completion{.kind = kind,
                        .model = asked.empty() ? served.names.front() : asked,
                        .pieces = tokens_of(answer_to(prompt->last)),
                        .finish_reason = "stop",
                        .prompt_tokens = prompt->tokens,
                        .stream = flag_at(*request, "stream")};
  if (const auto* options = object_at(*request, "stream_options")) {
    completion.stream_usage = flag_at(*options, "include_usage");
  }
  if (std::ssize(completion.pieces) > *room) {
    completion.pieces.resize(static_cast<std::size_t>(*room));
    completion.finish_reason = "length";
  }
  return completion;
}

json::object whole_answer(const Completion& completion, std::string_view id, std::int64_t created) {
  const std::string text = join(completion.pieces, "");
  json::object choice{{"index", 0}};
  const bool chat = completion.kind == CompletionKind::chat;
  if (chat) {
    choice["message"] =
        json::object{{"role", "assistant"},         {"content", text},     {"refusal", nullptr},
                     {"annotations", nullptr},      {"audio", nullptr},    {"function_call", nullptr},
                     {"tool_calls", json::array{}}, {"reasoning", nullptr}};
  } else {
    choice["text"] = text;
  }
  choice["logprobs"] = nullptr;
  choice["finish_reason"] = completion.finish_reason;
  choice["stop_reason"] = nullptr;
  return {{"id", id_of(completion, id)},
          {"object", chat ? "chat.completion" : "text_completion"},
          {"created", created},
          {"model", completion.model},
          {"choices", json::array{std::move(choice)}},
          {"service_tier", nullptr},
          {"system_fingerprint", nullptr},
          {"usage", usage_of(completion)},
          {"kv_transfer_params", nullptr}};
}

std::vector<std::string> streamed_answer(const Completion& completion, std::string_view id,
                                         std::int64_t created) {
  const bool chat = completion.kind == CompletionKind::chat;
  const json::object frame{{"id", id_of(completion, id)},
                           {"object", chat ? "chat.completion.chunk" : "text_completion"},
                           {"created", created},
                           {"model", completion.model}};
  const auto chunk = [&](json::object choice) {
    json::object object = frame;
    object["choices"] = json::array{std::move(choice)};
    return event_of(std::move(object));
  };
  std::vector<std::string> events;
  if (chat) {
    events.push_back(chunk({{"index", 0},
                            {"delta", json::object{{"role", "assistant"}, {"content", ""}}},
                            {"logprobs", nullptr},
                            {"finish_reason", nullptr}}));
  }
  for (std::size_t i = 0; i < completion.pieces.size(); ++i) {
    const bool last = i + 1 == completion.pieces.size();
    json::object choice{{"index", 0}};
    if (chat) {
      choice["delta"] = json::object{{"content", completion.pieces[i]}};
    } else {
      choice["text"] = completion.pieces[i];
    }
    choice["logprobs"] = nullptr;
    choice["finish_reason"] = last ? json::value(completion.finish_reason) : json::value(nullptr);
    events.push_back(chunk(std::move(choice)));
  }
  if (completion.stream_usage) {
    json::object object = frame;
    object["choices"] = json::array{};
    object["usage"] = usage_of(completion);
    events.push_back(event_of(std::move(object)));
  }
  events.emplace_back("data: [DONE]\n\n");
  return events;
}

}  // namespace instantstart::sandbox::kubernetes
