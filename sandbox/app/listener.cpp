#include "sandbox/app/listener.h"

#include <utility>

namespace instantstart::sandbox {

Listener::Listener(asio::any_io_executor executor, net::Timekeeper& time, Log log, net::HttpHandler handler,
                   net::HttpRefusal refuse)
    : executor_(std::move(executor)),
      time_(time),
      log_(std::move(log)),
      handler_(std::move(handler)),
      refuse_(std::move(refuse)) {}

Result<> Listener::try_listen(net::HttpServerOptions options) {
  auto server =
      std::make_unique<net::HttpServer>(executor_, time_, log_, std::move(options), handler_, refuse_);
  if (auto listening = server->listen(); !listening) return listening;
  server_ = std::move(server);
  return {};
}

Result<> Listener::listen(net::HttpServerOptions options, std::int32_t last_port) {
  if (options.port == 0 && last_port > 0) {
    net::HttpServerOptions again = options;
    again.port = static_cast<std::uint16_t>(last_port);
    if (try_listen(std::move(again))) return {};
  }
  return try_listen(std::move(options));
}

asio::awaitable<void> Listener::stop(net::Deadline deadline) {
  if (server_) co_await server_->stop(deadline);
}

}  // namespace instantstart::sandbox
