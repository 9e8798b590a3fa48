// Boost.URL 1.81 is not used: it reads "http://127.0.0.1.evil.example/" as the host 127.0.0.1 with the path
// ".evil.example/".
#include "aws/url.h"

#include <algorithm>
#include <charconv>

#include <arpa/inet.h>

#include "base/text.h"

namespace instantstart::aws {
namespace {

bool is_visible_ascii(char c) { return c > ' ' && c < '\x7f' && c != '\\'; }

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
}

bool is_port(std::string_view text) {
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port >= 1 && port <= 65535;
}

bool is_loopback(const std::string& host) {
  in6_addr v6{};
  if (inet_pton(AF_INET6, host.c_str(), &v6) == 1) return IN6_IS_ADDR_LOOPBACK(&v6);
  // Strict: "127.1" and "0x7f000001" are names here, though some resolvers read them as addresses.
  in_addr v4{};
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return ntohl(v4.s_addr) >> 24 == 127;
  return host == "localhost";
}

struct HostAndPort {
  std::string host;  ///< Without brackets.
  std::string_view port;
  bool bracketed;
};

std::optional<HostAndPort> split_authority(std::string_view authority) {
  HostAndPort parts{.bracketed = authority.starts_with('[')};
  const auto close = parts.bracketed ? authority.find(']') : std::string_view::npos;
  if (parts.bracketed && close == std::string_view::npos) return std::nullopt;
  const auto colon = authority.find(':', parts.bracketed ? close : 0);
  const auto host = authority.substr(0, colon);
  parts.host = to_lower(parts.bracketed ? authority.substr(1, close - 1) : host);
  if (parts.bracketed) {
    in6_addr address{};
    if (host.size() != close + 1 || inet_pton(AF_INET6, parts.host.c_str(), &address) != 1)
      return std::nullopt;
  } else if (parts.host.empty() || !std::ranges::all_of(parts.host, is_name_character)) {
    return std::nullopt;  // also a user's name before "@", and percent-escapes
  }
  if (colon != std::string_view::npos) {
    parts.port = authority.substr(colon + 1);
    if (!is_port(parts.port)) return std::nullopt;
  }
  return parts;
}

}  // namespace

std::optional<UrlParts> parse_url(std::string_view url) {
  if (!std::ranges::all_of(url, is_visible_ascii) || url.contains('#')) return std::nullopt;
  const auto scheme_end = url.find("://");
  if (scheme_end == std::string_view::npos) return std::nullopt;
  UrlParts parts{.scheme = to_lower(url.substr(0, scheme_end))};
  if (parts.scheme != "http" && parts.scheme != "https") return std::nullopt;

  const auto rest = url.substr(scheme_end + 3);
  const auto authority_end = std::min(rest.find_first_of("/?"), rest.size());
  const auto authority = split_authority(rest.substr(0, authority_end));
  if (!authority) return std::nullopt;
  parts.host = authority->host;
  parts.authority = authority->bracketed ? "[" + authority->host + "]" : authority->host;
  const std::string_view own_port = parts.scheme == "https" ? "443" : "80";
  if (!authority->port.empty() && authority->port != own_port)
    parts.authority.append(":").append(authority->port);
  parts.loopback = is_loopback(parts.host);

  const auto target = rest.substr(authority_end);
  const auto question = target.find('?');
  parts.path = target.substr(0, question);
  if (parts.path.empty()) parts.path = "/";
  if (question != std::string_view::npos) parts.query = target.substr(question + 1);
  return parts;
}

}  // namespace instantstart::aws
