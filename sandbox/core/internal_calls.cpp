#include "sandbox/core/internal_calls.h"

#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "aws/protocols/api_json.h"

namespace instantstart::sandbox {
namespace {

/// In the words of IAM's own refusals, which every service passes on.
AwsFault planned_fault(const FaultRule& rule, const aws::OperationInfo& operation, const Call& call) {
  if (rule.kind == FaultKind::access_denied) {
    return {.code = "AccessDenied",
            .message = fmt::format("User: {} is not authorized to perform: {}:{}", call.principal_arn,
                                   operation.service->signing_name, operation.name),
            .http_status = 403};
  }
  return {.code = rule.code.value_or(""), .message = rule.message.value_or("The fault plan says so.")};
}

}  // namespace

void InternalCalls::add(Service& service) {
  if (!services_.emplace(std::string(service.info().name), &service).second) {
    throw std::logic_error(fmt::format("{} stands twice", service.info().name));
  }
}

Reply<aws::ShapeValue> InternalCalls::answer(const aws::OperationInfo& operation, Call call,
                                             const void* input) {
  const auto found = services_.find(operation.service->name);
  if (found == services_.end()) {
    throw std::logic_error(fmt::format("nothing simulates {}", operation.service->name));
  }
  call.request_id = world_.make_request_id();
  const json::object request = aws::to_api_json(*operation.input, input);
  const auto rule = faults_.hit(operation.service->name, operation.name, request, call.invoked_by);
  if (rule && rule->kind == FaultKind::resource_failure) {
    call.fails_later = {.code = rule->code.value_or(""),
                        .message = rule->message.value_or("The fault plan says so.")};
  }
  auto reply = rule && rule->kind != FaultKind::resource_failure
                   ? Reply<aws::ShapeValue>(std::unexpected(planned_fault(*rule, operation, call)))
                   : found->second->answer_now(operation, call, input);
  AuditEntry entry{.at = to_rfc3339(world_.now()),
                   .service = std::string(operation.service->name),
                   .operation = std::string(operation.name),
                   .mutating = !operation.read_only,
                   .principal = call.principal_arn,
                   .access_key_id = {},
                   .region = call.region,
                   .request_id = call.request_id,
                   .request = without_long_texts(request),
                   .invoked_by = call.invoked_by};
  if (rule) entry.fault = fault_kind_name(rule->kind);
  if (!reply) entry.error_code = reply.error().code;
  if (reply && entry.mutating) {
    entry.response = without_long_texts(aws::to_api_json(*operation.output, reply->get()));
  }
  world_.note(std::move(entry));
  return reply;
}

}  // namespace instantstart::sandbox
