#include "sandbox/kubernetes/api/refusals.h"

#include <utility>

#include <fmt/format.h>

namespace instantstart::sandbox::kubernetes {

std::string qualified(std::string_view resource, std::string_view group) {
  return group.empty() ? std::string(resource) : fmt::format("{}.{}", resource, group);
}

json::object success_status(std::string_view name, std::string_view group, std::string_view resource,
                            std::string_view uid) {
  json::object details{{"name", name}};
  if (!group.empty()) details["group"] = group;
  details["kind"] = resource;
  details["uid"] = uid;
  return {{"kind", "Status"},
          {"apiVersion", "v1"},
          {"metadata", json::object{}},
          {"status", "Success"},
          {"details", std::move(details)}};
}

Status no_such_path() {
  return {.code = 404, .reason = "NotFound", .message = "the server could not find the requested resource"};
}

Status modified_meanwhile(std::string_view group, std::string_view resource, std::string_view name) {
  return conflict(group, resource, name,
                  "the object has been modified; please apply your changes to the latest version and try "
                  "again");
}

Status forbidden(std::string_view group, std::string_view resource, std::string_view name,
                 std::string_view why) {
  Status status{.code = 403,
                .reason = "Forbidden",
                .group = std::string(group),
                .kind = std::string(resource),
                .name = std::string(name)};
  if (resource.empty()) {
    status.message = fmt::format("forbidden: {}", why);
  } else if (name.empty()) {
    status.message = fmt::format("{} is forbidden: {}", qualified(resource, group), why);
  } else {
    status.message = fmt::format("{} \"{}\" is forbidden: {}", qualified(resource, group), name, why);
  }
  return status;
}

Status unauthorized() { return {.code = 401, .reason = "Unauthorized", .message = "Unauthorized"}; }

Status expired(std::string message) {
  return {.code = 410, .reason = "Expired", .message = std::move(message)};
}

Status method_not_allowed() {
  return {.code = 405,
          .reason = "MethodNotAllowed",
          .message = "the server does not allow this method on the requested resource"};
}

Status unsupported_media_type(std::string_view accepted) {
  return {.code = 415,
          .reason = "UnsupportedMediaType",
          .message = fmt::format("the body of the request was in an unknown format - accepted media types "
                                 "include: {}",
                                 accepted)};
}

Status not_acceptable() {
  return {.code = 406,
          .reason = "NotAcceptable",
          .message = "only the following media types are accepted: application/json"};
}

Status too_large() {
  return {.code = 413,
          .reason = "RequestEntityTooLarge",
          .message = "Request entity too large: limit is 3145728"};
}

Status internal_fault(std::string_view message) {
  return {.code = 500,
          .reason = "InternalError",
          .message = fmt::format("Internal error occurred: {}", message),
          .causes = {{.reason = {}, .message = std::string(message), .field = {}}}};
}

Status not_implemented(std::string message) {
  return {.code = 501, .reason = "NotImplemented", .message = std::move(message)};
}

Status unavailable(std::string message) {
  return {.code = 503, .reason = "ServiceUnavailable", .message = std::move(message)};
}

Status throttled(std::string message) {
  return {.code = 429, .reason = "TooManyRequests", .message = std::move(message), .retry_after_seconds = 1};
}

Status version_too_large(std::int64_t wanted, std::int64_t current) {
  return {
      .code = 504,
      .reason = "Timeout",
      .message = fmt::format("Timeout: Too large resource version: {}, current: {}", wanted, current),
      .causes = {{.reason = "ResourceVersionTooLarge", .message = "Too large resource version", .field = {}}},
      .retry_after_seconds = 1};
}

}  // namespace instantstart::sandbox::kubernetes
