#include "faces/mcp/bridge_io.h"

#include <array>
#include <tuple>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

namespace instantstart::faces {
namespace {

constexpr auto k_await = asio::as_tuple(asio::use_awaitable);

}  // namespace

LineReader::LineReader(asio::any_io_executor executor, int descriptor, std::size_t max_bytes)
    : stream_(std::move(executor), descriptor), max_(max_bytes) {}

LineReader::~LineReader() { stream_.release(); }

void LineReader::stop() {
  ended_ = true;
  buffer_.clear();
  boost::system::error_code ignored;
  stream_.cancel(ignored);
}

std::optional<LineReader::Line> LineReader::take() {
  const auto end = buffer_.find('\n');
  if (end == std::string::npos && !ended_) {
    if (buffer_.size() > max_) {
      skipping_ = true;
      buffer_.clear();
    }
    return std::nullopt;
  }
  if (end == std::string::npos && buffer_.empty() && !skipping_) return std::nullopt;
  Line line{.text = buffer_.substr(0, end)};
  buffer_.erase(0, end == std::string::npos ? buffer_.size() : end + 1);
  if (line.text.ends_with('\r')) line.text.pop_back();
  line.too_long = std::exchange(skipping_, false) || line.text.size() > max_;
  if (line.too_long) line.text.clear();
  return line;
}

asio::awaitable<std::optional<LineReader::Line>> LineReader::next() {
  std::array<char, 16 * 1024> piece{};
  while (true) {
    auto line = take();
    if (line || ended_) co_return line;
    const auto [failure, bytes] = co_await stream_.async_read_some(asio::buffer(piece), k_await);
    if (failure) ended_ = true;
    buffer_.append(piece.data(), bytes);
  }
}

LineWriter::LineWriter(asio::any_io_executor executor, int descriptor)
    : stream_(std::move(executor), descriptor) {}

LineWriter::~LineWriter() { stream_.release(); }

void LineWriter::write(std::string line) {
  if (broken_) return;
  line += '\n';
  queue_.push_back(std::move(line));
}

asio::awaitable<void> LineWriter::flush() {
  while (!queue_.empty()) {
    const std::string line = std::move(queue_.front());
    queue_.pop_front();
    const auto [failure, bytes] = co_await asio::async_write(stream_, asio::buffer(line), k_await);
    if (!failure) continue;
    broken_ = true;
    queue_.clear();
  }
}

}  // namespace instantstart::faces
