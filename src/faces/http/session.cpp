#include "faces/http/session.h"

#include <fmt/core.h>

#include "base/decode.h"
#include "base/error_codes.h"
#include "base/text.h"
#include "contract/schema.h"
#include "faces/http/answer.h"

namespace instantstart::faces {
namespace {

struct LoginRequest {
  std::string code;
};

Type describe(LoginRequest*) {
  return object_type<LoginRequest>(
      "LoginRequest", "A one-time login code.",
      {field<&LoginRequest::code>("code", "The part after # of the login link.",
                                  {.secret = true, .rule = {.min = 1, .max = 128}})});
}

struct SessionAnswer {
  std::string principal;
  contract::Role role = contract::Role::viewer;
};

Type describe(SessionAnswer*) {
  return object_type<SessionAnswer>("SessionAnswer", "Who is logged in.",
                                    {field<&SessionAnswer::principal>("principal", "Id of the principal."),
                                     field<&SessionAnswer::role>("role", "What it may do.")});
}

net::Response answer_who(const access::Principal& principal, const std::string& request_id) {
  return json_response(200, encode(SessionAnswer{principal.id, principal.role}), request_id);
}

/// No Domain (this host alone) and no Secure: loopback is plain HTTP, and browsers keep such a cookie off
/// other sites by Strict.
std::string cookie(std::string_view value, std::int64_t max_age) {
  return fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}", contract::k_session_cookie,
                     value, max_age);
}

}  // namespace

std::string_view session_cookie(std::string_view cookie_header) {
  for (std::string_view pair : split(cookie_header, ';')) {
    pair = trim(pair);
    if (pair.starts_with(contract::k_session_cookie) &&
        pair.substr(contract::k_session_cookie.size()).starts_with('=')) {
      return pair.substr(contract::k_session_cookie.size() + 1);
    }
  }
  return "";
}

asio::awaitable<net::Response> SessionFace::handle(net::Request request, std::string request_id) {
  std::string secret(session_cookie(request.headers.get("Cookie")));
  Result<net::Response> answer = fail(codes::method_not_allowed, "Use GET, POST or DELETE.");
  if (request.method == "POST") {
    answer = co_await log_in(std::move(request.body), request_id);
  } else if (request.method == "GET" || request.method == "HEAD") {
    answer = co_await who(std::move(secret), request_id);
  } else if (request.method == "DELETE") {
    answer = co_await log_out(std::move(secret), request_id);
  }
  if (!answer) co_return problem_response(answer.error(), request_id);
  co_return std::move(*answer);
}

Task<net::Response> SessionFace::log_in(std::string body, std::string request_id) {
  auto value = parse_json(body);
  if (!value) co_return std::unexpected(value.error());
  auto request = decode<LoginRequest>(*value);
  if (!request) co_return std::unexpected(request.error());
  auto session = co_await credentials_.redeem_login_code(std::move(request->code));
  if (!session) co_return std::unexpected(session.error());
  net::Response response = answer_who(session->principal, request_id);
  response.headers.set("Set-Cookie", cookie(session->secret, access::k_session_lifetime.count()));
  co_return response;
}

Task<net::Response> SessionFace::who(std::string secret, std::string request_id) {
  auto principal = co_await credentials_.by_session(std::move(secret));
  if (!principal) co_return std::unexpected(principal.error());
  co_return answer_who(*principal, request_id);
}

Task<net::Response> SessionFace::log_out(std::string secret, std::string request_id) {
  auto ended = co_await credentials_.end_session(std::move(secret));
  if (!ended) co_return std::unexpected(ended.error());
  net::Response response = json_response(200, json::object(), request_id);
  response.headers.set("Set-Cookie", cookie("", 0));
  co_return response;
}

}  // namespace instantstart::faces
