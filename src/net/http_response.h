// What a Response looks like on the wire (RFC 9112): the status line, the header, and how the end of the body
// is told. Pure: no socket, no clock.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "net/http.h"

namespace instantstart::net {

/// What the request and the server's state say about the answer.
struct ResponseContext {
  std::string_view date;  ///< See http_date.
  bool http_1_0 = false;
  bool head = false;  ///< The request was HEAD: the header is that of GET, the body stays here.
  bool keep_alive = true;
};

enum class BodyFraming {
  none,         ///< No body is sent, whatever the Response holds.
  sized,        ///< By Content-Length.
  chunked,      ///< By chunked coding: for a BodyStream.
  until_close,  ///< By closing the connection: for a BodyStream to HTTP/1.0.
};

struct ResponseHead {
  std::string text;  ///< With the empty line at its end.
  BodyFraming framing = BodyFraming::none;
  bool keep_alive = true;
};

/// Framing, Connection and Date are the server's: Content-Length, Transfer-Encoding, Keep-Alive and
/// Connection fields of the response are left out, except "Connection: close", which is obeyed, and a
/// Content-Length on an empty answer to HEAD. Error `internal` when a name or value could split the header or
/// the status is not 200 to 599.
Result<ResponseHead> make_response_head(const Response& response, const ResponseContext& context);

/// The Date of now, made once a second.
class HttpDate {
 public:
  /// Valid until the next call.
  std::string_view text(WallTime now);

 private:
  std::string text_;
  std::chrono::sys_seconds second_{};
};

/// IMF-fixdate (RFC 9110 5.6.7): "Sun, 06 Nov 1994 08:49:37 GMT".
std::string http_date(WallTime time);

}  // namespace instantstart::net
