// A request as libcurl gets it: checked first, so that nothing is left in it that libcurl would change, add
// to or take for something else.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <curl/curl.h>

#include "base/result.h"
#include "net/http_client.h"

namespace instantstart::net {

/// Header lines in libcurl's form, in one block of memory. Moves, but the list is valid only where it was
/// built.
class CurlHeaders {
 public:
  CurlHeaders() = default;
  /// Makes room for these.
  explicit CurlHeaders(const Headers& headers);

  /// `value` empty sends the bare name (libcurl wants "Name;" for that).
  void add(std::string_view name, std::string_view value);
  /// Keeps libcurl from sending a header of its own by this name.
  void suppress(std::string_view name);
  /// Null when there is none. Valid until the next change.
  curl_slist* list();

 private:
  std::string text_;  ///< Lines, each ended by NUL.
  std::vector<std::size_t> starts_;
  std::vector<curl_slist> nodes_;
};

struct CurlRequest {
  ClientRequest what;
  std::string
      origin;  ///< "https://host:port" as written: for messages, since paths and queries hold secrets.
  CurlHeaders headers;
  bool loopback_host = false;  ///< The host is a loopback address or a name that always means one (RFC 6761).
  bool head = false;
  bool with_body = false;   ///< Has a Content-Length, which may be 0.
  bool repeatable = false;  ///< By flag or by method.
};

/// Error `invalid_request`, detail "sent": false.
Result<CurlRequest> make_curl_request(ClientRequest request);

}  // namespace instantstart::net
