// Browser login: a one-time code becomes a session cookie.
//
//   POST   /api/v1/session {"code": "…"}   200 {principal, role}, Set-Cookie
//   GET    /api/v1/session                 200 {principal, role}
//   DELETE /api/v1/session                 200, the cookie is gone
#pragma once

#include <string>
#include <string_view>

#include "access/credential_store.h"
#include "net/http.h"

namespace instantstart::faces {

inline constexpr std::string_view k_session_path = "/api/v1/session";

/// The value of our cookie in a Cookie header, or "".
std::string_view session_cookie(std::string_view cookie_header);

class SessionFace {
 public:
  explicit SessionFace(access::CredentialStore& credentials) : credentials_(credentials) {}

  asio::awaitable<net::Response> handle(net::Request request, std::string request_id);

 private:
  Task<net::Response> log_in(std::string body, std::string request_id);
  Task<net::Response> who(std::string secret, std::string request_id);
  Task<net::Response> log_out(std::string secret, std::string request_id);

  access::CredentialStore& credentials_;
};

}  // namespace instantstart::faces
