#include "net/curl_response.h"

#include <string>
#include <utility>

#include "base/text.h"

namespace instantstart::net {

namespace {

/// Header bytes of one answer, interim answers and trailers included. Just below libcurl's own limit of 300
/// KiB (MAX_HTTP_RESP_HEADER_SIZE), whose error could not be told from a broken connection.
constexpr std::size_t k_max_head_bytes = 300'000;

std::string_view without_line_end(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

CurlResponseHead::Verdict CurlResponseHead::add_line(std::string_view line) {
  bytes_ += line.size();
  if (bytes_ > k_max_head_bytes) return Verdict::too_large;
  if (complete_) return Verdict::more;
  line = without_line_end(line);
  if (!begun_) return begin(line);
  if (line.empty()) return end();
  return add_field(line);
}

CurlResponseHead::Verdict CurlResponseHead::add_field(std::string_view line) {
  if (line.front() == ' ' || line.front() == '\t') {  // Folded (RFC 9112 5.2): the fold counts as a space.
    if (name_.empty()) return Verdict::malformed;
    value_ += ' ';
    value_ += trim(line);
    return Verdict::more;
  }
  keep_field();
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return Verdict::malformed;
  name_ = line.substr(0, colon);
  value_ = trim(line.substr(colon + 1));
  return Verdict::more;
}

void CurlResponseHead::keep_field() {
  if (!name_.empty()) headers_.add(std::exchange(name_, {}), std::exchange(value_, {}));
}

/// "HTTP/1.1 200 OK", "HTTP/2 200".
CurlResponseHead::Verdict CurlResponseHead::begin(std::string_view line) {
  const auto space = line.find(' ');
  if (!line.starts_with("HTTP/") || space == std::string_view::npos) return Verdict::malformed;
  const auto digits = line.substr(space + 1, 3);
  status_ = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return Verdict::malformed;
    status_ = status_ * 10 + (c - '0');
  }
  if (digits.size() != 3 || status_ < 100) return Verdict::malformed;
  begun_ = true;
  return Verdict::more;
}

CurlResponseHead::Verdict CurlResponseHead::end() {
  begun_ = false;
  keep_field();
  if (status_ == 101) return Verdict::malformed;
  if (status_ < 200) {
    headers_ = {};
    return Verdict::more;
  }
  complete_ = true;
  return Verdict::complete;
}

}  // namespace instantstart::net
