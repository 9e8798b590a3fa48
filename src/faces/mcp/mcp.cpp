#include "faces/mcp/mcp.h"

#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/error_codes.h"
#include "base/text.h"
#include "faces/http/answer.h"
#include "faces/mcp/modern_request.h"

namespace instantstart::faces {
namespace {

net::Response answer_text(int status, const json::value& message, const std::string& request_id) {
  return json_response(status, message, request_id);
}

net::Response refused(int status, int code, std::string message, const std::string& request_id,
                      const RpcId& id = nullptr) {
  return answer_text(status, rpc_error(id, {.code = code, .message = std::move(message), .data = nullptr}),
                     request_id);
}

net::Response accepted(const std::string& request_id) {
  net::Response response{.status = 202};
  add_common_headers(response.headers, request_id);
  return response;
}

net::Response not_allowed(std::string allow, const std::string& request_id) {
  net::Response response = refused(405, rpc::invalid_request, "Messages are sent by POST.", request_id);
  response.headers.set("Allow", std::move(allow));
  return response;
}

/// Of 2026-07-28: the status follows from the code, so that clients and proxies can tell by it.
int modern_status(int code) {
  switch (code) {
    case rpc::method_not_found: return 404;
    case rpc::internal_error: return 200;
    default: return 400;
  }
}

/// Media ranges are compared without their parameters: nobody sends q=0 here.
bool accepts(const net::Headers& headers, std::string_view type) {
  if (!headers.contains("Accept")) return true;
  const std::string family = std::string(type.substr(0, type.find('/'))) + "/*";
  for (const auto& [name, value] : headers) {
    if (to_lower(name) != "accept") continue;
    for (const auto part : split(value, ',')) {
      const std::string range = to_lower(trim(part.substr(0, part.find(';'))));
      if (range == "*/*" || range == type || range == family) return true;
    }
  }
  return false;
}

constexpr std::string_view k_last_event_header = "Last-Event-ID";
constexpr std::string_view k_event_stream = "text/event-stream";

net::Response event_stream(std::unique_ptr<net::BodyStream> body, const std::string& request_id) {
  net::Response response{.headers = {{"Content-Type", std::string(k_event_stream)},
                                     {"Cache-Control", "no-cache, no-transform"},
                                     {"X-Accel-Buffering", "no"}},
                         .body = std::move(body)};
  add_common_headers(response.headers, request_id);
  return response;
}

/// Keeps the exchange alive until its last message is delivered. Runs by itself: the client may leave and
/// come back.
asio::awaitable<void> answer_on(Methods& methods, McpCaller caller, RpcMessage message,
                                std::shared_ptr<Exchange> exchange) {
  const RpcId id = message.id;
  auto outcome = co_await methods.answer_by_extension(std::move(caller), std::move(message), *exchange);
  co_await exchange->finish(outcome ? rpc_result(id, std::move(*outcome)) : rpc_error(id, outcome.error()));
}

}  // namespace

McpFace::McpFace(const contract::ActionTable& actions, access::Dispatcher& dispatcher, net::Timekeeper& time,
                 Random& random, Log log, std::string_view server_version, Extension* extension)
    : methods_(actions, dispatcher, time, std::move(log), server_version, extension),
      sessions_(time, random),
      random_(random) {}

asio::awaitable<net::Response> McpFace::handle(net::Request request, contract::Caller caller) {
  const std::string request_id = caller.request_id;
  if (request.path() != k_mcp_path) {
    co_return problem_response(
        Error{.code = std::string(codes::not_found), .message = "Nothing is served at this path."},
        request_id);
  }
  if (request.method == "POST") co_return co_await post(std::move(request), std::move(caller));
  if (names_modern_version(request.headers)) co_return not_allowed("POST", request_id);
  if (request.method == "DELETE") co_return end_session(request, caller);
  if (request.method == "GET" && request.headers.contains(k_last_event_header)) {
    co_return resume(request, caller);
  }
  // There is no stream of the server's own: nothing is sent that nobody asked for.
  co_return not_allowed("POST, DELETE", request_id);
}

asio::awaitable<net::Response> McpFace::post(net::Request request, contract::Caller caller) {
  const std::string request_id = caller.request_id;
  if (!accepts(request.headers, "application/json")) {
    co_return refused(406, rpc::invalid_request, "Accept must list application/json and text/event-stream.",
                      request_id);
  }
  auto input = parse_rpc(request.body);
  if (!input) {
    const RpcFault& fault = input.error();
    co_return answer_text(400, rpc_error(fault.id, fault.error), request_id);
  }
  auto* message = std::get_if<RpcMessage>(&*input);
  const bool modern =
      message ? is_modern_post(request.headers, *message) : names_modern_version(request.headers);
  if (modern && message)
    co_return co_await post_modern(std::move(request), std::move(caller), std::move(*message));
  if (modern)
    co_return refused(400, rpc::invalid_request, "Batches are not part of this revision.", request_id);
  if (message && message->kind == RpcKind::request && message->method == "initialize") {
    co_return initialize(request, caller, *message);
  }
  co_return co_await post_in_session(std::move(request), std::move(caller), std::move(*input));
}

asio::awaitable<net::Response> McpFace::post_modern(net::Request request, contract::Caller caller,
                                                    RpcMessage message) {
  const std::string request_id = caller.request_id;
  if (message.kind == RpcKind::response) {
    co_return refused(400, rpc::invalid_request, "The server asks nothing, so there is nothing to answer.",
                      request_id, message.id);
  }
  if (message.kind == RpcKind::notification) co_return accepted(request_id);
  if (auto fault = modern_fault(request.headers, message)) {
    co_return answer_text(modern_status(fault->code), rpc_error(message.id, *fault), request_id);
  }
  const bool may_stream = accepts(request.headers, k_event_stream);
  McpCaller mcp_caller{.revision = Revision::r2026_07_28, .caller = std::move(caller)};
  co_return co_await answer_one(std::move(mcp_caller), std::move(message), may_stream);
}

asio::awaitable<net::Response> McpFace::answer_one(McpCaller caller, RpcMessage message, bool may_stream) {
  const std::string request_id = caller.caller.request_id;
  const RpcId id = message.id;
  const Revision revision = caller.revision;
  if (methods_.extension_takes(caller, message)) {
    co_return co_await answer_by_extension(std::move(caller), std::move(message), may_stream);
  }
  if (may_stream) {
    if (auto waiting = methods_.waiting_call(caller, message)) {
      co_return event_stream(methods_.stream(std::move(caller), id, std::move(*waiting)), request_id);
    }
  }
  auto outcome = co_await methods_.answer(std::move(caller), std::move(message));
  if (outcome) co_return answer_text(200, rpc_result(id, std::move(*outcome)), request_id);
  const int status = is_modern(revision) ? modern_status(outcome.error().code) : 200;
  co_return answer_text(status, rpc_error(id, outcome.error()), request_id);
}

asio::awaitable<net::Response> McpFace::answer_by_extension(McpCaller caller, RpcMessage message,
                                                            bool may_stream) {
  const std::string request_id = caller.caller.request_id;
  const Revision revision = caller.revision;
  const bool in_session = !caller.session.empty();
  auto exchange = std::make_shared<Exchange>(methods_.time(), make_token(random_),
                                             in_session && has_resumption(revision));
  if (in_session) {
    std::erase_if(exchanges_, [](const auto& open) { return open.second.exchange.expired(); });
    exchanges_[exchange->id()] = {.exchange = exchange, .session = caller.session};
  }
  const auto executor = co_await asio::this_coro::executor;
  asio::co_spawn(executor, answer_on(methods_, std::move(caller), std::move(message), exchange),
                 asio::detached);
  co_await exchange->wait_until_begun();
  if (auto answer = exchange->sole_answer()) {
    const auto* error = object_member(*answer, "error");
    const bool tells = error && is_modern(revision);
    const int status = tells ? modern_status(static_cast<int>(error->at("code").as_int64())) : 200;
    co_return answer_text(status, *answer, request_id);
  }
  if (may_stream) co_return event_stream(exchange_stream(std::move(exchange), 0), request_id);
  co_return refused(406, rpc::invalid_request, "Accept must list text/event-stream for this one.",
                    request_id);
}

net::Response McpFace::resume(const net::Request& request, const contract::Caller& caller) {
  const std::string session(request.headers.get(k_session_header));
  const auto point = parse_exchange_point(request.headers.get(k_last_event_header));
  const bool known = sessions_.find(session, caller.principal).has_value();
  auto exchange = known && point ? find_exchange(point->exchange, session) : nullptr;
  if (!exchange) {
    return refused(404, rpc::invalid_request, "There is no such stream.", caller.request_id);
  }
  return event_stream(exchange_stream(std::move(exchange), point->number), caller.request_id);
}

void McpFace::take_reply(const RpcMessage& message, const std::string& session) {
  const auto* id = message.id.if_string();
  const auto point = id ? parse_exchange_point(*id) : std::nullopt;
  const auto exchange = point ? find_exchange(point->exchange, session) : nullptr;
  if (!exchange) return;
  McpOutcome outcome = message.result;
  if (message.failed) {
    outcome = std::unexpected(
        RpcError{.code = rpc::internal_error, .message = "The client refused.", .data = nullptr});
  }
  exchange->reply(point->number, std::move(outcome));
}

std::shared_ptr<Exchange> McpFace::find_exchange(std::string_view id, std::string_view session) const {
  const auto open = exchanges_.find(id);
  if (open == exchanges_.end() || open->second.session != session) return nullptr;
  return open->second.exchange.lock();
}

net::Response McpFace::initialize(const net::Request& request, const contract::Caller& caller,
                                  const RpcMessage& message) {
  const auto asked = text_member(message.params, "protocolVersion");
  if (!asked) {
    return refused(200, rpc::invalid_params, "params.protocolVersion must be a text.", caller.request_id,
                   message.id);
  }
  const bool by_stdio = request.headers.get(k_transport_header) == "stdio";
  auto revision = find_revision(*asked).value_or(k_newest_handshake);
  if (is_modern(revision) || (revision == Revision::r2024_11_05 && !by_stdio)) revision = k_newest_handshake;
  net::Response response =
      answer_text(200, rpc_result(message.id, methods_.initialize_result(revision)), caller.request_id);
  response.headers.set(k_session_header, sessions_.begin(caller.principal, revision));
  return response;
}

asio::awaitable<net::Response> McpFace::post_in_session(net::Request request, contract::Caller caller,
                                                        RpcInput input) {
  const std::string request_id = caller.request_id;
  auto* message = std::get_if<RpcMessage>(&input);
  const RpcId id = message ? message->id : RpcId(nullptr);
  if (!request.headers.contains(k_session_header)) {
    co_return refused(400, rpc::invalid_request,
                      "Begin with initialize and send its Mcp-Session-Id, or send "
                      "_meta with io.modelcontextprotocol/protocolVersion in every request.",
                      request_id, id);
  }
  const auto revision = sessions_.find(request.headers.get(k_session_header), caller.principal);
  if (!revision) {
    co_return refused(404, rpc::invalid_request, "There is no such session: begin again with initialize.",
                      request_id, id);
  }
  McpCaller mcp_caller{.revision = *revision,
                       .caller = std::move(caller),
                       .session = std::string(request.headers.get(k_session_header))};
  if (!message) {
    if (!has_batches(*revision)) {
      co_return refused(400, rpc::invalid_request, "Batches are not part of this revision.", request_id);
    }
    co_return co_await answer_batch(std::move(mcp_caller), std::move(std::get<std::vector<RpcItem>>(input)));
  }
  if (message->kind == RpcKind::response) take_reply(*message, mcp_caller.session);
  if (message->kind != RpcKind::request) co_return accepted(request_id);
  const bool may_stream = accepts(request.headers, k_event_stream);
  co_return co_await answer_one(std::move(mcp_caller), std::move(*message), may_stream);
}

asio::awaitable<net::Response> McpFace::answer_batch(McpCaller caller, std::vector<RpcItem> batch) {
  const std::string request_id = caller.caller.request_id;
  json::array answers;
  for (auto& item : batch) {
    if (!item) {
      answers.push_back(rpc_error(item.error().id, item.error().error));
      continue;
    }
    if (item->kind != RpcKind::request) continue;
    const RpcId id = item->id;
    if (item->method == "initialize") {
      answers.push_back(rpc_error(id, {.code = rpc::invalid_request,
                                       .message = "initialize is never part of a batch.",
                                       .data = nullptr}));
      continue;
    }
    auto outcome = co_await methods_.answer(caller, std::move(*item));
    answers.push_back(outcome ? rpc_result(id, std::move(*outcome)) : rpc_error(id, outcome.error()));
  }
  if (answers.empty()) co_return accepted(request_id);
  co_return answer_text(200, answers, request_id);
}

net::Response McpFace::end_session(const net::Request& request, const contract::Caller& caller) {
  if (!request.headers.contains(k_session_header)) {
    return refused(400, rpc::invalid_request, "Mcp-Session-Id is missing.", caller.request_id);
  }
  if (!sessions_.end(request.headers.get(k_session_header), caller.principal)) {
    return refused(404, rpc::invalid_request, "There is no such session.", caller.request_id);
  }
  net::Response response{.status = 204};
  add_common_headers(response.headers, caller.request_id);
  return response;
}

}  // namespace instantstart::faces
