#include "net/http_connection.h"

#include <array>
#include <exception>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

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
  const ResponseContext context{.date = date.text(time.wall()), .keep_alive = false};
  auto head = make_response_head(response, context);
  if (!head || !std::holds_alternative<std::string>(response.body)) {
    log.error("A refusal could not be sent as it was made.", {{"status", status}});
    response = Response{.status = status};
    head = make_response_head(response, context);
  }
  return head->text + std::get<std::string>(response.body);
}

HttpConnection::HttpConnection(StreamSocket socket, Peer peer, HttpServing& serving)
    : socket_(std::move(socket)),
      peer_(std::move(peer)),
      serving_(serving),
      input_(socket_, serving.scratch, [this] { cut(); }),
      limit_(serving.watchdog, [this] {
        error_code ignored;
        socket_.cancel(ignored);
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
  if (!idle_) return;
  error_code ignored;
  socket_.cancel(ignored);
}

void HttpConnection::cut() {
  closing_ = true;
  cancelled_ = true;
  cancel_.emit(asio::cancellation_type::terminal);
}

asio::awaitable<void> HttpConnection::run() {
  Next next = Next::another_request;
  while (next == Next::another_request) {
    Incoming incoming = co_await read_request();
    if (const auto* refusal = std::get_if<RequestRefusal>(&incoming)) {
      next = co_await send_refusal(refusal->status, refusal->reason);
    } else if (auto* parsed = std::get_if<ParsedRequest>(&incoming)) {
      next = co_await serve(std::move(*parsed));
      // All was read: there is nothing that closing could make the kernel answer with a reset.
      if (next == Next::close_gently && input_.bytes().empty()) co_return;
    } else {
      co_return;
    }
  }
  if (next == Next::close_gently) co_await linger();
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
  input_.watch();
  std::optional<Response> response = co_await ask_handler(std::move(parsed.request));
  if (!response || response->abort) co_return Next::drop;
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
  const std::array<asio::const_buffer, 3> pieces = {asio::buffer(first), asio::buffer(second),
                                                    asio::buffer(third)};
  limit_.set(serving_.options.limits.write_timeout);
  error_code error;
  co_await asio::async_write(socket_, pieces, asio::redirect_error(asio::use_awaitable, error));
  limit_.clear();
  co_return !error;
}

asio::awaitable<void> HttpConnection::linger() {
  error_code error;
  socket_.shutdown(StreamSocket::shutdown_send, error);
  if (error) co_return;
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
