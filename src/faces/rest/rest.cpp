#include "faces/rest/rest.h"

#include "base/error_codes.h"
#include "base/json.h"
#include "contract/schema.h"
#include "faces/http/answer.h"

namespace instantstart::faces {

RestFace::RestFace(const contract::ActionTable& actions, access::Dispatcher& dispatcher,
                   std::string_view server_version)
    : routes_(actions),
      dispatcher_(dispatcher),
      open_api_(to_text(contract::open_api(actions, server_version))) {}

asio::awaitable<net::Response> RestFace::handle(net::Request request, contract::Caller caller) {
  const std::string request_id = caller.request_id;
  auto answered = co_await answer(std::move(request), std::move(caller));
  if (answered) co_return std::move(*answered);
  net::Response response = problem_response(answered.error(), request_id);
  if (const auto* allow = answered.error().detail.if_contains("allow"); allow && response.status == 405) {
    response.headers.set("Allow", std::string(allow->as_string()));
  }
  co_return response;
}

Task<net::Response> RestFace::answer(net::Request request, contract::Caller caller) {
  if (request.path() == "/api/v1/openapi.json" && (request.method == "GET" || request.method == "HEAD")) {
    net::Response response{.headers = {{"Content-Type", "application/json"}}, .body = open_api_};
    add_common_headers(response.headers, caller.request_id);
    co_return response;
  }
  auto match = routes_.find(request.method, request.path());
  if (!match) co_return std::unexpected(match.error());
  auto arguments = request_arguments(*match, request);
  if (!arguments) co_return std::unexpected(arguments.error());
  const std::string request_id = caller.request_id;
  access::Invocation invocation{.action = match->action->spec.name,
                                .arguments = std::move(*arguments),
                                .scalars_from_text = !match->action->has_body()};
  auto answer = co_await dispatcher_.call(std::move(caller), std::move(invocation));
  if (!answer) co_return std::unexpected(answer.error());
  co_return json_response(answer->status, answer->body, request_id);
}

}  // namespace instantstart::faces
