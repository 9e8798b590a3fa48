#include "faces/http/credential.h"

#include <string_view>

#include "base/error_codes.h"
#include "base/text.h"
#include "faces/http/session.h"

namespace instantstart::faces {
namespace {

constexpr std::string_view k_bearer = "Bearer ";

/// A WebSocket is asked for by GET, and browsers let pages of any origin ask.
bool needs_proof_of_page(const net::Request& request) {
  return (request.method != "GET" && request.method != "HEAD") || request.headers.contains("Upgrade");
}

}  // namespace

Result<Credential> credential_of(const net::Request& request, bool cookie_allowed) {
  const std::string_view authorization = request.headers.get("Authorization");
  if (authorization.starts_with(k_bearer)) {
    return Credential{Credential::Kind::token, std::string(trim(authorization.substr(k_bearer.size())))};
  }
  const std::string_view secret = session_cookie(request.headers.get("Cookie"));
  if (!cookie_allowed || secret.empty()) {
    return fail(codes::unauthenticated, "Send Authorization: Bearer with a token from the state directory.");
  }
  // Admission has let through no Origin but our own.
  const bool own_page =
      request.headers.contains("Origin") || request.headers.get("Sec-Fetch-Site") == "same-origin";
  if (needs_proof_of_page(request) && !own_page) {
    return fail(
        codes::bad_origin,
        "A session changes things, and stays connected, only from our own page; scripts use a token.");
  }
  return Credential{Credential::Kind::session, std::string(secret)};
}

Task<access::Principal> principal_of(access::CredentialStore& credentials, Credential credential) {
  if (credential.kind == Credential::Kind::token) {
    co_return co_await credentials.by_token(std::move(credential.secret));
  }
  co_return co_await credentials.by_session(std::move(credential.secret));
}

}  // namespace instantstart::faces
