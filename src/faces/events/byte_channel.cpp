#include "faces/events/byte_channel.h"

#include <algorithm>
#include <utility>

#include "base/error_codes.h"
#include "faces/events/control_frames.h"

namespace instantstart::faces {

ByteChannel::ByteChannel(asio::any_io_executor executor, net::Timekeeper& time, Log log, net::Signal& wake,
                         std::int32_t channel, std::string topic, std::int64_t credit)
    : wake_(wake),
      channel_(channel),
      topic_(std::move(topic)),
      credit_(credit),
      changed_(time),
      group_(executor, time, log) {}

void ByteChannel::start(ByteSourceOpener open, SourceRequest request) {
  group_.spawn("byte source", run(std::move(open), std::move(request)));
}

bool ByteChannel::add_credit(std::int64_t bytes) {
  if (bytes > k_most_credit - credit_) return false;
  credit_ += bytes;
  changed_.notify();
  return true;
}

std::optional<ByteChannel::Said> ByteChannel::take() {
  auto said = std::exchange(said_, std::nullopt);
  changed_.notify();
  return said;
}

asio::awaitable<void> ByteChannel::run(ByteSourceOpener open, SourceRequest request) {
  const std::string request_id = request.caller.request_id;
  const auto offset = request.offset;
  auto source = co_await open(std::move(request));
  if (!source) {
    co_await say({.frame = error_frame(channel_, source.error(), request_id), .last = true});
    co_return;
  }
  co_await say({.frame = subscribed_frame(channel_, topic_, offset)});
  co_await read(**source, request_id);
}

asio::awaitable<void> ByteChannel::read(ByteSource& source, const std::string& request_id) {
  while (true) {
    while (credit_ == 0) co_await changed_.wait(net::Deadline::never());
    const auto most =
        std::min<std::size_t>(static_cast<std::size_t>(credit_), k_binary_frame_bytes - k_binary_head_bytes);
    auto bytes = co_await source.next(most);
    if (!bytes) {
      co_await say({.frame = error_frame(channel_, bytes.error(), request_id), .last = true});
      co_return;
    }
    if (!*bytes) {
      co_await say({.frame = ended_frame(channel_, topic_), .last = true});
      co_return;
    }
    if ((*bytes)->empty() || (*bytes)->size() > most) {
      const Error broken{.code = std::string(codes::internal),
                         .message = "The source gave nothing, or more than was asked for."};
      co_await say({.frame = error_frame(channel_, broken, request_id), .last = true});
      co_return;
    }
    credit_ -= std::ssize(**bytes);
    co_await say({.frame = bytes_frame(channel_, **bytes), .binary = true});
  }
}

asio::awaitable<void> ByteChannel::say(Said said) {
  said_ = std::move(said);
  wake_.notify();
  while (said_) co_await changed_.wait(net::Deadline::never());
}

}  // namespace instantstart::faces
