#include "sandbox/services/ec2/client_tokens.h"

#include <chrono>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/json.h"

namespace instantstart::sandbox::ec2 {
namespace {

/// How long a token is known: at least a day is what AWS promises.
constexpr milliseconds k_token_life = std::chrono::hours(24);

std::string key_of(const Call& call, std::string_view operation, const std::string& token) {
  return regional_id(call.region, fmt::format("{}/{}", operation, token));
}

std::string digest_of(const json::object& request) {
  return to_hex(sha256(to_canonical_text(json::value(request))));
}

}  // namespace

Reply<std::optional<json::object>> earlier_answer(State& state, const Call& call, std::string_view operation,
                                                  const std::string& token, const json::object& request) {
  const std::string key = key_of(call, operation, token);
  const TokenUse* use = state.tokens.find(key);
  if (!use) return std::nullopt;
  if (state.world.now().time_since_epoch().count() - use->at_ms > k_token_life.count()) {
    state.tokens.erase(key);
    return std::nullopt;
  }
  if (use->parameters != digest_of(request)) {
    return fault("IdempotentParameterMismatch",
                 fmt::format("The client token '{}' has already been used in another request with different "
                             "parameters.",
                             token));
  }
  return use->answer;
}

void remember_answer(State& state, const Call& call, std::string_view operation, const std::string& token,
                     const json::object& request, json::object answer) {
  state.tokens.put(key_of(call, operation, token), {.parameters = digest_of(request),
                                                    .answer = std::move(answer),
                                                    .at_ms = state.world.now().time_since_epoch().count()});
}

}  // namespace instantstart::sandbox::ec2
