#include "net/http_connection.h"

#include <algorithm>
#include <array>
#include <exception>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "net/websocket_connection.h"

namespace instantstart::net {

namespace {

using boost::system::error_code;

/// What has to leave within one write_timeout.
constexpr std::size_t k_slice_bytes = 64 * 1024;
constexpr milliseconds k_linger{2'000};
constexpr std::string_view k_continue = "HTTP/1.1 100 Continue\r\n\r\n";

RequestLimits request_limits(const HttpServerLimits& limits) {
  return {.target_bytes = limits.target_bytes,
          .header_bytes = limits.header_bytes,
          .body_bytes = limits.body_bytes};
}

std::string reason_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "unknown exception";
  }
}

}  // namespace

std::string HttpServing::refusal_bytes(int status, std::string_view reason) {
  Response response = refuse(status, reason);
  if (status == 426) {  // RFC 9110 15.5.22 and RFC 6455 4.4.
    response.headers.set("Upgrade", "websocket");
    response.headers.set("Sec-WebSocket-Version", "13");
  }
  const ResponseContext context{.date = date.text(time.wall()), .keep_alive = false};
  auto head = make_response_head(response, context);
  if (!head || !std::holds_alternative<std::string>(response.body)) {
    log.error("A refusal could not be sent as it was made.", {{"status", status}});
    response = Response{.status = status};
    head = make_response_head(response, context);
  }
  return head->text + std::get<std::string>(response.body);
}

HttpConnection::HttpConnection(std::unique_ptr<ConnectionStream> stream, Peer peer, HttpServing& serving)
    : stream_(std::move(stream)),
      peer_(std::move(peer)),
      serving_(serving),
      input_(*stream_, serving.scratch, [this] { cut(); }),
      limit_(serving.watchdog, [this] {
        error_code ignored;
        stream_->socket().cancel(ignored);
      }) {}

void HttpConnection::start(std::function<void()> ended) {
  auto finish = [this, ended = std::move(ended)](const std::exception_ptr& failure) {
    if (failure && !cancelled_) {
      serving_.log.error("A connection ended by an exception.", {{"reason", reason_of(failure)}});
    }
    ended();
  };
  asio::co_spawn(serving_.executor, run(), asio::bind_cancellation_slot(cancel_.slot(), std::move(finish)));
}

void HttpConnection::finish_soon() {
  closing_ = true;
  if (websocket_ != nullptr) websocket_->begin_close(WebSocketClose::going_away, "The server stops.");
  if (!idle_) return;
  error_code ignored;
  stream_->socket().cancel(ignored);
}

void HttpConnection::cut() {
  closing_ = true;
  cancelled_ = true;
  cancel_.emit(asio::cancellation_type::terminal);
}

asio::awaitable<void> HttpConnection::run() {
  const bool good = co_await handshake();
  if (!good) co_return;
  Next next = Next::another_request;
  while (next == Next::another_request) {
    Incoming incoming = co_await read_request();
    if (const auto* refusal = std::get_if<RequestRefusal>(&incoming)) {
      next = co_await send_refusal(refusal->status, refusal->reason);
      if (next == Next::close_gently) next = Next::linger;
    } else if (auto* parsed = std::get_if<ParsedRequest>(&incoming)) {
      next = co_await serve(std::move(*parsed));
    } else {
      co_return;
    }
  }
  if (next == Next::drop) co_return;
  // All was read: there is nothing that closing could make the kernel answer with a reset.
  const bool read_all = next == Next::close_gently && input_.bytes().empty();
  if (read_all) {
    stream_->end_writing();
  } else {
    co_await linger();
  }
}

/// A failed handshake is the peer's affair: plain text sent here, another authority, a scan.
asio::awaitable<bool> HttpConnection::handshake() {
  limit_.set(serving_.options.limits.header_timeout);
  idle_ = true;
  const bool good = co_await stream_->handshake();
  idle_ = false;
  limit_.clear();
  if (!good && !closing_) {
    serving_.log.debug("A TLS handshake failed.", {{"peer", peer_.address}, {"timed_out", limit_.expired()}});
  }
  co_return good;
}

