#include "net/connection_input.h"

#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace instantstart::net {

namespace {

using boost::system::error_code;

/// How far a peer may run ahead of a running handler. Past this it is no longer watched, only held back by
/// TCP.
constexpr std::size_t k_read_ahead = 64 * 1024;
/// A consumed buffer larger than this is given back.
constexpr std::size_t k_kept_capacity = 4 * 1024;

}  // namespace

ConnectionInput::ConnectionInput(StreamSocket& socket, std::span<char> scratch, std::function<void()> on_gone)
    : socket_(socket), scratch_(scratch), on_gone_(std::move(on_gone)) {}

ConnectionInput::~ConnectionInput() { *alive_ = false; }

void ConnectionInput::consume(std::size_t count) {
  begin_ += count;
  if (begin_ < buffer_.size()) return;
  begin_ = 0;
  if (buffer_.capacity() > k_kept_capacity) {
    buffer_ = std::string();
  } else {
    buffer_.clear();
  }
}

asio::awaitable<bool> ConnectionInput::more() {
  while (!ended_) {
    error_code error;
    co_await socket_.async_wait(StreamSocket::wait_read, asio::redirect_error(asio::use_awaitable, error));
    if (error) co_return false;
    if (read_available() == Outcome::got_some) co_return true;
  }
  co_return false;
}

ConnectionInput::Outcome ConnectionInput::read_available() {
  error_code error;
  const std::size_t count = socket_.read_some(asio::buffer(scratch_.data(), scratch_.size()), error);
  if (count > 0) {
    buffer_.erase(0, std::exchange(begin_, 0));
    buffer_.append(scratch_.data(), count);
    return Outcome::got_some;
  }
  if (error == asio::error::would_block || error == asio::error::interrupted) return Outcome::nothing_yet;
  ended_ = true;
  return error == asio::error::eof ? Outcome::ended : Outcome::broken;
}

void ConnectionInput::watch() {
  ++watch_;
  arm();
}

void ConnectionInput::unwatch() {
  ++watch_;
  error_code ignored;
  socket_.cancel(ignored);
}

void ConnectionInput::arm() {
  if (ended_ || bytes().size() >= k_read_ahead) return;
  auto readable = [this, alive = alive_, watch = watch_](const error_code& error) {
    if (*alive && !error && watch == watch_) on_readable();
  };
  socket_.async_wait(StreamSocket::wait_read, std::move(readable));
}

void ConnectionInput::on_readable() {
  const Outcome outcome = read_available();
  if (outcome == Outcome::got_some || outcome == Outcome::nothing_yet) {
    arm();
  } else if (outcome == Outcome::broken || bytes().empty()) {
    on_gone_();
  }
}

}  // namespace instantstart::net
