#include "faces/http/answer.h"

#include <chrono>

#include "base/decode.h"
#include "base/json.h"
#include "contract/problem.h"
#include "contract/schema.h"

namespace instantstart::faces {

void add_common_headers(net::Headers& headers, const std::string& request_id) {
  headers.set("X-Request-Id", request_id);
  headers.set("X-Content-Type-Options", "nosniff");
  headers.set("Referrer-Policy", "no-referrer");
  headers.set("Content-Security-Policy",
              "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'");
  if (!headers.contains("Cache-Control")) headers.set("Cache-Control", "no-store");
}

net::Response json_response(int status, const json::value& body, const std::string& request_id) {
  net::Response response{
      .status = status, .headers = {{"Content-Type", "application/json"}}, .body = to_text(body)};
  add_common_headers(response.headers, request_id);
  return response;
}

net::Response problem_response(const Error& error, const std::string& request_id) {
  const contract::Problem problem = contract::to_problem(error, request_id);
  net::Response response = json_response(problem.status, encode(problem), request_id);
  response.headers.set("Content-Type", std::string(contract::k_problem_media_type));
  if (error.retry_after) {
    const auto whole = std::chrono::ceil<std::chrono::seconds>(*error.retry_after);
    response.headers.set("Retry-After", std::to_string(whole.count()));
  }
  if (problem.status == 401) response.headers.set("WWW-Authenticate", "Bearer realm=\"instantstart\"");
  return response;
}

}  // namespace instantstart::faces
