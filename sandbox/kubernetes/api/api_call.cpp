#include "sandbox/kubernetes/api/api_call.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/api/refusals.h"
#include "sandbox/kubernetes/objects/decode_object.h"

namespace instantstart::sandbox::kubernetes {

Attributes attributes_of(const RequestInfo& info) {
  return {.is_resource = info.is_resource,
          .verb = info.verb,
          .group = info.group,
          .resource = info.resource,
          .subresource = info.subresource,
          .namespace_name = info.namespace_name,
          .name = info.name,
          .path = info.path};
}

net::Response json_response(int status, const json::value& body) {
  return {.status = status,
          .headers = {{"Content-Type", "application/json"}, {"Cache-Control", "no-cache, private"}},
          .body = to_text(body)};
}

net::Response fault_response(const Status& fault) {
  Status shown = fault;
  std::string go_on;  // A list that expired says in its metadata how to go on (listing.cpp).
  std::erase_if(shown.causes, [&](const StatusCause& cause) {
    if (cause.reason != "Continue") return false;
    go_on = cause.message;
    return true;
  });
  json::object body = to_json(shown);
  if (!go_on.empty()) metadata_of(body)["continue"] = go_on;
  net::Response response = json_response(fault.code, body);
  if (fault.retry_after_seconds)
    response.headers.set("Retry-After", std::to_string(*fault.retry_after_seconds));
  return response;
}

void add_warnings(net::Response& response, const std::vector<std::string>& warnings) {
  for (const auto& warning : warnings) {
    std::string quoted;
    for (const char c : without_controls(warning)) {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c == '\n' || c == '\t' ? ' ' : c;
    }
    response.headers.add("Warning", fmt::format("299 - \"{}\"", quoted));
  }
}

Outcome<> check_content_type(const ApiCall& call) {
  const auto given = call.request.headers.get("Content-Type");
  const auto type = trim(given.substr(0, given.find(';')));
  if (type.empty() || type == "application/json") return {};
  return refuse(unsupported_media_type("application/json"));
}

Outcome<json::object> body_object(const ApiCall& call) {
  if (trim(call.request.body).empty()) return json::object{};
  if (auto fine = check_content_type(call); !fine) return std::unexpected(fine.error());
  auto parsed = parse_body(call.request.body);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  if (!parsed->value.is_object()) return refuse(bad_request("the body of the request is no object"));
  return std::move(parsed->value.get_object());
}

}  // namespace instantstart::sandbox::kubernetes
