#include "sandbox/core/audit.h"

#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace instantstart::sandbox {
namespace {

constexpr std::size_t k_longest_text = 64 * 1024;
constexpr std::size_t k_kept_of_long_text = 256;

void cut_long_texts(json::value& value) {
  if (auto* text = value.if_string(); text && text->size() > k_longest_text) {
    value = fmt::format("{} ({} bytes)", shortened(*text, k_kept_of_long_text), text->size());
  } else if (auto* items = value.if_array()) {
    for (auto& item : *items) cut_long_texts(item);
  } else if (auto* object = value.if_object()) {
    for (auto& member : *object) cut_long_texts(member.value());
  }
}

}  // namespace

json::object without_long_texts(json::object members) {
  for (auto& member : members) cut_long_texts(member.value());
  return members;
}

Type describe(AuditEntry*) {
  using E = AuditEntry;
  return object_type<E>(
      "AuditEntry", "One call, as CloudTrail would tell it.",
      {field<&E::sequence>("sequence", "In commit order, from 1, without gaps."),
       field<&E::at>("at", "RFC 3339, wall time."), field<&E::service>("service", "As botocore names it."),
       field<&E::operation>("operation", "The API's name."),
       field<&E::mutating>("mutating", "The operation is one that changes something."),
       field<&E::principal>("principal", "ARN; empty for an unsigned call."),
       field<&E::access_key_id>("access_key_id", "That signed the call."),
       field<&E::region>("region", "Of the signature."), field<&E::request_id>("request_id", "As answered."),
       field<&E::token>("token", "Idempotency token, if the call carried one.", {.defaulted = true}),
       field<&E::fault>("fault", "The kind of fault that hit the call, if any.", {.defaulted = true}),
       field<&E::request>("request", "In API names."),
       field<&E::error_code>("error_code", "Empty when the call was carried out.", {.defaulted = true}),
       field<&E::response>("response", "In API names; of mutations that were carried out.",
                           {.defaulted = true}),
       field<&E::invoked_by>("invoked_by", "The service that called on the principal's behalf.",
                             {.defaulted = true})});
}

}  // namespace instantstart::sandbox
