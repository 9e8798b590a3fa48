// The bytes of one accepted connection, plain or encrypted, so that the code of a connection is the same for
// both.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/generic/stream_protocol.hpp>

namespace instantstart::net {

namespace asio = boost::asio;

using StreamSocket = asio::generic::stream_protocol::socket;  ///< TCP or Unix.

enum class ReadOutcome {
  got_some,
  nothing_yet,
  ended,   ///< The peer closed, or closed its sending side.
  broken,  ///< The connection failed; over TLS also when it ended without a close_notify (RFC 8446 6.1).
};

struct ReadResult {
  ReadOutcome outcome = ReadOutcome::nothing_yet;
  std::size_t count = 0;
};

/// Loop thread only. One write at a time; reads may come between. What waits ends when the socket is
/// cancelled (socket().cancel()).
class ConnectionStream {
 public:
  explicit ConnectionStream(StreamSocket socket) : socket_(std::move(socket)) {}
  virtual ~ConnectionStream() = default;
  ConnectionStream(const ConnectionStream&) = delete;
  ConnectionStream& operator=(const ConnectionStream&) = delete;

  /// For waiting, cancelling and closing. Its bytes are those of the stream only when that is plain.
  StreamSocket& socket() { return socket_; }

  /// Before anything else. False when it failed or was cancelled.
  virtual asio::awaitable<bool> handshake() = 0;

  /// Takes what is there, without waiting.
  virtual ReadResult read_some(std::span<char> into) = 0;

  /// There is more to read that the socket's readiness does not tell of.
  virtual bool has_buffered() const = 0;

  /// Writes all pieces, in order. False when that failed or was cancelled: then part of it may have left.
  virtual asio::awaitable<bool> write(std::span<const std::string_view> pieces) = 0;

  /// Tells the peer, as far as that goes without waiting, that all was sent; the socket stays open.
  virtual void end_writing() = 0;

 private:
  StreamSocket socket_;
};

std::unique_ptr<ConnectionStream> make_plain_stream(StreamSocket socket);

}  // namespace instantstart::net
