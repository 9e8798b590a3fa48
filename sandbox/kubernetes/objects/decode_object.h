// From a request's bytes to an object of a known type, as the server's strict decoder does it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "sandbox/kubernetes/objects/schema.h"
#include "sandbox/kubernetes/objects/status.h"

namespace instantstart::sandbox::kubernetes {

/// The `fieldValidation` parameter. What a server does without it is `warn`.
enum class FieldValidation { ignore, warn, strict };

/// Error 400 for other words. "" is `warn`.
Outcome<FieldValidation> parse_field_validation(std::string_view text);

/// The largest body that is read, bytes (apiserver: MaxRequestBodyBytes, 3 MiB).
inline constexpr std::size_t k_max_body = 3 * 1024 * 1024;

struct DecodedObject {
  json::object object;                ///< Of built-in kinds without the unknown fields.
  std::vector<std::string> warnings;  ///< For `Warning: 299 - "…"` headers: `unknown field "spec.foo"`.
};

/// JSON text with the keys that stand twice in one object, in kube's words: `duplicate field
/// "spec.replicas"`. The last one counts. Error: 400.
struct JsonWithDuplicates {
  json::value value;
  std::vector<std::string> duplicates;
};
Outcome<JsonWithDuplicates> parse_body(std::string_view text);

/// Decodes a whole object. Errors are 400 BadRequest: `…strict decoding error: unknown field "spec.foo"`,
/// `json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32`. Custom
/// resources keep type errors for `validate_create` (422) and unknown fields for `prune`.
Outcome<DecodedObject> decode_object(std::string_view text, const ObjectSchema& schema,
                                     FieldValidation validation);

/// The same for a value that was parsed before: the result of a patch.
Outcome<DecodedObject> check_fields(json::object object, const ObjectSchema& schema,
                                    FieldValidation validation, std::vector<std::string> duplicates = {});

/// Only the fields that the type knows. Of custom resources: what pruning keeps. Built-in objects are treated
/// alike.
json::object prune(json::object object, const ObjectSchema& schema);

}  // namespace instantstart::sandbox::kubernetes
