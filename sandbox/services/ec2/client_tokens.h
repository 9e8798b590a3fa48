// Client tokens: the same token with the same parameters gets the first answer again, with others it is
// refused
// ("Ensuring idempotency in Amazon EC2 API requests").
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sandbox/core/record.h"
#include "sandbox/services/ec2/state.h"

namespace instantstart::sandbox::ec2 {

/// The answer that the token got before; nullopt when it is new; IdempotentParameterMismatch. `request` is in
/// API names.
Reply<std::optional<json::object>> earlier_answer(State& state, const Call& call, std::string_view operation,
                                                  const std::string& token, const json::object& request);
void remember_answer(State& state, const Call& call, std::string_view operation, const std::string& token,
                     const json::object& request, json::object answer);

/// Calls `make` (() -> Reply<Op::Output>) once for each token; always for a call without one.
template <class Op, class Make>
Reply<typename Op::Output> once_per_token(State& state, const Call& call, const typename Op::Input& in,
                                          Make make) {
  if (!in.client_token) return make();
  const json::object request = record_to_json(in);
  auto earlier = earlier_answer(state, call, Op::info().name, *in.client_token, request);
  if (!earlier) return std::unexpected(std::move(earlier.error()));
  if (*earlier) {
    auto answer = record_from_json<typename Op::Output>(**earlier);
    if (answer) return std::move(*answer);
    return fault("InternalError", answer.error().message, 500);
  }
  Reply<typename Op::Output> answer = make();
  if (answer) {
    answer->client_token = in.client_token;
    remember_answer(state, call, Op::info().name, *in.client_token, request, record_to_json(*answer));
  }
  return answer;
}

}  // namespace instantstart::sandbox::ec2
