// One connection of the server, from its first byte to its last: reads requests, runs the handler, writes
// answers, one after the other.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include "base/log.h"
#include "net/connection_input.h"
#include "net/http_request_parser.h"
#include "net/http_response.h"
#include "net/http_server.h"
#include "net/time.h"
#include "net/tls_stream.h"
#include "net/watchdog.h"
#include "net/websocket_handshake.h"

namespace instantstart::net {

/// What all connections of one server use. Outlives them.
struct HttpServing {
  asio::any_io_executor executor;
  Timekeeper& time;
  Log log;
  HttpServerOptions options;
  HttpHandler handler;
  HttpRefusal refuse;
  Watchdog watchdog{time};
  std::optional<TlsServer> tls;  ///< Set by listen().
  HttpDate date;
  std::vector<char> scratch = std::vector<char>(64 * 1024);  ///< What one read may bring.

  /// The server's own answer, ready to be sent. The connection is closed after it.
  std::string refusal_bytes(int status, std::string_view reason);
};

class WebSocketConnection;

/// Loop thread only.
class HttpConnection {
 public:
  HttpConnection(std::unique_ptr<ConnectionStream> stream, Peer peer, HttpServing& serving);

  /// Begins; `ended` is called when nothing of it runs any more. The object lives until then.
  void start(std::function<void()> ended);

  /// The request under way is the last one; an idle connection closes at once.
  void finish_soon();
  /// Cancels whatever runs.
  void cut();

 private:
  struct Closed {};
  using Offer = std::expected<WebSocketOffer, RequestRefusal>;
  using Incoming = std::variant<Closed, RequestRefusal, ParsedRequest>;
  enum class Next {
    another_request,
    close_gently,  ///< The answer is on its way and must not be lost.
    linger,        ///< The same, and there may be input that was not read.
    drop,
  };

  asio::awaitable<void> run();
  asio::awaitable<bool> handshake();
  asio::awaitable<Incoming> read_request();
  asio::awaitable<Incoming> read_body(RequestParser& parser);
  asio::awaitable<Next> serve(ParsedRequest parsed);
  asio::awaitable<std::optional<Response>> ask_handler(Request request);
  asio::awaitable<Next> send(Response response, ResponseContext context);
  asio::awaitable<Next> switch_to_websocket(WebSocketUpgrade upgrade, Offer offer);
  asio::awaitable<Next> send_refusal(int status, std::string_view reason);
  asio::awaitable<bool> send_sized(const std::string& head, std::string_view body);
  asio::awaitable<bool> send_stream(const std::string& head, BodyStream& stream, bool chunked);
  asio::awaitable<bool> write(std::string_view first, std::string_view second, std::string_view third);
  asio::awaitable<void> linger();
  Incoming slow(std::string_view reason) const;

  std::unique_ptr<ConnectionStream> stream_;
  Peer peer_;
  HttpServing& serving_;
  ConnectionInput input_;
  Watchdog::Limit limit_;
  asio::cancellation_signal cancel_;
  WebSocketConnection* websocket_ = nullptr;  ///< While there is one.
  bool cancelled_ = false;
  bool closing_ = false;
  bool idle_ = false;
};

/// Reads and drops what comes, so that closing does not make the kernel throw away what was sent last (RFC
/// 9112 9.6).
asio::awaitable<void> drain(ConnectionInput& input);

}  // namespace instantstart::net
