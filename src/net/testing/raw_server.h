// A server that does exactly what a test's script says, byte by byte: for peers that lie, stall and break
// off.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "net/testing/test_certificate.h"

namespace instantstart::net {

namespace asio = boost::asio;

/// One accepted connection. Nothing throws when the peer goes away; reads give what there was.
class RawConnection {
 public:
  virtual ~RawConnection() = default;

  /// One request as it came: head, and as much body as its Content-Length says. "" at the end.
  asio::awaitable<std::string> read_request();
  /// Up to and including the first `mark`.
  asio::awaitable<std::string> read_through(std::string mark);
  asio::awaitable<std::string> read_exactly(std::size_t size);
  /// Returns when the peer has closed or reset; reads and drops what comes before.
  asio::awaitable<void> until_closed();
  /// False when the peer is gone.
  virtual asio::awaitable<bool> write(std::string bytes) = 0;
  /// Ends the connection in order. With TLS that is a close_notify too.
  virtual void close() = 0;
  /// Ends it with a TCP reset; with TLS without a close_notify.
  virtual void reset() = 0;

 protected:
  /// "" at the end.
  virtual asio::awaitable<std::string> read_some() = 0;

 private:
  std::string unread_;
};

/// Listens on a free loopback port and runs the script once a connection, on the given loop. A connection is
/// closed in order when its script returns.
class RawServer {
 public:
  using Script = std::function<asio::awaitable<void>(RawConnection&)>;

  RawServer(asio::io_context& context, Script script, std::optional<TlsIdentity> tls = std::nullopt);
  ~RawServer();

  std::uint16_t port() const;
  /// "http://127.0.0.1:PORT" or "https://…", and what follows.
  std::string url(const std::string& rest = "/") const;
  std::size_t accepted() const;  ///< Connections so far; with TLS, also those whose handshake failed.
  std::size_t open() const;      ///< Connections whose script still runs.
  std::size_t peak() const;      ///< The most that were open at once.
  /// Closes the listening socket: further connections are refused.
  void stop_listening();

 private:
  struct State;
  static asio::awaitable<void> accept(std::shared_ptr<State> state);
  static asio::awaitable<void> serve(std::shared_ptr<State> state, std::shared_ptr<RawConnection> connection);
  std::shared_ptr<State> state_;
};

/// A port of 127.0.0.1 that nobody listens on.
std::uint16_t unused_port(asio::io_context& context);

}  // namespace instantstart::net
