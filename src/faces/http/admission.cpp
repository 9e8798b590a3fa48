#include "faces/http/admission.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/error_codes.h"
#include "base/text.h"

namespace instantstart::faces {
namespace {

bool is_port(std::string_view text) {
  return !text.empty() && text.size() <= 5 &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

Result<> admit_host(const AdmissionRules& rules, const net::Request& request) {
  const std::string_view host = request.headers.get("Host");
  // A forwarded port may differ from ours, so any port will do; but only for a peer on this machine.
  if (is_loopback_host(host) && request.peer.loopback) return {};
  if (std::ranges::find(rules.allowed_hosts, host) != rules.allowed_hosts.end()) return {};
  return fail(codes::bad_host, fmt::format("The host '{}' is not served here; see --allowed-host.",
                                           shortened(without_controls(host), 120)));
}

/// A link to the page itself, as a chat or a terminal in the browser shows it: the page is the same for
/// everybody and nothing is done by opening it. Not into a frame.
bool opens_the_page(const net::Request& request) {
  return request.method == "GET" && request.path() == "/" &&
         request.headers.get("Sec-Fetch-Mode") == "navigate" &&
         request.headers.get("Sec-Fetch-Dest") == "document" && request.headers.count("Origin") == 0;
}

Result<> admit_origin(const net::Request& request) {
  if (opens_the_page(request)) return {};
  const std::string_view site = request.headers.get("Sec-Fetch-Site");
  if (!site.empty() && site != "same-origin" && site != "none") {
    return fail(codes::bad_origin, "Requests from pages of other sites are refused.");
  }
  if (request.headers.count("Origin") == 0) return {};
  const std::string_view origin = request.headers.get("Origin");
  const std::string_view host = request.headers.get("Host");
  // TLS ends in front of us, where it ends at all; loopback is plain.
  const std::string_view scheme = is_loopback_host(host) ? "http://" : "https://";
  if (request.headers.count("Origin") == 1 && origin == fmt::format("{}{}", scheme, host)) return {};
  return fail(codes::bad_origin, "Requests from other origins are refused.");
}

Result<> admit_content(const net::Request& request) {
  if (request.method == "OPTIONS") {
    return fail(codes::method_not_allowed, "OPTIONS is not answered: no other origin may call.");
  }
  if (request.body.empty() && !request.headers.contains("Content-Type")) return {};
  std::string_view type = request.headers.get("Content-Type");
  type = trim(type.substr(0, type.find(';')));
  if (to_lower(type) == "application/json") return {};
  return fail(codes::unsupported_media_type, "Send the body as application/json.");
}

}  // namespace

bool is_loopback_host(std::string_view host) {
  for (const std::string_view name : {"localhost", "127.0.0.1", "[::1]"}) {
    if (host == name) return true;
    if (host.starts_with(name) && host[name.size()] == ':' && is_port(host.substr(name.size() + 1)))
      return true;
  }
  return false;
}

Result<> admit(const AdmissionRules& rules, const net::Request& request) {
  if (auto host = admit_host(rules, request); !host) return host;
  if (auto origin = admit_origin(request); !origin) return origin;
  return admit_content(request);
}

}  // namespace instantstart::faces