asio::awaitable<HttpConnection::Incoming> HttpConnection::read_request() {
  if (closing_) co_return Closed{};
  limit_.set(serving_.options.limits.idle_timeout);
  idle_ = true;
  while (input_.bytes().empty()) {
    const bool came = co_await input_.more();
    if (!came || closing_) co_return Closed{};
  }
  idle_ = false;

  limit_.set(serving_.options.limits.header_timeout);
  RequestParser parser(request_limits(serving_.options.limits));
  while (true) {
    const auto taken = parser.feed(input_.bytes());
    if (!taken) co_return taken.error();
    input_.consume(*taken);
    if (parser.header_done()) break;
    const bool came = co_await input_.more();
    if (!came) co_return slow("The header did not arrive in time.");
  }
  limit_.clear();
  co_return co_await read_body(parser);
}

asio::awaitable<HttpConnection::Incoming> HttpConnection::read_body(RequestParser& parser) {
  if (!parser.done()) {
    // RFC 9110 10.1.1: not when part of the body is already here.
    if (parser.expects_continue() && input_.bytes().empty()) {
      const bool sent = co_await write(k_continue, {}, {});
      if (!sent) co_return Closed{};
    }
    limit_.set(serving_.options.limits.body_timeout);
  }
  while (!parser.done()) {
    const bool came = co_await input_.more();
    if (!came) co_return slow("The body did not arrive in time.");
    const auto taken = parser.feed(input_.bytes());
    if (!taken) co_return taken.error();
    input_.consume(*taken);
  }
  limit_.clear();
  co_return ParsedRequest{
      .request = parser.take(), .http_1_0 = parser.http_1_0(), .keep_alive = parser.keep_alive()};
}

HttpConnection::Incoming HttpConnection::slow(std::string_view reason) const {
  if (!limit_.expired()) return Closed{};
  return RequestRefusal{.status = 408, .reason = reason};
}

asio::awaitable<HttpConnection::Next> HttpConnection::serve(ParsedRequest parsed) {
  parsed.request.peer = peer_;
  ResponseContext context{.http_1_0 = parsed.http_1_0, .head = parsed.request.method == "HEAD"};
  const bool upgrade = parsed.request.headers.contains("Upgrade") && !parsed.http_1_0;
  Offer offer = upgrade ? read_websocket_offer(parsed.request)
                        : std::unexpected(RequestRefusal{426, "This is for WebSockets only."});
  input_.watch();
  std::optional<Response> response = co_await ask_handler(std::move(parsed.request));
  if (!response || response->abort) co_return Next::drop;
  if (response->websocket) {
    co_return co_await switch_to_websocket(std::move(*response->websocket), std::move(offer));
  }
  context.keep_alive = parsed.keep_alive && !closing_;
  const Next next = co_await send(std::move(*response), context);
  input_.unwatch();
  co_return cancelled_ ? Next::drop : next;
}

asio::awaitable<std::optional<Response>> HttpConnection::ask_handler(Request request) {
  std::exception_ptr failure;
  try {
    Response response = co_await serving_.handler(std::move(request));
    if (!cancelled_) co_return response;
  } catch (...) {
    failure = std::current_exception();
  }
  if (cancelled_) co_return std::nullopt;
  serving_.log.error("A request handler ended by an exception.", {{"reason", reason_of(failure)}});
  co_return serving_.refuse(500, "The request could not be answered.");
}

asio::awaitable<HttpConnection::Next> HttpConnection::send(Response response, ResponseContext context) {
  context.date = serving_.date.text(serving_.time.wall());
  const auto head = make_response_head(response, context);
  if (!head) {
    serving_.log.error("A response could not be sent.", {{"reason", head.error().message}});
    co_return co_await send_refusal(500, "The request could not be answered.");
  }
  bool sent = false;
  if (head->framing == BodyFraming::none) {
    sent = co_await write(head->text, {}, {});
  } else if (const auto* text = std::get_if<std::string>(&response.body)) {
    sent = co_await send_sized(head->text, *text);
  } else {
    BodyStream& stream = *std::get<std::unique_ptr<BodyStream>>(response.body);
    sent = co_await send_stream(head->text, stream, head->framing == BodyFraming::chunked);
  }
  if (!sent) co_return Next::drop;
  co_return head->keep_alive ? Next::another_request : Next::close_gently;
}

