#include "faces/web/web.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error_codes.h"
#include "base/text.h"
#include "faces/http/answer.h"

namespace instantstart::faces {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> k_types{{
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".svg", "image/svg+xml"},
}};

/// Our own files and our own server, and no way to make markup or script of a text.
constexpr std::string_view k_page_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'";

/// RFC 9110 13.1.2: weak comparison.
bool has_it(const net::Request& request, std::string_view etag) {
  for (const std::string_view part : split(request.headers.get("If-None-Match"), ',')) {
    std::string_view known = trim(part);
    if (known == "*") return true;
    if (known.starts_with("W/")) known.remove_prefix(2);
    if (known == etag) return true;
  }
  return false;
}

void add_page_headers(net::Headers& headers) {
  headers.set("Content-Security-Policy", std::string(k_page_policy));
  headers.set("X-Frame-Options", "DENY");
  headers.set("Cross-Origin-Opener-Policy", "same-origin");
  headers.set("Cross-Origin-Resource-Policy", "same-origin");
  headers.set("Permissions-Policy", "camera=(), geolocation=(), microphone=()");
}

}  // namespace

std::string_view content_type_of(std::string_view path) {
  if (path == "/") return k_types.front().second;
  const auto found =
      std::ranges::find_if(k_types, [&](const auto& type) { return path.ends_with(type.first); });
  return found == k_types.end() ? "application/octet-stream" : found->second;
}

net::Response serve_file(const EmbeddedFile& file, const net::Request& request,
                         const std::string& request_id) {
  if (request.method != "GET" && request.method != "HEAD") {
    const Error error{.code = std::string(codes::method_not_allowed), .message = "Use GET."};
    net::Response response = problem_response(error, request_id);
    response.headers.set("Allow", "GET, HEAD");
    return response;
  }
  const std::string_view type = content_type_of(file.path);
  const bool is_document = type.starts_with("text/html");
  net::Response response;
  response.headers.set("Cache-Control", is_document ? "no-store" : "no-cache");
  if (!is_document) response.headers.set("ETag", std::string(file.etag));
  add_common_headers(response.headers, request_id);
  add_page_headers(response.headers);
  if (!is_document && has_it(request, file.etag)) {
    response.status = 304;
    return response;
  }
  response.headers.set("Content-Type", std::string(type));
  response.body = std::string(file.bytes.begin(), file.bytes.end());
  return response;
}

}  // namespace instantstart::faces
