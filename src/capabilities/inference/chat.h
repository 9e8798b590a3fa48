// A chat in OpenAI's protocol, as model servers speak it. Pure.
// https://platform.openai.com/docs/api-reference/chat
//
// The answer is asked for as a stream, since the header of a whole one comes only when the last token is
// made; servers that answer in one piece all the same are understood too.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "capabilities/inference/inference.h"

namespace instantstart::capabilities {

inline constexpr std::string_view k_chat_path = "/v1/chat/completions";
/// Of an answer with all that surrounds its text.
inline constexpr std::size_t k_max_chat_bytes = std::size_t{1} << 20;

/// The request's body.
std::string chat_request(const ModelCall& call, std::string_view served_name);

struct ChatReply {
  std::string model;
  std::string text;
  std::string finish_reason;
  std::optional<TokenUsage> usage;
};

/// Of a 2xx answer, whole or as server-sent events. Error `upstream_error`: no such answer, one that broke
/// off, or the server's own words that it failed half-way.
Result<ChatReply> read_chat_reply(std::string_view body);

/// Of any other answer: `invalid_request` for 4xx (`rate_limited` for 429, `access_denied` for 401 and 403),
/// `upstream_error` else; with the server's own message, cleaned.
Error chat_refusal(int status, std::string_view body);

}  // namespace instantstart::capabilities
