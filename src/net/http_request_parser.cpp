#include "net/http_request_parser.h"

#include <cstdint>
#include <string>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include "net/chunked_decoder.h"
#include "net/http_request_head.h"

namespace instantstart::net {

namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;

/// Collects what Beast finds in a head, and the body when it has a Content-Length.
class Collector final : public http::basic_parser<true> {
 public:
  Request request;
  bool http_1_0 = false;
  bool expects_continue = false;
  std::optional<RequestRefusal> refusal;

 private:
  void on_request_impl(http::verb, beast::string_view method, beast::string_view target, int version,
                       error_code&) override {
    request.method = std::string(method);
    request.target = std::string(target);
    http_1_0 = version == 10;
  }

  void on_field_impl(http::field, beast::string_view name, beast::string_view value, error_code&) override {
    request.headers.add(std::string(name), std::string(value));
  }

  void on_header_impl(error_code& error) override {
    if (const auto checked = check_request_headers(request.headers, http_1_0); !checked) {
      refusal = checked.error();
      error = http::error::bad_field;
    }
    expects_continue = !http_1_0 && request.headers.contains("Expect");
  }

  void on_body_init_impl(const boost::optional<std::uint64_t>& size, error_code&) override {
    if (size) request.body.reserve(*size);
  }

  std::size_t on_body_impl(beast::string_view body, error_code&) override {
    request.body.append(body.data(), body.size());
    return body.size();
  }

  // Not reached: chunked bodies do not go through Beast, and this reads no responses.
  void on_chunk_header_impl(std::uint64_t, beast::string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view, error_code&) override { return 0; }
  void on_response_impl(int, beast::string_view, int, error_code&) override {}
  void on_finish_impl(error_code&) override {}
};

RequestRefusal refusal_of(const error_code& error) {
  if (error == http::error::body_limit) return {413, "The body is too large."};
  if (error == http::error::header_limit) return {431, "The header is too large."};
  if (error == http::error::bad_content_length || error == http::error::multiple_content_length) {
    return {400, "Content-Length must be one number, without Transfer-Encoding."};
  }
  if (error == http::error::bad_transfer_encoding) {
    return {400, "There must be one Transfer-Encoding, without Content-Length."};
  }
  return {400, "The request is malformed."};
}

}  // namespace

struct RequestParser::Impl {
  explicit Impl(const RequestLimits& limits) : scanner(limits), decoder(limits.body_bytes) {
    collector.eager(true);
    collector.body_limit(limits.body_bytes);
    // The scanner holds the header to its limit first.
    collector.header_limit(static_cast<std::uint32_t>(limits.header_bytes + 1));
  }

  bool done() const { return collector.is_done() || decoder.done(); }
  std::expected<std::size_t, RequestRefusal> feed_head(std::string_view bytes);
  std::expected<std::size_t, RequestRefusal> feed_body(std::string_view bytes);

  RequestHeadScanner scanner;
  Collector collector;
  ChunkedDecoder decoder;
  bool began = false;
};

RequestParser::RequestParser(const RequestLimits& limits) : impl_(std::make_unique<Impl>(limits)) {}

RequestParser::~RequestParser() = default;

std::expected<std::size_t, RequestRefusal> RequestParser::Impl::feed_head(std::string_view bytes) {
  const auto size = scanner.scan(bytes);
  if (!size || *size == 0) return size;
  error_code error;
  const std::size_t taken = collector.put(boost::asio::const_buffer(bytes.data(), *size), error);
  if (collector.refusal) return std::unexpected(*collector.refusal);
  // A head that the scanner calls complete and Beast does not is one they disagree about.
  if (error || taken != *size || !collector.is_header_done()) return std::unexpected(refusal_of(error));
  return taken;
}

std::expected<std::size_t, RequestRefusal> RequestParser::Impl::feed_body(std::string_view bytes) {
  if (collector.chunked()) return decoder.feed(bytes);
  std::size_t taken = 0;
  error_code error;
  while (taken < bytes.size() && !collector.is_done() && !error) {
    taken += collector.put(boost::asio::const_buffer(bytes.data() + taken, bytes.size() - taken), error);
  }
  if (error && error != http::error::need_more) return std::unexpected(refusal_of(error));
  return taken;
}

std::expected<std::size_t, RequestRefusal> RequestParser::feed(std::string_view bytes) {
  std::size_t taken = 0;
  if (!header_done()) {
    // RFC 9112 2.2: an empty line before a request is a remainder of the one before, from careless clients.
    if (!impl_->began && bytes == "\r") return 0;
    if (!std::exchange(impl_->began, true) && bytes.starts_with("\r\n")) taken = 2;
    const auto head = impl_->feed_head(bytes.substr(taken));
    if (!head) return head;
    taken += *head;
  }
  if (!header_done() || done()) return taken;
  const auto body = impl_->feed_body(bytes.substr(taken));
  if (!body) return body;
  return taken + *body;
}

bool RequestParser::header_done() const { return impl_->collector.is_header_done(); }
bool RequestParser::done() const { return impl_->done(); }
bool RequestParser::expects_continue() const { return impl_->collector.expects_continue; }
bool RequestParser::http_1_0() const { return impl_->collector.http_1_0; }
bool RequestParser::keep_alive() const { return impl_->collector.keep_alive(); }

Request RequestParser::take() {
  Request request = std::move(impl_->collector.request);
  if (impl_->collector.chunked()) request.body = impl_->decoder.take();
  return request;
}

std::expected<std::optional<ParsedRequest>, RequestRefusal> parse_request(std::string_view bytes,
                                                                          const RequestLimits& limits) {
  RequestParser parser(limits);
  const auto taken = parser.feed(bytes);
  if (!taken) return std::unexpected(taken.error());
  if (!parser.done()) return std::nullopt;
  return ParsedRequest{.request = parser.take(),
                       .size = *taken,
                       .http_1_0 = parser.http_1_0(),
                       .keep_alive = parser.keep_alive()};
}

}  // namespace instantstart::net
