#include "net/testing/raw_server.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/core.h>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "base/text.h"

namespace instantstart::net {

namespace {

using asio::ip::tcp;
using TlsStream = asio::ssl::stream<tcp::socket>;
using ErrorCode = boost::system::error_code;

template <class Stream>
asio::awaitable<std::string> read_from(Stream& stream) {
  std::array<char, 16384> buffer;
  ErrorCode error;
  const std::size_t size =
      co_await stream.async_read_some(asio::buffer(buffer), asio::redirect_error(asio::use_awaitable, error));
  co_return std::string(buffer.data(), error ? 0 : size);
}

template <class Stream>
asio::awaitable<bool> write_to(Stream& stream, std::string bytes) {
  ErrorCode error;
  co_await asio::async_write(stream, asio::buffer(bytes), asio::redirect_error(asio::use_awaitable, error));
  co_return !error;
}

void close_socket(tcp::socket& socket, bool in_order) {
  ErrorCode ignored;  // The peer may be gone already.
  if (in_order) {
    socket.shutdown(tcp::socket::shutdown_both, ignored);
  } else {
    socket.set_option(asio::socket_base::linger(true, 0), ignored);
  }
  socket.close(ignored);
}

class PlainConnection final : public RawConnection {
 public:
  explicit PlainConnection(tcp::socket socket) : socket_(std::move(socket)) {}
  asio::awaitable<bool> write(std::string bytes) override { return write_to(socket_, std::move(bytes)); }
  void close() override { close_socket(socket_, true); }
  void reset() override { close_socket(socket_, false); }

 private:
  asio::awaitable<std::string> read_some() override { return read_from(socket_); }
  tcp::socket socket_;
};

class TlsConnection final : public RawConnection, public std::enable_shared_from_this<TlsConnection> {
 public:
  TlsConnection(tcp::socket socket, std::shared_ptr<asio::ssl::context> tls)
      : tls_(std::move(tls)), stream_(std::move(socket), *tls_) {}

  asio::awaitable<bool> handshake() {
    ErrorCode error;
    co_await stream_.async_handshake(TlsStream::server, asio::redirect_error(asio::use_awaitable, error));
    co_return !error;
  }
  asio::awaitable<bool> write(std::string bytes) override { return write_to(stream_, std::move(bytes)); }
  void close() override {
    // The close_notify leaves when the operation starts; the close ends its wait for the peer's.
    if (SSL_is_init_finished(stream_.native_handle())) {
      stream_.async_shutdown([self = shared_from_this()](ErrorCode) {});
    }
    close_socket(stream_.next_layer(), true);
  }
  void reset() override { close_socket(stream_.next_layer(), false); }

 private:
  asio::awaitable<std::string> read_some() override { return read_from(stream_); }
  std::shared_ptr<asio::ssl::context> tls_;
  TlsStream stream_;
};

std::size_t content_length(std::string_view head) {
  constexpr std::string_view k_name = "content-length:";
  for (const auto line : split(head, '\n')) {
    if (!to_lower(line.substr(0, k_name.size())).starts_with(k_name)) continue;
    const auto digits = trim(line.substr(k_name.size()));
    std::size_t length = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), length);
    return length;
  }
  return 0;
}

}  // namespace

asio::awaitable<std::string> RawConnection::read_through(std::string mark) {
  std::size_t end = unread_.find(mark);
  while (end == std::string::npos) {
    auto more = co_await read_some();
    if (more.empty()) co_return std::exchange(unread_, {});
    unread_ += more;
    end = unread_.find(mark);
  }
  auto taken = unread_.substr(0, end + mark.size());
  unread_.erase(0, taken.size());
  co_return taken;
}

asio::awaitable<std::string> RawConnection::read_exactly(std::size_t size) {
  while (unread_.size() < size) {
    auto more = co_await read_some();
    if (more.empty()) co_return std::exchange(unread_, {});
    unread_ += more;
  }
  auto taken = unread_.substr(0, size);
  unread_.erase(0, size);
  co_return taken;
}

asio::awaitable<std::string> RawConnection::read_request() {
  auto head = co_await read_through("\r\n\r\n");
  auto body = co_await read_exactly(content_length(head));
  co_return head + body;
}

asio::awaitable<void> RawConnection::until_closed() {
  while (true) {
    const auto more = co_await read_some();
    if (more.empty()) co_return;
  }
}

struct RawServer::State {
  State(asio::io_context& context, Script what)
      : acceptor(context, tcp::endpoint(asio::ip::address_v4::loopback(), 0)), script(std::move(what)) {}

  tcp::acceptor acceptor;
  Script script;
  std::shared_ptr<asio::ssl::context> tls;
  std::vector<std::weak_ptr<RawConnection>> connections;
  std::uint16_t port = 0;
  std::size_t accepted = 0;
  std::size_t open = 0;
  std::size_t peak = 0;
};

RawServer::RawServer(asio::io_context& context, Script script, std::optional<TlsIdentity> tls)
    : state_(std::make_shared<State>(context, std::move(script))) {
  state_->port = state_->acceptor.local_endpoint().port();
  if (tls) {
    state_->tls = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
    state_->tls->use_certificate_chain(asio::buffer(tls->certificate_pem));
    state_->tls->use_private_key(asio::buffer(tls->key_pem), asio::ssl::context::pem);
  }
  asio::co_spawn(context, accept(state_), asio::detached);
}

RawServer::~RawServer() {
  stop_listening();
  for (const auto& entry : state_->connections) {
    if (const auto connection = entry.lock()) connection->reset();
  }
}

asio::awaitable<void> RawServer::accept(std::shared_ptr<State> state) {
  while (true) {
    ErrorCode error;
    auto socket = co_await state->acceptor.async_accept(asio::redirect_error(asio::use_awaitable, error));
    if (error) co_return;
    ++state->accepted;
    std::shared_ptr<RawConnection> connection;
    if (state->tls) {
      connection = std::make_shared<TlsConnection>(std::move(socket), state->tls);
    } else {
      connection = std::make_shared<PlainConnection>(std::move(socket));
    }
    state->connections.push_back(connection);
    asio::co_spawn(state->acceptor.get_executor(), serve(state, std::move(connection)), asio::detached);
  }
}

asio::awaitable<void> RawServer::serve(std::shared_ptr<State> state,
                                       std::shared_ptr<RawConnection> connection) {
  if (auto* tls = dynamic_cast<TlsConnection*>(connection.get())) {
    const bool good = co_await tls->handshake();
    if (!good) co_return;
  }
  ++state->open;
  state->peak = std::max(state->peak, state->open);
  co_await state->script(*connection);
  --state->open;
  connection->close();
}

std::uint16_t RawServer::port() const { return state_->port; }

std::string RawServer::url(const std::string& rest) const {
  return fmt::format("{}://127.0.0.1:{}{}", state_->tls ? "https" : "http", state_->port, rest);
}

std::size_t RawServer::accepted() const { return state_->accepted; }
std::size_t RawServer::open() const { return state_->open; }
std::size_t RawServer::peak() const { return state_->peak; }

void RawServer::stop_listening() {
  ErrorCode ignored;  // It may be closed already.
  state_->acceptor.close(ignored);
}

std::uint16_t unused_port(asio::io_context& context) {
  return tcp::acceptor(context, tcp::endpoint(asio::ip::address_v4::loopback(), 0)).local_endpoint().port();
}

}  // namespace instantstart::net
