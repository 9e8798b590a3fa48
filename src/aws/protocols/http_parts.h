// The parts of an HTTP request and answer that a protocol decides. Host, signature and transport headers are
// somebody else's: the client adds them on the way out, the server has taken them off on the way in.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace instantstart::aws {

using NamedText = std::pair<std::string, std::string>;

struct HttpRequestParts {
  std::string method = "POST";
  std::string path = "/";          ///< Percent-encoded, as it goes on the wire.
  std::vector<NamedText> query;    ///< Decoded, in order; a name may come twice, its value be empty.
  std::vector<NamedText> headers;  ///< In order, without host, date, length or authorization.
  std::string body;

  bool operator==(const HttpRequestParts&) const = default;
};

struct HttpResponseParts {
  int status = 200;
  std::vector<NamedText> headers;
  std::string body;

  bool operator==(const HttpResponseParts&) const = default;
};

/// The value of the first header of that name in any case; nullptr when there is none. Valid as long as
/// `headers`.
const std::string* find_header(const std::vector<NamedText>& headers, std::string_view name);

/// Path and query as in the request line: "/bucket?list-type=2&prefix=a%2Fb".
std::string request_target(const HttpRequestParts& request);

/// application/x-www-form-urlencoded as botocore writes it: RFC 3986 escapes, but a space is a plus.
std::string to_form(const std::vector<NamedText>& pairs);
/// Also reads a plus as a space. A broken escape stays as it is, as browsers and AWS do.
std::vector<NamedText> from_form(std::string_view text);

}  // namespace instantstart::aws
