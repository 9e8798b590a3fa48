#include "sandbox/gateway/gateway.h"

#include <utility>

#include <fmt/format.h>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "aws/protocols/api_json.h"
#include "aws/protocols/protocol.h"
#include "sandbox/gateway/canonical_text.h"
#include "sandbox/gateway/refusals.h"
#include "sandbox/gateway/signature.h"

namespace instantstart::sandbox {
namespace {

aws::HttpRequestParts parts_of(const net::Request& request) {
  aws::HttpRequestParts parts{.method = request.method,
                              .path = std::string(request.path()),
                              .query = aws::from_form(request.query()),
                              .body = request.body};
  for (const auto& [name, value] : request.headers) parts.headers.emplace_back(name, value);
  return parts;
}

net::Response response_of(aws::HttpResponseParts parts) {
  net::Response response{.status = parts.status};
  for (auto& [name, value] : parts.headers) response.headers.add(std::move(name), std::move(value));
  response.body = std::move(parts.body);
  return response;
}

net::Response error_response(const aws::ServiceInfo& service, const aws::OperationInfo* operation,
                             const AwsFault& fault, const std::string& request_id) {
  return response_of(aws::encode_error(service, operation,
                                       {.code = fault.code,
                                        .message = fault.message,
                                        .request_id = request_id,
                                        .status = fault.http_status,
                                        .modelled = nullptr,
                                        .fields = fault.fields}));
}

/// What the codec could not read, as the service would say it.
AwsFault unreadable(const aws::ServiceInfo& service, const Error& error) {
  const auto* code = error.detail.if_contains("aws_code");
  if (!code) return {.code = "RequestEntityTooLarge", .message = error.message, .http_status = 413};
  const bool unknown = code->as_string() == aws::codec_of(service.protocol).unknown_operation;
  const bool by_path = service.protocol == aws::Protocol::rest_json;
  return {.code = std::string(code->as_string()),
          .message = error.message,
          .http_status = unknown && by_path ? 404 : 400};
}

std::string idempotency_token(const aws::OperationInfo& operation, const void* input) {
  if (!operation.idempotency_token) return {};
  const void* token = operation.idempotency_token->peek(input);
  return token ? *static_cast<const std::string*>(token) : std::string();
}

bool is_answer(FaultKind kind) {
  switch (kind) {
    case FaultKind::error:
    case FaultKind::throttle:
    case FaultKind::server_error:
    case FaultKind::expired_credentials:
    case FaultKind::access_denied: return true;
    case FaultKind::drop_request:
    case FaultKind::drop_reply:
    case FaultKind::late_reply:
    case FaultKind::slow:
    case FaultKind::resource_failure: break;
  }
  return false;
}

}  // namespace

struct Gateway::Passage {
  Service* service;
  aws::DecodedRequest decoded;
  Call call;
  json::object request;
  std::optional<FaultRule> rule;

