#include "net/http_request_head.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "net/http_characters.h"

namespace instantstart::net {

namespace {

using Checked = std::expected<void, RequestRefusal>;

/// Room for the method and the version beside the target in a request line that has not ended yet.
constexpr std::size_t k_line_extra = 64;
/// RFC 9110 15.6.2: a method that no server implements is 501. The longest registered one has 17 letters.
constexpr std::size_t k_longest_method = 32;

Checked refuse(int status, std::string_view reason) {
  return std::unexpected(RequestRefusal{.status = status, .reason = reason});
}

/// RFC 3986 3.2.2 and 3.2.3, loosely: whether the name is one of ours is for whoever routes.
bool is_host_char(char c) {
  return is_alphanumeric(c) || std::string_view("-._~%!$&'()*+,;=:[]").contains(c);
}

bool is_version(std::string_view text) {
  const auto is_good = [](char c) { return is_digit(c) || c == '.'; };
  return text.size() > 5 && text.starts_with("HTTP/") && std::ranges::all_of(text.substr(5), is_good);
}

Checked check_target(std::string_view target, const RequestLimits& limits) {
  if (target.size() > limits.target_bytes) return refuse(414, "The request target is too long.");
  if (!target.starts_with('/'))
    return refuse(400, "The request target must be a path that starts with \"/\".");
  const auto is_good = [](char c) { return c > 0x20 && c < 0x7F && c != '#'; };
  if (!std::ranges::all_of(target, is_good)) {
    return refuse(400, "The request target has a character that must be percent-encoded.");
  }
  return {};
}

Checked check_transfer_encoding(const Headers& headers, bool http_1_0) {
  const std::size_t count = headers.count("Transfer-Encoding");
  if (count == 0) return {};
  // RFC 9112 6.1 calls each of these framing that cannot be trusted.
  if (headers.contains("Content-Length")) {
    return refuse(400, "Content-Length and Transfer-Encoding must not come together.");
  }
  if (http_1_0) return refuse(400, "HTTP/1.0 has no Transfer-Encoding.");
  if (count > 1) return refuse(400, "There must be one Transfer-Encoding.");
  const std::string coding = to_lower(headers.get("Transfer-Encoding"));
  if (coding == "chunked") return {};
  const auto codings = split(coding, ',');
  const auto is_chunked = [](std::string_view one) { return trim(one) == "chunked"; };
  const auto chunked = std::ranges::find_if(codings, is_chunked);
  if (chunked != codings.end() && std::next(chunked) != codings.end()) {
    return refuse(400, "The chunked coding must come once, as the last.");
  }
  return refuse(501, "The only transfer coding known here is \"chunked\".");
}

Checked check_content_length(const Headers& headers) {
  const std::size_t count = headers.count("Content-Length");
  if (count == 0) return {};
  if (count > 1) return refuse(400, "There must be one Content-Length.");
  const std::string_view value = headers.get("Content-Length");
  if (value.empty() || value.size() > 19 || !std::ranges::all_of(value, is_digit)) {
    return refuse(400, "Content-Length must be one number.");
  }
  return {};
}

}  // namespace

std::expected<void, RequestRefusal> check_request_line(std::string_view line, const RequestLimits& limits) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last || first == 0) {
    return refuse(400, "The request line must be a method, a target and a version.");
  }
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (!std::ranges::all_of(method, is_token_char)) return refuse(400, "The method is not a token.");
  if (!is_version(version)) return refuse(400, "The request line must end in \"HTTP/1.1\".");
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return refuse(505, "The versions known here are HTTP/1.1 and HTTP/1.0.");
  }
  if (method == "CONNECT" || method.size() > k_longest_method) {
    return refuse(501, "This method is not known here.");
  }
  return check_target(target, limits);
}

std::expected<void, RequestRefusal> check_request_headers(const Headers& headers, bool http_1_0) {
  if (headers.count("Host") != 1) return refuse(400, "There must be one Host.");
  const std::string_view host = headers.get("Host");
  if (host.empty() || !std::ranges::all_of(host, is_host_char))
    return refuse(400, "Host is not a host name.");
  if (auto checked = check_transfer_encoding(headers, http_1_0); !checked) return checked;
  if (auto checked = check_content_length(headers); !checked) return checked;
  if (headers.contains("Expect") &&
      (headers.count("Expect") > 1 || to_lower(headers.get("Expect")) != "100-continue")) {
    return refuse(417, "The only expectation known here is \"100-continue\".");
  }
  return {};
}

std::expected<void, RequestRefusal> RequestHeadScanner::end_line(std::string_view line) {
  if (line_start_ == 0) return check_request_line(line, limits_);
  if (line.starts_with(' ') || line.starts_with('\t'))
    return refuse(400, "Folded header lines are obsolete.");
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0 ||
      !std::ranges::all_of(line.substr(0, colon), is_token_char)) {
    return refuse(400, "A header field must be a name, a colon and a value.");
  }
  return {};
}

std::expected<std::size_t, RequestRefusal> RequestHeadScanner::scan(std::string_view bytes) {
  for (; seen_ < bytes.size(); ++seen_) {
    const char c = bytes[seen_];
    if (seen_ > line_start_ && bytes[seen_ - 1] == '\r') {
      if (c != '\n') return std::unexpected(RequestRefusal{400, "CR must be followed by LF."});
      const std::string_view line = bytes.substr(line_start_, seen_ - 1 - line_start_);
      if (line.empty() && line_start_ > 0) return seen_ + 1;
      if (auto checked = end_line(line); !checked) return std::unexpected(checked.error());
      line_start_ = seen_ + 1;
    } else if (c == '\n') {
      return std::unexpected(RequestRefusal{400, "A line must end in CR LF."});
    } else if (c != '\r' && is_control(c)) {
      return std::unexpected(RequestRefusal{400, "The header has a control character."});
    }
    if (seen_ + 1 >= limits_.header_bytes) {
      return std::unexpected(RequestRefusal{431, "The header is too large."});
    }
    if (line_start_ == 0 && seen_ > limits_.target_bytes + k_line_extra) {
      return std::unexpected(RequestRefusal{414, "The request target is too long."});
    }
  }
  return 0;
}

}  // namespace instantstart::net
