// Answers of the OpenAI API as vLLM gives them: what is said follows from the prompt alone. Pure.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace instantstart::sandbox::kubernetes {

/// Pieces of a text as a tokenizer would cut it: words with the space before them, long ones in parts, and
/// marks. Together they are the text.
std::vector<std::string> tokens_of(std::string_view text);

/// A short sentence with the key words of the prompt.
std::string answer_to(std::string_view prompt);

/// What a server knows when it is asked.
struct ServedModel {
  std::vector<std::string> names;
  std::int64_t max_len = 0;
};

enum class CompletionKind { chat, text };

struct ApiFault {
  int status = 400;
  std::string type;  ///< "NotFoundError"
  std::string message;
};
/// {"error": {…}}
json::object to_json(const ApiFault& fault);

struct Completion {
  CompletionKind kind = CompletionKind::chat;
  std::string model;                ///< The name that was asked for.
  std::vector<std::string> pieces;  ///< Of the answer, a token each.
  std::string finish_reason;        ///< "stop", "length"
  std::int64_t prompt_tokens = 0;
  bool stream = false;
  bool stream_usage = false;  ///< stream_options.include_usage
};

/// Of a request's body.
std::expected<Completion, ApiFault> complete(CompletionKind kind, std::string_view body,
                                             const ServedModel& served);

/// The whole answer. `id` is 32 hex digits, `created` seconds since 1970.
json::object whole_answer(const Completion& completion, std::string_view id, std::int64_t created);
/// The same as server-sent events, each with its blank line, "data: [DONE]" last.
std::vector<std::string> streamed_answer(const Completion& completion, std::string_view id,
                                         std::int64_t created);

}  // namespace instantstart::sandbox::kubernetes
