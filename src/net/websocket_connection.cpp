#include "net/websocket_connection.h"

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include "net/task_group.h"

namespace instantstart::net {

namespace {

using boost::system::error_code;

/// What has to leave within one write_timeout.
constexpr std::size_t k_slice_bytes = 64 * 1024;
/// How far the peer may run ahead of a handler that does not read. Past this TCP holds it back.
constexpr std::size_t k_read_ahead = 64 * 1024;
/// How long the peer may take to answer our close frame.
constexpr milliseconds k_goodbye{5'000};
/// How long the handler may go on once the socket is over. Longer, as its own close() takes the former.
constexpr milliseconds k_handler_grace{10'000};

}  // namespace

WebSocketConnection::WebSocketConnection(ConnectionStream& stream, ConnectionInput& input,
                                         HttpServing& serving, WebSocketUpgrade upgrade,
                                         std::function<void()> cut)
    : stream_(stream),
      input_(input),
      serving_(serving),
      upgrade_(std::move(upgrade)),
      decoder_(upgrade_.message_bytes),
      write_limit_(serving.watchdog, [this] { lose(); }),
      handler_limit_(serving.watchdog, std::move(cut)),
      changed_(serving.time),
      to_send_(serving.time),
      turn_(serving.time),
      heard_(serving.time.steady()) {}

asio::awaitable<bool> WebSocketConnection::serve() {
  TaskGroup beside(serving_.executor, serving_.time, serving_.log);
  beside.spawn("WebSocket input", read_frames());
  beside.spawn("WebSocket control frames", send_control());
  try {
    const WebSocketClose code = co_await run_handler();
    handler_limit_.clear();
    begin_close(code, {});
    handler_limit_.clear();
    co_await wait_for_goodbye();
  } catch (...) {
    lose();  // Cut, in the handler or in the wait.
  }
  const bool said_goodbye = close_sent_ && !lost_;
  // Those beside must be gone first, whoever cancels this once more.
  co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
  co_await beside.stop();
  co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
  co_return said_goodbye;
}

/// Throws when this coroutine was cancelled.
asio::awaitable<WebSocketClose> WebSocketConnection::run_handler() {
  std::string reason = "unknown exception";
  try {
    co_await upgrade_.handler(*this);
    co_return WebSocketClose::normal;
  } catch (const std::exception& error) {
    reason = error.what();
  } catch (...) {  // The reason above stands.
  }
  const auto cancellation = co_await asio::this_coro::cancellation_state;
  if (cancellation.cancelled() != asio::cancellation_type::none) {
    throw boost::system::system_error(asio::error::operation_aborted);
  }
  serving_.log.error("A WebSocket handler ended by an exception.", {{"reason", reason}});
  co_return WebSocketClose::internal_error;
}

void WebSocketConnection::begin_close(WebSocketClose code, std::string_view reason) {
  if (is_over()) return;
  closing_ = true;
  inbox_.reset();
  goodbye_ = websocket_close_payload(code, reason);
  goodbye_limit_ = Deadline::in(serving_.time, k_goodbye);
  handler_limit_.set(k_handler_grace);
  to_send_.notify();
  changed_.notify();
}

/// Wakes everybody, so that all see it.
void WebSocketConnection::lose() {
  if (!lost_ && !closing_) handler_limit_.set(k_handler_grace);
  lost_ = true;
  error_code ignored;  // There may be nothing to cancel.
  stream_.socket().cancel(ignored);
  to_send_.notify();
  changed_.notify();
  turn_.notify();
}

asio::awaitable<void> WebSocketConnection::wait_for_goodbye() {
  bool in_time = true;
  while (in_time && !lost_ && !(close_sent_ && input_ended_)) {
    in_time = co_await changed_.wait(goodbye_limit_);
  }
}

asio::awaitable<void> WebSocketConnection::close(WebSocketClose code, std::string reason) {
  begin_close(code, reason);
  co_await wait_for_goodbye();
}

asio::awaitable<std::optional<WebSocketMessage>> WebSocketConnection::read() {
  while (true) {
    const std::uint64_t seen = changed_.generation();
    take_events();
    if (inbox_) {
      auto message = std::exchange(inbox_, std::nullopt);
      changed_.notify();  // There is room again.
      co_return message;
    }
    if (is_over()) co_return std::nullopt;
    co_await changed_.wait_after(seen, Deadline::never());
  }
}

asio::awaitable<bool> WebSocketConnection::write_text(std::string text) {
  return send(WebSocketOpcode::text, std::move(text));
}

asio::awaitable<bool> WebSocketConnection::write_binary(std::string bytes) {
  return send(WebSocketOpcode::binary, std::move(bytes));
}

/// Up to the first message: what follows it waits until that was taken.
void WebSocketConnection::take_events() {
  while (!inbox_ && !input_ended_) {
    auto [taken, event] = decoder_.feed(input_.bytes());
    input_.consume(taken);
    if (!event) return;
    take(std::move(*event));
  }
}

void WebSocketConnection::take(WebSocketEvent event) {
  switch (event.kind) {
    case WebSocketEvent::Kind::message:
      if (!closing_) inbox_ = WebSocketMessage{.text = event.text, .data = std::move(event.data)};
      break;
    case WebSocketEvent::Kind::ping:
      pong_ = std::move(event.data);
      to_send_.notify();
      break;
    case WebSocketEvent::Kind::pong: break;  // That something came is all it says.
    case WebSocketEvent::Kind::close:
      input_ended_ = true;
      begin_close(event.code, {});  // RFC 6455 5.5.1: the answer repeats the code.
      break;
    case WebSocketEvent::Kind::violation:
      input_ended_ = true;
      begin_close(event.code, event.data);
      break;
  }
  if (input_ended_) changed_.notify();
}

asio::awaitable<void> WebSocketConnection::read_frames() {
  while (!lost_) {
    const std::uint64_t seen = changed_.generation();
    take_events();
    if (input_ended_) co_return;
    if (input_.bytes().size() >= k_read_ahead) {
      co_await changed_.wait_after(seen, Deadline::never());
      continue;
    }
    const bool came = co_await input_.more();
    if (input_ended_) co_return;  // read() saw the end meanwhile.
    if (!came) {
      lose();
      co_return;
    }
    heard_ = serving_.time.steady();
    if (std::exchange(pinged_, false)) to_send_.notify();  // It waits for the later of two times.
    changed_.notify();
  }
}

asio::awaitable<void> WebSocketConnection::send_control() {
  while (!lost_) {
    const std::uint64_t seen = to_send_.generation();
    if (closing_) {
      co_await send(WebSocketOpcode::close, goodbye_);
      co_return;
    }
    if (pong_) {
      co_await send(WebSocketOpcode::pong, *std::exchange(pong_, std::nullopt));
      continue;
    }
    const SteadyTime now = serving_.time.steady();
    if (input_.bytes().size() >= k_read_ahead) heard_ = now;  // It is we who do not listen.
    if (now >= later(heard_, upgrade_.idle_timeout)) {
      lose();
      co_return;
    }
    if (!pinged_ && now >= later(heard_, upgrade_.ping_after)) {
      pinged_ = true;
      co_await send(WebSocketOpcode::ping, {});
      continue;
    }
    const SteadyTime next =
        pinged_ ? later(heard_, upgrade_.idle_timeout)
                : std::min(later(heard_, upgrade_.ping_after), later(heard_, upgrade_.idle_timeout));
    co_await to_send_.wait_after(seen, Deadline{next});
  }
}

asio::awaitable<bool> WebSocketConnection::send(WebSocketOpcode opcode, std::string payload) {
  const bool goodbye = opcode == WebSocketOpcode::close;
  while (writing_ && !lost_) co_await turn_.wait(Deadline::never());
  if (lost_ || close_sent_ || (closing_ && !goodbye)) co_return false;

  /// Whatever interrupts a write leaves half a frame behind.
  struct Turn {
    WebSocketConnection& socket;
    bool whole = false;
    ~Turn() {
      socket.writing_ = false;
      socket.turn_.notify();
      if (!whole) socket.lose();
    }
  };
  writing_ = true;
  Turn turn{*this};
  turn.whole = co_await send_pieces(opcode, payload);
  if (turn.whole && goodbye) {
    close_sent_ = true;
    changed_.notify();
  }
  co_return turn.whole;
}

asio::awaitable<bool> WebSocketConnection::send_pieces(WebSocketOpcode opcode, std::string_view payload) {
  const std::string head = websocket_frame_head(opcode, payload.size());
  std::array<std::string_view, 2> pieces = {head, payload.substr(0, k_slice_bytes)};
  bool sent = true;
  for (std::size_t at = 0; sent && (at == 0 || at < payload.size()); at += k_slice_bytes) {
    if (at > 0) pieces = {std::string_view(), payload.substr(at, k_slice_bytes)};
    write_limit_.set(serving_.options.limits.write_timeout);
    sent = co_await stream_.write(pieces);
    write_limit_.clear();
  }
  co_return sent;
}

}  // namespace instantstart::net
