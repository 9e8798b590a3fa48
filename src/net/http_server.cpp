#include "net/http_server.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <list>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "net/http_connection.h"
#include "net/listening_socket.h"
#include "net/signal.h"
#include "net/task_group.h"

namespace instantstart::net {

namespace {

using boost::system::error_code;

/// How long to wait for descriptors or memory to come back before accepting again.
constexpr milliseconds k_accept_pause{200};
/// Connections taken in one go before others get their turn.
constexpr int k_accept_batch = 64;
/// Connections over the limit that we stay with until their peer has read the answer. The rest is closed at
/// once.
constexpr std::size_t k_turned_away_at_once = 64;
constexpr milliseconds k_turned_away_linger{2'000};

/// accept(2) hands on what happened to the one connection it takes from the queue; the next may be fine.
bool is_of_one_connection(int error) {
  constexpr std::array k_errors = {EINTR,        ECONNABORTED, EPROTO,      EPERM,
                                   ENETDOWN,     ENOPROTOOPT,  EHOSTDOWN,   ENONET,
                                   EHOSTUNREACH, EOPNOTSUPP,   ENETUNREACH, ETIMEDOUT};
  return std::ranges::find(k_errors, error) != k_errors.end();
}

void set_option(int descriptor, int level, int name, int value) {
  ::setsockopt(descriptor, level, name, &value, sizeof(value));
}

/// Small answers leave at once, and a peer that vanished without a word is noticed in about two minutes.
void tune_tcp(int descriptor) {
  set_option(descriptor, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, 60);
  set_option(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, 15);
  set_option(descriptor, IPPROTO_TCP, TCP_KEEPCNT, 4);
}

int family_of(int descriptor) {
  int family = AF_UNSPEC;
  socklen_t size = sizeof(family);
  ::getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &family, &size);
  return family;
}

}  // namespace

struct HttpServer::State {
  State(asio::any_io_executor executor, Timekeeper& time, Log log, HttpServerOptions options,
        HttpHandler handler, HttpRefusal refuse)
      : serving{.executor = executor,
                .time = time,
                .log = log,
                .options = std::move(options),
                .handler = std::move(handler),
                .refuse = std::move(refuse)},
        background(executor, time, log),
        acceptor(executor),
        connection_ended(time) {}

  asio::awaitable<void> accept_for_ever();
  /// The error number of a failed accept; 0 when there is nobody left in the queue or the batch is full.
  int accept_batch();
  void admit(StreamSocket socket);
  void turn_away(StreamSocket socket);
  asio::awaitable<void> drain_turned_away(StreamSocket socket);
  void start_connection(StreamSocket socket, Peer peer);

