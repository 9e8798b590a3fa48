#include "net/curl_request.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/core.h>
#include <boost/asio/ip/address.hpp>

#include "base/error_codes.h"
#include "base/text.h"
#include "net/http_characters.h"

namespace instantstart::net {

namespace {

namespace ip = boost::asio::ip;

constexpr auto k_methods = std::to_array<std::string_view>({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"});

// They frame the message or belong to the connection (RFC 9110 7.6.1, 6.4; RFC 9112 6), which libcurl owns.
constexpr auto k_framing_headers =
    std::to_array<std::string_view>({"connection", "content-length", "expect", "http2-settings", "keep-alive",
                                     "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"});

std::unexpected<Error> refused(std::string message) {
  return fail(Error{.code = std::string(codes::invalid_request),
                    .message = std::move(message),
                    .detail = {{"sent", false}}});
}

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_framing_header(std::string_view name) {
  return std::ranges::any_of(k_framing_headers, [name](std::string_view own) {
    return std::ranges::equal(own, name, {}, {}, lower);
  });
}

/// A table, since every character of every header is looked up.
constexpr auto k_token_chars = [] {
  std::array<bool, 256> table{};
  for (int c = 0; c < 128; ++c) table[static_cast<std::size_t>(c)] = is_token_char(static_cast<char>(c));
  return table;
}();

bool is_token(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return k_token_chars[static_cast<unsigned char>(c)]; });
}

/// Looks at every character, which compilers do many at a time, as they can't when the first hit ends the
/// loop.
template <class Predicate>
bool none_is(std::string_view text, Predicate bad) {
  bool found = false;
  for (const char c : text) found |= bad(c);
  return !found;
}

/// RFC 9110 5.5: no controls, and neither space nor tab at an end.
bool is_field_value(std::string_view text) {
  return trim(text).size() == text.size() && none_is(text, is_control);
}

struct Url {
  std::string_view origin;
  std::string_view host;  ///< Without port and brackets.
  bool literal_6 = false;
};

/// Only what must hold before libcurl's own parser, which is lenient, sees it.
std::optional<Url> split_url(std::string_view url) {
  const auto scheme_end = url.find("://");
  if (scheme_end == std::string_view::npos) return std::nullopt;
  const auto authority_start = scheme_end + 3;
  const auto authority_end = std::min(url.find_first_of("/?", authority_start), url.size());
  const auto authority = url.substr(authority_start, authority_end - authority_start);
  Url parts{.origin = url.substr(0, authority_end)};
  if (authority.starts_with('[')) {
    const auto close = authority.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    parts.host = authority.substr(1, close - 1);
    parts.literal_6 = true;
  } else {
    parts.host = authority.substr(0, authority.find(':'));
  }
  const auto rest = authority.substr(parts.host.size() + (parts.literal_6 ? 2 : 0));
  if (parts.host.empty()) return std::nullopt;
  if (rest.empty()) return parts;
  const auto port = rest.substr(1);
  const bool digits = std::ranges::all_of(port, [](char c) { return is_digit(c); });
  if (rest.front() != ':' || port.empty() || port.size() > 5 || !digits) return std::nullopt;
  return parts;
}

/// A name, a dotted IPv4 address or an IPv6 address. Other spellings of IPv4 ("0x7f.1") mean different things
/// to different readers, so they are no host here.
bool is_host(const Url& url) {
  boost::system::error_code error;
  if (url.literal_6) {
    if (url.host.contains('%')) return false;  // A zone means something on this machine only.
    ip::make_address_v6(url.host, error);
    return !error;
  }
  const bool plain = std::ranges::all_of(
      url.host, [](char c) { return is_alphanumeric(c) || c == '.' || c == '-' || c == '_'; });
  if (!plain) return false;
  const auto name = url.host.ends_with('.') ? url.host.substr(0, url.host.size() - 1) : url.host;
  const auto last_label = name.substr(name.rfind('.') + 1);
  if (last_label.empty() || !is_digit(last_label.front())) return !last_label.empty();
  ip::make_address_v4(url.host, error);
  return !error;
}

bool is_loopback(std::string_view host) {
  if (host.contains(':') || is_digit(host.back())) {  // Only literals look like that; see is_host.
    boost::system::error_code error;
    return ip::make_address(host, error).is_loopback() && !error;
  }
  auto name = to_lower(host);
  if (name.ends_with('.')) name.pop_back();
  return name == "localhost" || name.ends_with(".localhost");
}

Result<Url> checked_url(std::string_view url) {
  const auto scheme = to_lower(url.substr(0, std::min(url.find(':'), url.size())));
  if (scheme != "http" && scheme != "https") return refused("The URL must begin with http:// or https://.");
  if (!none_is(url, [](char c) { return c <= ' ' || c > '~'; })) {
    return refused("The URL holds a space, a control character or a byte above ASCII; percent-encode it.");
  }
  if (url.contains('#')) return refused("The URL holds a fragment ('#'), which is never sent.");
  const auto parts = split_url(url);
  if (!parts) return refused("The URL must be scheme://host[:port][/path][?query], without a user name.");
  if (!is_host(*parts)) {
    return refused(fmt::format("'{}' in the URL is neither a host name nor an IP address.",
                               shortened(parts->host, 100)));
  }
  return *parts;
}

Result<> check_headers(const Headers& headers) {
  for (const auto& [name, value] : headers) {
    if (!is_token(name)) {
      return refused(fmt::format("'{}' is not a header name.", without_controls(shortened(name, 100))));
    }
    if (is_framing_header(name)) {
      return refused(fmt::format("The header '{}' is the connection's own and can't be set.", name));
    }
    // The value may be a secret, so the message does not show it.
    if (!is_field_value(value)) {
      return refused(
          fmt::format("The value of header '{}' holds a control character, or a space at an end.", name));
    }
  }
  if (headers.count("Host") > 1) return refused("The header 'Host' is there more than once.");
  if (headers.contains("Host") && headers.get("Host").empty()) return refused("The header 'Host' is empty.");
  return {};
}

CurlHeaders curl_headers(const ClientRequest& request, bool with_body) {
  CurlHeaders lines(request.headers);
  for (const auto& [name, value] : request.headers) lines.add(name, value);
  if (!request.headers.contains("Accept")) lines.suppress("Accept");
  if (with_body) {
    if (!request.headers.contains("Content-Type")) lines.suppress("Content-Type");
    lines.suppress("Expect");
  }
  return lines;
}

}  // namespace

CurlHeaders::CurlHeaders(const Headers& headers) {
  constexpr std::size_t k_suppressed_bytes = sizeof "Accept:" + sizeof "Content-Type:" + sizeof "Expect:";
  std::size_t bytes = k_suppressed_bytes;
  for (const auto& [name, value] : headers) bytes += name.size() + value.size() + sizeof ": ";
  text_.reserve(bytes);
  starts_.reserve(headers.size() + 3);
}

void CurlHeaders::add(std::string_view name, std::string_view value) {
  starts_.push_back(text_.size());
  text_ += name;
  if (value.empty()) {
    text_ += ';';
  } else {
    text_ += ": ";
    text_ += value;
  }
  text_ += '\0';
}

void CurlHeaders::suppress(std::string_view name) {
  starts_.push_back(text_.size());
  text_ += name;
  text_ += ':';
  text_ += '\0';
}

curl_slist* CurlHeaders::list() {
  nodes_.resize(starts_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    nodes_[i] = {.data = text_.data() + starts_[i], .next = i + 1 < nodes_.size() ? &nodes_[i + 1] : nullptr};
  }
  return nodes_.empty() ? nullptr : nodes_.data();
}

Result<CurlRequest> make_curl_request(ClientRequest request) {
  if (std::ranges::find(k_methods, request.method) == k_methods.end()) {
    return refused("The method must be GET, HEAD, POST, PUT, PATCH or DELETE.");
  }
  const auto url = checked_url(request.url);
  if (!url) return std::unexpected(url.error());
  if (auto good = check_headers(request.headers); !good) return std::unexpected(std::move(good.error()));

  const std::string_view method = request.method;
  const bool head = method == "HEAD";
  if (head && !request.body.empty()) return refused("A HEAD request can't have a body.");
  const bool with_body = !request.body.empty() || method == "POST" || method == "PUT" || method == "PATCH";
  CurlRequest made{.origin = std::string(url->origin),
                   .headers = curl_headers(request, with_body),
                   .loopback_host = is_loopback(url->host),
                   .head = head,
                   .with_body = with_body,
                   .repeatable = request.idempotent || head || method == "GET"};
  made.what = std::move(request);
  return made;
}

}  // namespace instantstart::net