asio::awaitable<HttpConnection::Next> HttpConnection::switch_to_websocket(WebSocketUpgrade upgrade,
                                                                          Offer offer) {
  const std::string& chosen = upgrade.subprotocol;
  if (offer && !chosen.empty() &&
      std::ranges::find(offer->subprotocols, chosen) == offer->subprotocols.end()) {
    serving_.log.error("A WebSocket was given a subprotocol that the client did not offer.");
    offer = std::unexpected(RequestRefusal{500, "The request could not be answered."});
  }
  if (!offer) {
    const Next next = co_await send_refusal(offer.error().status, offer.error().reason);
    input_.unwatch();
    co_return next;
  }
  const std::string head = websocket_switch_head(*offer, upgrade.subprotocol);
  const bool sent = co_await write(head, {}, {});
  input_.unwatch();
  if (!sent || cancelled_) co_return Next::drop;

  WebSocketConnection socket(*stream_, input_, serving_, std::move(upgrade), [this] { cut(); });
  if (closing_) socket.begin_close(WebSocketClose::going_away, "The server stops.");
  websocket_ = &socket;
  const bool said_goodbye = co_await socket.serve();
  websocket_ = nullptr;
  co_return said_goodbye && !cancelled_ ? Next::linger : Next::drop;
}

asio::awaitable<HttpConnection::Next> HttpConnection::send_refusal(int status, std::string_view reason) {
  const std::string answer = serving_.refusal_bytes(status, reason);
  const bool sent = co_await write(answer, {}, {});
  co_return sent ? Next::close_gently : Next::drop;
}

asio::awaitable<bool> HttpConnection::send_sized(const std::string& head, std::string_view body) {
  bool sent = co_await write(head, body.substr(0, k_slice_bytes), {});
  for (std::size_t at = k_slice_bytes; sent && at < body.size(); at += k_slice_bytes) {
    sent = co_await write(body.substr(at, k_slice_bytes), {}, {});
  }
  co_return sent;
}

asio::awaitable<bool> HttpConnection::send_stream(const std::string& head, BodyStream& stream, bool chunked) {
  bool sent = co_await write(head, {}, {});
  while (sent) {
    std::optional<std::string> piece;
    try {
      piece = co_await stream.next();
    } catch (...) {
      if (!cancelled_) {
        serving_.log.error("A response body ended by an exception.",
                           {{"reason", reason_of(std::current_exception())}});
      }
      co_return false;  // Without the last chunk, so that the peer sees that something is missing.
    }
    if (cancelled_) co_return false;
    if (!piece) break;
    const std::string_view text = *piece;
    for (std::size_t at = 0; sent && at < text.size(); at += k_slice_bytes) {
      const std::string_view slice = text.substr(at, k_slice_bytes);
      const std::string size = chunked ? fmt::format("{:x}\r\n", slice.size()) : std::string();
      sent = co_await write(size, slice, chunked ? "\r\n" : "");
    }
  }
  if (sent && chunked) sent = co_await write("0\r\n\r\n", {}, {});
  co_return sent;
}

asio::awaitable<bool> HttpConnection::write(std::string_view first, std::string_view second,
                                            std::string_view third) {
  const std::array<std::string_view, 3> pieces = {first, second, third};
  limit_.set(serving_.options.limits.write_timeout);
  const bool sent = co_await stream_->write(pieces);
  limit_.clear();
  co_return sent;
}

asio::awaitable<void> HttpConnection::linger() {
  stream_->end_writing();
  limit_.set(k_linger);
  co_await drain(input_);
}

asio::awaitable<void> drain(ConnectionInput& input) {
  bool came = true;
  while (came) {
    input.consume(input.bytes().size());
    came = co_await input.more();
  }
}

}  // namespace instantstart::net