  const aws::OperationInfo& operation() const { return *decoded.operation; }
  bool hit_by(FaultKind kind) const { return rule && rule->kind == kind; }
};

Gateway::Gateway(World& world, FaultPlan& faults, AccessKeys& keys, ServiceTable services, Log log)
    : world_(world),
      faults_(faults),
      keys_(keys),
      services_(std::move(services)),
      log_(std::move(log)),
      hurried_(world.time()) {}

asio::awaitable<net::Response> Gateway::handle(net::Request request) {
  auto executor = co_await asio::this_coro::executor;
  co_return co_await asio::co_spawn(
      executor, answer(std::move(request)),
      asio::bind_cancellation_slot(asio::cancellation_slot(), asio::use_awaitable));
}

net::Response Gateway::refuse(int status, std::string_view reason) {
  const json::object body{{"message", reason}};
  return {.status = status, .headers = {{"Content-Type", "application/json"}}, .body = to_text(body)};
}

void Gateway::hurry() {
  in_a_hurry_ = true;
  hurried_.notify();
}

asio::awaitable<net::Response> Gateway::answer(net::Request request) {
  const std::string request_id = world_.make_request_id();
  const aws::HttpRequestParts parts = parts_of(request);
  const auto claim = read_claim(request);
  if (!claim) {
    co_return error_response(stand_in_service(parts), nullptr,
                             refuse_caller(stand_in_service(parts), claim.error()), request_id);
  }
  Service* service = services_.find(*claim, parts);
  const aws::ServiceInfo& info = service ? service->info() : stand_in_service(parts);
  auto decoded = aws::decode_request(info, parts);
  const aws::OperationInfo* operation = decoded ? decoded->operation : nullptr;

  const auto identity = authenticate(request, *claim, info, operation, keys_, world_.now());
  if (!identity) {
    co_return error_response(info, operation, refuse_caller(info, identity.error()), request_id);
  }
  if (!service) {
    const AwsFault unknown{
        .code = std::string(aws::codec_of(info.protocol).unknown_operation),
        .message = fmt::format("The sandbox does not simulate the service '{}'.", (*claim)->service)};
    co_return error_response(info, nullptr, unknown, request_id);
  }
  if (!decoded) co_return error_response(info, nullptr, unreadable(info, decoded.error()), request_id);

  Passage passage{.service = service,
                  .decoded = std::move(*decoded),
                  .call = {.region = *claim ? (*claim)->region : std::string(),
                           .principal_arn = identity->principal_arn,
                           .principal_id = identity->principal_id,
                           .access_key_id = identity->access_key_id,
                           .request_id = request_id,
                           .endpoint = fmt::format("http://{}", request.headers.get("Host"))}};
  passage.request = aws::to_api_json(*operation->input, passage.decoded.input.get());
  passage.rule = faults_.hit(info.name, operation->name, passage.request);
  co_return co_await carry_out(std::move(passage));
}

asio::awaitable<net::Response> Gateway::carry_out(Passage passage) {
  const aws::OperationInfo& operation = passage.operation();
  const aws::ServiceInfo& service = passage.service->info();
  if (passage.hit_by(FaultKind::slow)) co_await delay(*passage.rule);
  if (passage.hit_by(FaultKind::resource_failure)) {
    passage.call.fails_later = {.code = passage.rule->code.value_or(""),
                                .message = passage.rule->message.value_or("The fault plan says so.")};
  }

  Reply<aws::ShapeValue> reply = fault("SandboxDroppedRequest", "The fault plan dropped the request.");
  if (passage.rule && is_answer(passage.rule->kind)) {
    reply = std::unexpected(planned_answer(operation, *passage.rule, passage.call));
  } else if (!passage.hit_by(FaultKind::drop_request)) {
    reply = co_await passage.service->answer(operation, passage.call, passage.decoded.input.get());
  }
  const auto recorded = co_await record(passage, reply);

  if (passage.hit_by(FaultKind::late_reply)) co_await delay(*passage.rule);
  if (passage.hit_by(FaultKind::drop_request) || passage.hit_by(FaultKind::drop_reply)) {
    co_return net::Response{.abort = true};
  }
  const std::string& id = passage.call.request_id;
  if (!recorded) {
    const AwsFault lost{.code = "InternalFailure", .message = recorded.error().message, .http_status = 500};
    co_return error_response(service, &operation, lost, id);
  }
  if (!reply) co_return error_response(service, &operation, reply.error(), id);
  auto encoded = aws::encode_response(operation, reply->get(), id);
  if (encoded) {
    encoded->status = passage.service->http_status(operation, reply->get()).value_or(encoded->status);
    co_return response_of(std::move(*encoded));
  }
  log_.error("An answer could not be encoded.",
             {{"operation", operation.name}, {"reason", encoded.error().message}});
  const AwsFault broken{.code = "InternalFailure", .message = encoded.error().message, .http_status = 500};
  co_return error_response(service, &operation, broken, id);
}

asio::awaitable<void> Gateway::delay(const FaultRule& rule) {
  if (in_a_hurry_) co_return;
  const auto end = net::Deadline::in(world_.time(), milliseconds(rule.delay_ms.value_or(0)));
  co_await hurried_.wait(end);
}

/// Makes durable what the call did, with its audit row. A call that reads waits for what it may have seen.
Task<> Gateway::record(const Passage& passage, const Reply<aws::ShapeValue>& reply) {
  const aws::OperationInfo& operation = passage.operation();
  AuditEntry entry{.at = to_rfc3339(world_.now()),
                   .service = std::string(operation.service->name),
                   .operation = std::string(operation.name),
                   .mutating = !operation.read_only,
                   .principal = passage.call.principal_arn,
                   .access_key_id = passage.call.access_key_id,
                   .region = passage.call.region,
                   .request_id = passage.call.request_id,
                   .token = idempotency_token(operation, passage.decoded.input.get()),
                   .request = without_long_texts(passage.request)};
  if (passage.rule) entry.fault = fault_kind_name(passage.rule->kind);
  if (!reply) entry.error_code = reply.error().code;
  if (operation.read_only) {
    world_.note(std::move(entry));
    co_return co_await world_.commit();
  }
  if (reply) entry.response = without_long_texts(aws::to_api_json(*operation.output, reply->get()));
  std::vector<AuditEntry> rows;
  rows.push_back(std::move(entry));
  co_return co_await world_.commit(std::move(rows));
}

}  // namespace instantstart::sandbox
