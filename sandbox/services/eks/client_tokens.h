// Client request tokens: a repeat of the call that made a thing is answered with that thing, as it is now.
#pragma once

#include <optional>
#include <string>

#include "sandbox/core/record.h"
#include "sandbox/services/eks/state.h"

namespace instantstart::sandbox::eks {

/// Digest of a request without its token, which says whether two are the same.
std::string digest_of(json::object request);

/// Whether `request` is the one, repeated, that made what has the ARN.
template <class Request>
bool is_repeat(const State& state, const std::string& arn, const Request& request) {
  const TokenUse* use = state.creation_tokens.find(arn);
  return use && request.client_request_token == use->token &&
         use->parameters == digest_of(record_to_json(request));
}

template <class Request>
void remember_creation(State& state, const std::string& arn, const Request& request) {
  if (!request.client_request_token) return;
  state.creation_tokens.put(arn, {.token = *request.client_request_token,
                                  .parameters = digest_of(record_to_json(request)),
                                  .made = arn});
}

/// The key of the update that the token began before; nullopt when the token is new. Refuses a token that
/// began another update. `scope` is the child_key of the cluster and the add-on's name or "".
template <class Request>
Reply<std::optional<std::string>> earlier_update(const State& state, const std::string& scope,
                                                 const Request& request);
template <class Request>
void remember_update(State& state, const std::string& scope, const Request& request,
                     const std::string& update_key) {
  if (!request.client_request_token) return;
  state.update_tokens.put(child_key(scope, *request.client_request_token),
                          {.token = *request.client_request_token,
                           .parameters = digest_of(record_to_json(request)),
                           .made = update_key});
}

AwsFault token_reused(const std::string& token);

template <class Request>
Reply<std::optional<std::string>> earlier_update(const State& state, const std::string& scope,
                                                 const Request& request) {
  if (!request.client_request_token) return std::nullopt;
  const TokenUse* use = state.update_tokens.find(child_key(scope, *request.client_request_token));
  if (!use) return std::nullopt;
  if (use->parameters == digest_of(record_to_json(request))) return use->made;
  return std::unexpected(token_reused(use->token));
}

}  // namespace instantstart::sandbox::eks
