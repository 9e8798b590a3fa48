// What the server says of itself: health, version, discovery, types.
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "sandbox/kubernetes/api/discovery.h"
#include "sandbox/kubernetes/api/refusals.h"
#include "sandbox/kubernetes/api/rest.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::string_view k_aggregated =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

bool wants_aggregated(std::string_view accept) {
  for (const auto one : split(accept, ',')) {
    bool as = false;
    bool version = false;
    for (const auto part : split(one, ';')) {
      as = as || trim(part) == "as=APIGroupDiscoveryList";
      version = version || trim(part) == "v=v2";
    }
    if (as && version) return trim(one).starts_with("application/json");
  }
  return false;
}

net::Response text_response(std::string text) {
  return {.headers = {{"Content-Type", "text/plain; charset=utf-8"}, {"Cache-Control", "no-cache, private"}},
          .body = std::move(text)};
}

Outcome<net::Response> found(json::object document) {
  if (document.empty()) return refuse(no_such_path());
  return json_response(200, document);
}

bool is_health(std::string_view piece) { return piece == "healthz" || piece == "livez" || piece == "readyz"; }

}  // namespace

Outcome<net::Response> Rest::about_the_server(const ApiCall& call) {
  std::vector<std::string_view> pieces;
  for (const auto piece : split(call.info.path, '/')) {
    if (!piece.empty()) pieces.push_back(piece);
  }
  if (call.request.method != "GET" && call.request.method != "HEAD") return refuse(method_not_allowed());
  if (pieces.empty()) {
    return json_response(
        200, json::object{{"paths", json::array{"/api", "/api/v1", "/apis", "/healthz", "/livez",
                                                "/openapi/v2", "/openapi/v3", "/readyz", "/version"}}});
  }
  const auto first = pieces.front();
  if (is_health(first)) return text_response("ok");
  if (first == "version" && pieces.size() == 1) {
    return json_response(200, version_info(*parts_.store.find_cluster(call.cluster)));
  }
  if (first == "api" || first == "apis") return discover(call, pieces);
  if (first == "openapi" && pieces.size() >= 2) return describe_types(call, pieces);
  return refuse(no_such_path());
}

Outcome<net::Response> Rest::discover(const ApiCall& call, const std::vector<std::string_view>& pieces) {
  const auto& types = parts_.types.all(call.cluster);
  const bool core = pieces.front() == "api";
  if (pieces.size() == 1 && wants_aggregated(call.request.headers.get("Accept"))) {
    net::Response response = json_response(200, aggregated(types, core));
    response.headers.set("Content-Type", std::string(k_aggregated));
    return response;
  }
  if (core) {
    if (pieces.size() == 1) return json_response(200, core_versions());
    return pieces.size() == 2 ? found(resource_list(types, "", pieces[1])) : refuse(no_such_path());
  }
  if (pieces.size() == 1) return json_response(200, group_list(types));
  if (pieces.size() == 2) return found(group_of(types, pieces[1]));
  return pieces.size() == 3 ? found(resource_list(types, pieces[1], pieces[2])) : refuse(no_such_path());
}

Outcome<net::Response> Rest::describe_types(const ApiCall& call,
                                            const std::vector<std::string_view>& pieces) {
  // Clients that prefer protobuf and would take JSON say so in further entries.
  const auto accept = call.request.headers.get("Accept");
  if (!accept.empty() && !negotiate(accept)) return refuse(not_acceptable());
  if (pieces[1] == "v2" && pieces.size() == 2) {
    auto text = parts_.open_api.version_2(call.cluster);
    if (!text) return refuse(internal_fault(text.error().message));
    net::Response response{.headers = {{"Content-Type", "application/json"}}};
    response.body = std::move(*text);
    return response;
  }
  if (pieces[1] != "v3") return refuse(no_such_path());
  if (pieces.size() == 2) {
    return json_response(200, parts_.open_api.index(call.cluster, fmt::format("/clusters/{}", call.cluster)));
  }
  std::string path;
  for (std::size_t i = 2; i < pieces.size(); ++i) {
    if (!path.empty()) path += '/';
    path += pieces[i];
  }
  auto document = parts_.open_api.document(call.cluster, path);
  if (!document) return refuse(internal_fault(document.error().message));
  if (!*document) return refuse(no_such_path());
  const std::string tag = fmt::format("\"{}\"", (*document)->hash);
  net::Response response{.headers = {{"Content-Type", "application/json"}, {"Etag", tag}}};
  if (call.request.headers.get("If-None-Match") == tag) {
    response.status = 304;
    return response;
  }
  response.body = (*document)->text;
  return response;
}

}  // namespace instantstart::sandbox::kubernetes
