// HTTP/1.1 requests out of bytes (RFC 9112): Beast's parser behind a gate that refuses what two readers of
// one message could read differently. Pure: no socket, no clock.
#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <optional>
#include <string_view>

#include "net/http.h"

namespace instantstart::net {

struct RequestLimits {
  std::size_t target_bytes = 8 * 1024;   ///< RFC 9112 3 recommends at least 8000.
  std::size_t header_bytes = 32 * 1024;  ///< Request line and all fields.
  std::size_t body_bytes = 1024 * 1024;  ///< After chunked coding is removed.
};

/// Why a request gets no further. The connection is closed after the answer, since where the next request
/// begins is not sure.
struct RequestRefusal {
  int status = 400;
  std::string_view reason;  ///< A constant sentence, safe to show.

  bool operator==(const RequestRefusal&) const = default;
};

/// Reads one request. Feed it until done(), then take().
class RequestParser {
 public:
  explicit RequestParser(const RequestLimits& limits);
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  /// Takes what it can from the front of `bytes` and returns how many those were. What it did not take must
  /// be fed again, with more behind it; it never leaves more than target_bytes + header_bytes. Bytes after
  /// the end of the request are not touched.
  std::expected<std::size_t, RequestRefusal> feed(std::string_view bytes);

  bool header_done() const;
  bool done() const;

  /// Below here: after header_done().
  bool expects_continue() const;  ///< The client waits for "100 Continue" before it sends the body.
  bool http_1_0() const;
  bool keep_alive() const;

  /// After done(). The peer is not filled in.
  Request take();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

struct ParsedRequest {
  Request request;
  std::size_t size = 0;  ///< How many bytes it took.
  bool http_1_0 = false;
  bool keep_alive = false;
};

/// The first request in `bytes`; nullopt when it is not complete.
std::expected<std::optional<ParsedRequest>, RequestRefusal> parse_request(std::string_view bytes,
                                                                          const RequestLimits& limits);

}  // namespace instantstart::net