  HttpServing serving;
  TaskGroup background;
  asio::posix::stream_descriptor acceptor;
  std::optional<ListeningSocket> listening;
  std::list<std::unique_ptr<HttpConnection>> connections;
  Signal connection_ended;
  std::size_t turned_away = 0;
  bool full = false;
  bool stopping = false;
};

HttpServer::HttpServer(asio::any_io_executor executor, Timekeeper& time, Log log, HttpServerOptions options,
                       HttpHandler handler, HttpRefusal refuse)
    : state_(std::make_shared<State>(std::move(executor), time, std::move(log), std::move(options),
                                     std::move(handler), std::move(refuse))) {}

HttpServer::~HttpServer() = default;

Result<> HttpServer::listen() {
  if (const auto& identity = state_->serving.options.tls) {
    auto tls = TlsServer::make(*identity);
    if (!tls) return fail(std::move(tls.error()));
    state_->serving.tls.emplace(std::move(*tls));
  }
  auto opened = ListeningSocket::open(state_->serving.options.address, state_->serving.options.port);
  if (!opened) return fail(std::move(opened.error()));
  state_->listening = std::move(*opened);
  state_->acceptor.assign(state_->listening->release());
  state_->background.spawn("HTTP time limits", state_->serving.watchdog.run());
  state_->background.spawn("HTTP accept", state_->accept_for_ever());
  return {};
}

std::uint16_t HttpServer::port() const { return state_->listening ? state_->listening->port() : 0; }

asio::awaitable<void> HttpServer::stop(Deadline deadline) {
  const auto state = state_;
  state->stopping = true;
  error_code ignored;
  state->acceptor.close(ignored);
  if (state->listening) state->listening->remove_path();
  for (const auto& connection : state->connections) connection->finish_soon();

  bool in_time = true;
  while (in_time && !state->connections.empty()) {
    in_time = co_await state->connection_ended.wait(deadline);
  }
  std::vector<HttpConnection*> rest;
  for (const auto& connection : state->connections) rest.push_back(connection.get());
  for (HttpConnection* connection : rest) connection->cut();
  while (!state->connections.empty()) co_await state->connection_ended.wait(Deadline::never());
  co_await state->background.stop();
}

asio::awaitable<void> HttpServer::State::accept_for_ever() {
  bool failing = false;
  while (!stopping) {
    error_code error;
    co_await acceptor.async_wait(asio::posix::stream_descriptor::wait_read,
                                 asio::redirect_error(asio::use_awaitable, error));
    if (stopping) co_return;
    const int failure = error ? error.value() : accept_batch();
    const bool failed_before = std::exchange(failing, failure != 0);
    if (!failing) continue;
    if (!failed_before) {
      serving.log.warning("Connections cannot be accepted now.",
                          {{"reason", std::system_category().message(failure)}});
    }
    co_await serving.time.sleep(k_accept_pause);
  }
}

int HttpServer::State::accept_batch() {
  for (int i = 0; i < k_accept_batch; ++i) {
    const int descriptor =
        ::accept4(acceptor.native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0) {
      if (errno == EAGAIN) return 0;
      if (is_of_one_connection(errno)) continue;
      return errno;
    }
    try {
      StreamSocket socket(serving.executor);
      socket.assign(asio::generic::stream_protocol(family_of(descriptor), 0), descriptor);
      socket.non_blocking(true);
      admit(std::move(socket));
    } catch (const std::exception& error) {
      serving.log.error("A connection could not be begun.", {{"reason", error.what()}});
    }
  }
  return 0;
}

void HttpServer::State::admit(StreamSocket socket) {
  const bool room = connections.size() < serving.options.limits.connections;
  if (!room && !full) {
    serving.log.warning("The connection limit is reached; more are turned away.",
                        {{"connections", connections.size()}});
  }
  full = !room;
  if (!room) return turn_away(std::move(socket));
  Peer peer = peer_of(socket.native_handle());
  if (peer.address != "unix") tune_tcp(socket.native_handle());
  start_connection(std::move(socket), std::move(peer));
}

void HttpServer::State::start_connection(StreamSocket socket, Peer peer) {
  auto stream =
      serving.tls ? serving.tls->make_stream(std::move(socket)) : make_plain_stream(std::move(socket));
  connections.push_back(std::make_unique<HttpConnection>(std::move(stream), std::move(peer), serving));
  const auto entry = std::prev(connections.end());
  (*entry)->start([this, entry] {
    // Later, as this may run inside a call of the connection itself.
    asio::post(serving.executor, [this, entry] {
      connections.erase(entry);
      connection_ended.notify();
    });
  });
}

void HttpServer::State::turn_away(StreamSocket socket) {
  if (serving.tls) return;  // An answer would need a handshake, which costs more than the connection.
  const std::string answer = serving.refusal_bytes(503, "Too many connections; try again soon.");
  error_code ignored;
  socket.send(asio::buffer(answer), 0, ignored);  // An empty send buffer takes it whole.
  socket.shutdown(StreamSocket::shutdown_send, ignored);
  if (turned_away >= k_turned_away_at_once) return;
  background.spawn("HTTP turn away", drain_turned_away(std::move(socket)));
}

asio::awaitable<void> HttpServer::State::drain_turned_away(StreamSocket socket) {
  ++turned_away;
  const auto stream = make_plain_stream(std::move(socket));
  ConnectionInput input(*stream, serving.scratch, [] {});
  Watchdog::Limit limit(serving.watchdog, [&stream] {
    error_code ignored;
    stream->socket().cancel(ignored);
  });
  limit.set(k_turned_away_linger);
  co_await drain(input);
  --turned_away;
}

}  // namespace instantstart::net
