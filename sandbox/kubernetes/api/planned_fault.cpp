#include "sandbox/kubernetes/api/planned_fault.h"

#include <utility>

#include "sandbox/kubernetes/api/policy_rule.h"
#include "sandbox/kubernetes/api/refusals.h"

#include <fmt/format.h>

namespace instantstart::sandbox::kubernetes {
namespace {

bool holds_secrets(const RequestInfo& info) {
  return info.resource == "secrets" || info.resource == "tokenreviews" || info.subresource == "token";
}

}  // namespace

json::object request_record(const ApiCall& call) {
  json::object record{{"cluster", call.cluster}};
  if (!call.info.namespace_name.empty()) record["namespace"] = call.info.namespace_name;
  if (!call.info.name.empty()) record["name"] = call.info.name;
  const auto query = call.request.query();
  if (!query.empty()) record["query"] = query;
  if (!call.info.mutates() || call.request.body.empty() || holds_secrets(call.info)) return record;
  auto body = parse_json(call.request.body, {.max_bytes = 4 * 1024 * 1024, .max_depth = 200});
  if (body) record["body"] = std::move(*body);
  return record;
}

std::optional<Status> planned_refusal(const FaultRule& rule, const ApiCall& call) {
  const std::string message = rule.message.value_or("The fault plan says so.");
  switch (rule.kind) {
    case FaultKind::error:
      return Status{.code = rule.status.value_or(400), .reason = rule.code.value_or(""), .message = message};
    case FaultKind::throttle:
      return throttled(rule.message.value_or(
          "The apiserver is currently overloaded, too many requests, please try again later."));
    case FaultKind::server_error: return internal_fault(message);
    case FaultKind::expired_credentials: return unauthorized();
    case FaultKind::access_denied:
      return forbidden(call.info.group, call.info.resource, call.info.name,
                       fmt::format("User \"{}\" {}", call.who.username, cannot(attributes_of(call.info))));
    case FaultKind::drop_request:
    case FaultKind::drop_reply:
    case FaultKind::late_reply:
    case FaultKind::slow:
    case FaultKind::resource_failure: break;
  }
  return std::nullopt;
}

}  // namespace instantstart::sandbox::kubernetes
