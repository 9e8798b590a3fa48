// An HTTP/1.1 server on one port: bounded, timed, cancellable. It knows nothing of routes, logins or allowed
// hosts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>

#include "base/log.h"
#include "net/http.h"
#include "net/task.h"
#include "net/time.h"
#include "net/tls_identity.h"

namespace instantstart::net {

struct HttpServerLimits {
  std::size_t target_bytes = 8 * 1024;   ///< RFC 9112 3 recommends at least 8000.
  std::size_t header_bytes = 32 * 1024;  ///< Request line and all fields.
  std::size_t body_bytes = 1024 * 1024;
  std::size_t connections = 2048;
  /// From the first byte of a request to the end of its header, and for a whole TLS handshake.
  milliseconds header_timeout{10'000};
  milliseconds body_timeout{60'000};
  milliseconds idle_timeout{120'000};  ///< Between requests on one connection.
  milliseconds write_timeout{60'000};  ///< For one piece of an answer, at most 64 KiB, to leave.
};

struct HttpServerOptions {
  std::string address = "127.0.0.1";  ///< A literal address, or the path of a Unix socket ("/…").
  std::uint16_t port = 0;             ///< 0 takes a free one; see HttpServer::port.
  HttpServerLimits limits;
  /// With it the port speaks TLS 1.2 or 1.3 only. A handshake that fails just closes, and so do connections
  /// over the limit.
  std::optional<TlsIdentity> tls;
};

/// Answers one request. It runs on the server's loop; it is cancelled when the peer closes the connection, or
/// its sending side with no further request sent. An exception that leaves it is logged and becomes a 500 by
/// HttpRefusal, and so does a Response whose header would split.
using HttpHandler = std::function<asio::awaitable<Response>(Request)>;

/// What the server itself refuses (RFC 9112) is answered by `refuse`, so that every face speaks one error
/// format: 400 malformed, 408 too slow, 413 body, 414 target, 417 expectation, 426 not a WebSocket, 431
/// header, 500 handler failed, 501 transfer coding, CONNECT, 503 too many connections, 505 version. The
/// reason is safe to show.
using HttpRefusal = std::function<Response(int status, std::string_view reason)>;

/// Loop thread only. The handler and what it uses must live until stop() has returned.
class HttpServer {
 public:
  HttpServer(asio::any_io_executor executor, Timekeeper& time, Log log, HttpServerOptions options,
             HttpHandler handler, HttpRefusal refuse);
  /// A server that listened must have been stopped; otherwise the process ends.
  ~HttpServer();

  /// Binds and begins to accept. Errors: `unavailable` with the address when the port is taken, or when the
  /// path is a file or a socket that somebody answers on; `invalid_request` when the address is neither
  /// literal nor a path, or the TLS identity cannot be used. A Unix socket gets mode 0600.
  Result<> listen();
  std::uint16_t port() const;  ///< 0 for a Unix socket.

  /// Stops accepting, removes the Unix socket, closes idle connections, lets requests under way finish until
  /// the deadline, then cancels them, and returns when the last is gone.
  asio::awaitable<void> stop(Deadline deadline);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace instantstart::net
