// The gate before the parser: looks at the raw bytes of a request's head, as they come in, and refuses what
// RFC 9112 lets a reader refuse and a lenient reader would "repair" (bare CR or LF, folded lines, odd
// targets, other versions).
#pragma once

#include <cstddef>
#include <expected>
#include <string_view>

#include "net/http_request_parser.h"

namespace instantstart::net {

class RequestHeadScanner {
 public:
  explicit RequestHeadScanner(const RequestLimits& limits) : limits_(limits) {}

  /// The length of the head with its empty line, or 0 while that has not come. Each call gets all bytes of
  /// the request so far; each byte is looked at once.
  std::expected<std::size_t, RequestRefusal> scan(std::string_view bytes);

 private:
  std::expected<void, RequestRefusal> end_line(std::string_view line);

  RequestLimits limits_;
  std::size_t seen_ = 0;
  std::size_t line_start_ = 0;
};

/// Method, target and version of a request line without its CRLF.
std::expected<void, RequestRefusal> check_request_line(std::string_view line, const RequestLimits& limits);

/// The fields that decide where a message ends and whom it is for: Host, Content-Length, Transfer-Encoding,
/// Expect.
std::expected<void, RequestRefusal> check_request_headers(const Headers& headers, bool http_1_0);

}  // namespace instantstart::net
