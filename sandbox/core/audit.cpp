#include "sandbox/core/audit.h"

namespace instantstart::sandbox {

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
                           {.defaulted = true})});
}

}  // namespace instantstart::sandbox
