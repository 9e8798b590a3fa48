// What a Kubernetes API server answers instead of an object: meta/v1 Status, with one cause for each field
// that is wrong. The words are Kubernetes' own (apimachinery: api/errors and util/validation/field), since
// clients show and match them.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace instantstart::sandbox::kubernetes {

/// One thing that is wrong with one field. `reason` is a CauseType: FieldValueInvalid, FieldValueRequired …
struct StatusCause {
  std::string reason;
  std::string message;  ///< Without the field: `Invalid value: -1: must be greater than or equal to 0`.
  std::string field;    ///< "spec.containers[0].name".

  bool operator==(const StatusCause&) const = default;
};
using StatusCauses = std::vector<StatusCause>;

/// A refusal. `code` is the HTTP status.
struct Status {
  int code = 500;
  std::string reason;  ///< StatusReason: "Invalid", "Conflict" …
  std::string message;
  std::string group;  ///< details.group; "" in the core group or when no object is meant.
  std::string kind;   ///< details.kind: the kind of an invalid object, the plural of a missing one.
  std::string name;
  StatusCauses causes;
  std::optional<int> retry_after_seconds;

  bool operator==(const Status&) const = default;
};

/// A value or the Status that the client gets.
template <class T = void>
using Outcome = std::expected<T, Status>;

/// {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",…}.
json::object to_json(const Status& status);

std::unexpected<Status> refuse(Status status);

// The refusals of apimachinery's api/errors that objects need.

/// 400 BadRequest.
Status bad_request(std::string message);
/// 404 NotFound: `deployments.apps "a" not found`. `resource` is the plural.
Status not_found(std::string_view group, std::string_view resource, std::string_view name);
/// 409 AlreadyExists: `deployments.apps "a" already exists`.
Status already_exists(std::string_view group, std::string_view resource, std::string_view name);
/// 409 Conflict: `Operation cannot be fulfilled on deployments.apps "a": <why>`.
Status conflict(std::string_view group, std::string_view resource, std::string_view name,
                std::string_view why);
/// 422 Invalid: `Deployment.apps "a" is invalid: spec.replicas: Invalid value: …`; several are put in
/// brackets.
Status invalid(std::string_view group, std::string_view kind, std::string_view name, StatusCauses causes);

// Causes, worded as util/validation/field does. `value` is printed as Kubernetes prints it: "a" quoted, 1,
// {…} as JSON.
StatusCause field_required(std::string field, std::string_view why = "");
StatusCause field_invalid(std::string field, const json::value& value, std::string_view why);
StatusCause field_forbidden(std::string field, std::string_view why);
StatusCause field_duplicate(std::string field, const json::value& value);
StatusCause field_not_supported(std::string field, const json::value& value,
                                const std::vector<std::string>& supported);
StatusCause field_too_long(std::string field, std::int64_t limit);
/// `Invalid value: "x": <field> in body must be of type integer: "string"`, as CRD schemas say it.
StatusCause field_type_invalid(std::string field, const json::value& value, std::string_view why);

}  // namespace instantstart::sandbox::kubernetes
