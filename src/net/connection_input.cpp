#include "net/connection_input.h"

#include <utility>

#include <boost/asio/post.hpp>
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

ConnectionInput::ConnectionInput(ConnectionStream& stream, std::span<char> scratch,
                                 std::function<void()> on_gone)
    : stream_(stream), scratch_(scratch), on_gone_(std::move(on_gone)) {}

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
    if (!stream_.has_buffered()) {
      error_code error;
      co_await stream_.socket().async_wait(StreamSocket::wait_read,
                                           asio::redirect_error(asio::use_awaitable, error));
      if (error) co_return false;
    }
    if (read_available() == ReadOutcome::got_some) co_return true;
  }
  co_return false;
}

ReadOutcome ConnectionInput::read_available() {
  const auto [outcome, count] = stream_.read_some(scratch_);
  if (outcome == ReadOutcome::got_some) {
    buffer_.erase(0, std::exchange(begin_, 0));
    buffer_.append(scratch_.data(), count);
  }
  ended_ = outcome == ReadOutcome::ended || outcome == ReadOutcome::broken;
  return outcome;
}

void ConnectionInput::watch() {
  ++watch_;
  arm();
}

void ConnectionInput::unwatch() {
  ++watch_;
  error_code ignored;
  stream_.socket().cancel(ignored);
}

void ConnectionInput::arm() {
  if (ended_ || bytes().size() >= k_read_ahead) return;
  auto readable = [this, alive = alive_, watch = watch_](const error_code& error) {
    if (*alive && !error && watch == watch_) on_readable();
  };
  if (stream_.has_buffered()) {
    asio::post(stream_.socket().get_executor(), [readable = std::move(readable)] { readable({}); });
  } else {
    stream_.socket().async_wait(StreamSocket::wait_read, std::move(readable));
  }
}

void ConnectionInput::on_readable() {
  const ReadOutcome outcome = read_available();
  if (outcome == ReadOutcome::got_some || outcome == ReadOutcome::nothing_yet) {
    arm();
  } else if (outcome == ReadOutcome::broken || bytes().empty()) {
    on_gone_();
  }
}

}  // namespace instantstart::net
