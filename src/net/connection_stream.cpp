#include "net/connection_stream.h"

#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

namespace instantstart::net {

namespace {

using boost::system::error_code;

class PlainStream final : public ConnectionStream {
 public:
  using ConnectionStream::ConnectionStream;

  asio::awaitable<bool> handshake() override { co_return true; }

  ReadResult read_some(std::span<char> into) override {
    error_code error;
    const std::size_t count = socket().read_some(asio::buffer(into.data(), into.size()), error);
    if (count > 0) return {.outcome = ReadOutcome::got_some, .count = count};
    if (error == asio::error::would_block || error == asio::error::interrupted) return {};
    return {.outcome = error == asio::error::eof ? ReadOutcome::ended : ReadOutcome::broken};
  }

  bool has_buffered() const override { return false; }

  asio::awaitable<bool> write(std::span<const std::string_view> pieces) override {
    std::vector<asio::const_buffer> buffers;
    for (const auto piece : pieces) buffers.push_back(asio::buffer(piece));
    error_code error;
    co_await asio::async_write(socket(), buffers, asio::redirect_error(asio::use_awaitable, error));
    co_return !error;
  }

  void end_writing() override {
    error_code ignored;  // The peer may be gone already.
    socket().shutdown(StreamSocket::shutdown_send, ignored);
  }
};

}  // namespace

std::unique_ptr<ConnectionStream> make_plain_stream(StreamSocket socket) {
  return std::make_unique<PlainStream>(std::move(socket));
}

}  // namespace instantstart::net
