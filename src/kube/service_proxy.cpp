#include "kube/service_proxy.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/text.h"
#include "kube/json_access.h"
#include "kube/logs.h"
#include "kube/resource_type.h"
#include "kube/streams.h"

namespace instantstart::kube {
namespace {

constexpr std::size_t k_max_status_bytes = std::size_t{64} << 10;
/// Who we are to the API server is not the caller's to say.
constexpr std::array<std::string_view, 5> k_refused_headers{"authorization", "cookie", "impersonate-user",
                                                            "impersonate-group", "impersonate-uid"};

Result<> check_headers(const net::Headers& headers) {
  for (const auto& [name, value] : headers) {
    const std::string lower = to_lower(name);
    if (std::ranges::find(k_refused_headers, lower) != k_refused_headers.end() ||
        lower.starts_with("impersonate-")) {
      return fail(codes::invalid_request, fmt::format("the header {} can't be sent to a Service", lower));
    }
  }
  return {};
}

Result<std::string> proxy_path(const ServiceCall& call) {
  if (!net::parse_path(call.path) || call.path.find_first_of("?#") != std::string::npos) {
    return fail(codes::invalid_request, fmt::format("'{}' can't be a path of a Service",
                                                    shortened(without_controls(call.path), 200)));
  }
  if (call.service.name.contains(':') || call.port.contains(':')) {
    return fail(codes::invalid_request, "a Service's name and port have no colon");
  }
  const ResourceType services{.gvk = {.group = "", .version = "v1", .kind = "Service"}, .plural = "services"};
  ObjectName id = call.service;
  id.name = fmt::format("{}:{}:{}", call.https ? "https" : "http", call.service.name, call.port);
  auto path = object_path(services, id, "proxy");
  if (!path) return path;
  return *path + call.path;
}

/// The API server's own refusals are Status objects; a model server that answered one would be a strange one.
std::optional<Status> own_refusal(int http_status, std::string_view body) {
  const auto parsed = parse_json(body);
  if (!parsed) return std::nullopt;
  const json::object& object = as_object(*parsed);
  const bool is_status = text_at(object, {"kind"}) == "Status" && text_at(object, {"apiVersion"}) == "v1" &&
                         integer_at(object, {"code"}) == http_status;
  if (!is_status) return std::nullopt;
  return to_status(object);
}

}  // namespace

Task<ServiceAnswer> call_service(Connection& connection, ServiceCall call, net::Deadline header_deadline) {
  const auto headers = check_headers(call.headers);
  if (!headers) co_return fail(headers.error());
  auto path = proxy_path(call);
  if (!path) co_return fail(std::move(path.error()));
  ApiRequest request{
      .method = std::move(call.method), .path = std::move(*path), .query = std::move(call.query)};
  request.accept = call.headers.contains("Accept") ? std::string(call.headers.get("Accept")) : "*/*";
  request.more_headers = std::move(call.headers);
  request.more_headers.remove("Accept");
  request.body = std::move(call.body);
  auto opened = co_await connection.open_proxied(std::move(request), header_deadline);
  if (!opened) co_return fail(std::move(opened.error()));
  std::string first;
  if (opened->status >= 400) {
    while (first.size() < k_max_status_bytes) {
      auto piece = co_await next_piece(connection.time(), *opened->body, header_deadline);
      if (!piece) co_return fail(std::move(piece.error()));
      if (!*piece) break;
      first += **piece;
    }
    if (const auto refusal = own_refusal(opened->status, first)) co_return fail(to_error(*refusal));
  }
  co_return ServiceAnswer{.status = opened->status,
                          .headers = std::move(opened->headers),
                          .body = in_pieces(std::move(opened->body), k_max_piece_bytes, std::move(first))};
}

}  // namespace instantstart::kube
