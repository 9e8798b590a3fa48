// An HTTP server on the port that it had before, or on a free one.
#pragma once

#include <cstdint>
#include <memory>

#include "net/http_server.h"

namespace instantstart::sandbox {

/// Loop thread only.
class Listener {
 public:
  Listener(asio::any_io_executor executor, net::Timekeeper& time, Log log, net::HttpHandler handler,
           net::HttpRefusal refuse);

  /// On the port that the options name; where they name none, on `last_port`, or on a free one when that is
  /// taken.
  Result<> listen(net::HttpServerOptions options, std::int32_t last_port);
  /// After listen.
  std::uint16_t port() const { return server_->port(); }
  /// Also when it never listened.
  asio::awaitable<void> stop(net::Deadline deadline);

 private:
  Result<> try_listen(net::HttpServerOptions options);

  asio::any_io_executor executor_;
  net::Timekeeper& time_;
  Log log_;
  net::HttpHandler handler_;
  net::HttpRefusal refuse_;
  std::unique_ptr<net::HttpServer> server_;
};

}  // namespace instantstart::sandbox
