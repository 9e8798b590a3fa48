#include "kube/connection.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/text.h"
#include "kube/streams.h"
#include "net/query.h"

namespace instantstart::kube {
namespace {

constexpr seconds k_attempt_timeout{30};
constexpr std::size_t k_max_error_body = std::size_t{256} << 10;
constexpr std::size_t k_max_warnings = 50;

bool was_sent(const Error& error) {
  if (const auto* sent = error.detail.if_contains("sent"); sent && sent->is_bool()) return sent->get_bool();
  return error.code != codes::connection_failed;
}

/// Sending it again would not help: the request itself is at fault, or the answer of a read is. An answer to
/// a change that can't be taken is a lost one: the change may have run.
bool is_final(const Error& error, bool read) {
  return error.code == codes::invalid_request || error.code == codes::forbidden ||
         (error.code == codes::upstream_error && read);
}

Error unknown(const ApiRequest& request, std::string_view reason) {
  Error error{.code = std::string(codes::unknown_outcome),
              .message = fmt::format("{} {} may have run: {}", request.method, request.path, reason)};
  error.detail["method"] = request.method;
  error.detail["path"] = request.path;
  return error;
}

bool is_read(const ApiRequest& request) { return request.method == "GET" || request.method == "HEAD"; }

}  // namespace

/// An error is of the transport, a status is the server's refusal; else there is an answer.
struct Connection::Attempt {
  int status = 0;
  net::Headers headers = {};
  std::string body = {};
  std::unique_ptr<net::ClientBodyStream> stream = {};
  std::optional<AttemptEnd> end = {};
  std::optional<Error> transport = {};
  Secret token = {};
};

Result<std::unique_ptr<Connection>> Connection::make(ServerAddress address,
                                                     std::unique_ptr<TokenSource> tokens,
                                                     net::HttpClient& http, net::Timekeeper& time,
                                                     Random& random, Log log) {
  constexpr std::string_view scheme = "https://";
  const std::string_view rest = address.url.starts_with(scheme)
                                    ? std::string_view(address.url).substr(scheme.size())
                                    : std::string_view();
  const auto host = rest.substr(0, rest.find('/'));
  if (host.empty() || host.contains('@') || rest.find_first_of("?# \\") != std::string_view::npos) {
    return fail(
        codes::invalid_request,
        fmt::format("'{}' is no address of an API server: it must be https://host:port, and a base path "
                    "if it has one",
                    shortened(without_controls(address.url), 200)));
  }
  while (address.url.ends_with('/')) address.url.pop_back();
  return std::unique_ptr<Connection>(
      new Connection(std::move(address), std::move(tokens), http, time, random, std::move(log)));
}

Connection::Connection(ServerAddress address, std::unique_ptr<TokenSource> tokens, net::HttpClient& http,
                       net::Timekeeper& time, Random& random, Log log)
    : address_(std::move(address)),
      tokens_(std::move(tokens)),
      http_(http),
      time_(time),
      random_(random),
      log_(std::move(log)) {}

net::ClientRequest Connection::wire(const ApiRequest& request, const Secret& token) const {
  net::ClientRequest wire;
  wire.method = request.method;
  wire.url = address_.url + request.path;
  if (!request.query.empty()) wire.url += "?" + net::to_query(request.query);
  wire.headers.add("Accept", request.accept);
  wire.headers.add("User-Agent", "instantstart");
  if (!token.empty()) wire.headers.add("Authorization", "Bearer " + token.reveal());
  if (!request.content_type.empty()) wire.headers.add("Content-Type", request.content_type);
  for (const auto& [name, value] : request.more_headers) wire.headers.add(name, value);
  wire.body = request.body;
  wire.idempotent = is_read(request) || request.repeat_is_harmless;
  wire.ca_bundle_pem = address_.ca_pem;
  return wire;
}

/// An error here is one that no other attempt would mend.
Task<Connection::Attempt> Connection::attempt(const ApiRequest& request, Mode mode, net::Deadline deadline) {
  Attempt result;
  auto token = co_await tokens_->token(deadline);
  if (!token) co_return fail(std::move(token.error()));
  result.token = std::move(*token);
  net::ClientRequest sent = wire(request, result.token);
  const auto until = net::Deadline::in(time_, k_attempt_timeout).sooner(deadline);
  if (mode == Mode::whole) {
    auto answer = co_await http_.send(std::move(sent), until);
    if (answer) {
      result.status = answer->status;
      result.headers = std::move(answer->headers);
      result.body = std::move(answer->body);
    } else {
      result.transport = std::move(answer.error());
    }
  } else {
    auto opened = co_await http_.open(std::move(sent), until);
    if (opened) {
      result.status = opened->status;
      result.headers = std::move(opened->headers);
      result.stream = std::move(opened->body);
    } else {
      result.transport = std::move(opened.error());
    }
  }
  if (result.transport) {
    if (is_final(*result.transport, is_read(request))) co_return fail(std::move(*result.transport));
    result.end =
        AttemptEnd{.kind = was_sent(*result.transport) ? AttemptEnd::Kind::lost : AttemptEnd::Kind::not_sent};
    co_return result;
  }
  // Behind the proxy stands somebody else, whose refusals are answers. A 401 may be the API server's own.
  const bool is_answer = mode == Mode::proxied ? result.status != 401 : result.status / 100 == 2;
  if (is_answer) co_return result;
  if (result.stream) {
    auto body = co_await read_body(time_, std::move(result.stream), k_max_error_body, until);
    if (body) result.body = std::move(*body);  // else the status line alone has to do
  }
  const Status status = read_status(result.status, result.body, result.headers.get("Retry-After"));
  if (mode == Mode::proxied && status.reason != "Unauthorized") {
    result.stream = stream_of(std::move(result.body));
    co_return result;
  }
  result.end = AttemptEnd{.kind = AttemptEnd::Kind::refused, .status = status};
  co_return result;
}

Task<Connection::Attempt> Connection::call(ApiRequest request, Mode mode, net::Deadline deadline) {
  const bool harmless = is_read(request) || request.repeat_is_harmless;
  RetryProgress progress;
  bool earlier_may_have_run = false;
  for (;;) {
    auto ended = co_await attempt(request, mode, deadline);
    answers_ = ended && !ended->transport && ended->status < 500;
    if (!ended) co_return fail(std::move(ended.error()));
    log_.debug("Kubernetes call", {{"method", json::value(request.method)},
                                   {"path", json::value(request.path)},
                                   {"attempt", progress.attempt},
                                   {"status", ended->status}});
    if (!ended->end) co_return std::move(*ended);
    const auto decision = decide_retry(*ended->end, harmless, progress, random_);
    using Then = RetryDecision::Then;
    if (ended->end->status.code == 401) tokens_->refused(ended->token);
    const bool over = decision.then == Then::give_up || decision.then == Then::outcome_unknown;
    const bool too_late = time_.steady() + decision.delay >= deadline.at;
    const bool did_not_run = provably_did_not_run(*ended->end);
    if (!over && !too_late) {
      earlier_may_have_run = earlier_may_have_run || !did_not_run;
      if (decision.then == Then::renew_token) {
        progress.token_renewed = true;
      } else {
        ++progress.attempt;
        co_await time_.sleep(decision.delay);
      }
      continue;
    }
    const bool says_nothing =
        !did_not_run || ended->end->kind == AttemptEnd::Kind::not_sent || ended->end->status.code == 429;
    if (!is_read(request) && (!did_not_run || (earlier_may_have_run && says_nothing))) {
      const std::string reason = ended->transport ? ended->transport->message
                                                  : fmt::format("the server answered {}: {}", ended->status,
                                                                ended->end->status.message);
      co_return fail(unknown(request, reason));
    }
    if (!ended->transport) co_return fail(to_error(ended->end->status));
    if (ended->transport->code == codes::unknown_outcome) {  // of a read, which has no outcome
      ended->transport->code = codes::unavailable;
      ended->transport->retryable = true;
    }
    co_return fail(std::move(*ended->transport));
  }
}

Task<ApiAnswer> Connection::send(ApiRequest request, net::Deadline deadline) {
  auto ended = co_await call(std::move(request), Mode::whole, deadline);
  if (!ended) co_return fail(std::move(ended.error()));
  co_return ApiAnswer{
      .status = ended->status, .headers = std::move(ended->headers), .body = std::move(ended->body)};
}

Task<net::HttpClient::Stream> Connection::open(ApiRequest request, net::Deadline header_deadline) {
  auto ended = co_await call(std::move(request), Mode::stream, header_deadline);
  if (!ended) co_return fail(std::move(ended.error()));
  co_return net::HttpClient::Stream{
      .status = ended->status, .headers = std::move(ended->headers), .body = std::move(ended->stream)};
}

Task<net::HttpClient::Stream> Connection::open_proxied(ApiRequest request, net::Deadline header_deadline) {
  auto ended = co_await call(std::move(request), Mode::proxied, header_deadline);
  if (!ended) co_return fail(std::move(ended.error()));
  co_return net::HttpClient::Stream{
      .status = ended->status, .headers = std::move(ended->headers), .body = std::move(ended->stream)};
}

std::vector<std::string> warnings_of(const net::Headers& headers) {
  std::vector<std::string> warnings;
  for (const auto& [name, value] : headers) {
    if (to_lower(name) != "warning") continue;
    // warn-code SP warn-agent SP quoted-string, several by commas; Kubernetes writes `299 - "…"`.
    bool inside = false;
    std::string text;
    for (std::size_t i = 0; i < value.size() && warnings.size() < k_max_warnings; ++i) {
      if (value[i] == '"') {
        if (inside) warnings.push_back(shortened(without_controls(std::exchange(text, {})), 1024));
        inside = !inside;
      } else if (inside) {
        if (value[i] == '\\' && i + 1 < value.size()) ++i;
        text += value[i];
      }
    }
  }
  return warnings;
}

}  // namespace instantstart::kube
