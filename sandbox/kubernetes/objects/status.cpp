#include "sandbox/kubernetes/objects/status.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace instantstart::sandbox::kubernetes {
namespace {

std::string qualified(std::string_view group, std::string_view name) {
  return group.empty() ? std::string(name) : fmt::format("{}.{}", name, group);
}

/// As %q and %v of Go print a value in an error.
std::string printed(const json::value& value) {
  if (const auto* text = value.if_string()) return to_text(json::value(*text));
  if (value.is_null()) return "null";
  return to_text(value);
}

Status status_of(int code, std::string_view reason, std::string message) {
  Status status;
  status.code = code;
  status.reason = reason;
  status.message = std::move(message);
  return status;
}

}  // namespace

json::object to_json(const Status& status) {
  json::object out{{"kind", "Status"},
                   {"apiVersion", "v1"},
                   {"metadata", json::object()},
                   {"status", "Failure"},
                   {"message", status.message}};
  if (!status.reason.empty()) out["reason"] = status.reason;
  json::object details;
  if (!status.name.empty()) details["name"] = status.name;
  if (!status.group.empty()) details["group"] = status.group;
  if (!status.kind.empty()) details["kind"] = status.kind;
  if (!status.causes.empty()) {
    json::array causes;
    for (const auto& cause : status.causes) {
      json::object item{{"reason", cause.reason}, {"message", cause.message}};
      if (!cause.field.empty()) item["field"] = cause.field;
      causes.push_back(std::move(item));
    }
    details["causes"] = std::move(causes);
  }
  if (status.retry_after_seconds) details["retryAfterSeconds"] = *status.retry_after_seconds;
  if (!details.empty()) out["details"] = std::move(details);
  out["code"] = status.code;
  return out;
}

std::unexpected<Status> refuse(Status status) { return std::unexpected(std::move(status)); }

Status bad_request(std::string message) { return status_of(400, "BadRequest", std::move(message)); }

Status not_found(std::string_view group, std::string_view resource, std::string_view name) {
  auto status =
      status_of(404, "NotFound", fmt::format("{} \"{}\" not found", qualified(group, resource), name));
  status.group = group;
  status.kind = resource;
  status.name = name;
  return status;
}

Status already_exists(std::string_view group, std::string_view resource, std::string_view name) {
  auto status = status_of(409, "AlreadyExists",
                          fmt::format("{} \"{}\" already exists", qualified(group, resource), name));
  status.group = group;
  status.kind = resource;
  status.name = name;
  return status;
}

Status conflict(std::string_view group, std::string_view resource, std::string_view name,
                std::string_view why) {
  auto status = status_of(
      409, "Conflict",
      fmt::format("Operation cannot be fulfilled on {} \"{}\": {}", qualified(group, resource), name, why));
  status.group = group;
  status.kind = resource;
  status.name = name;
  return status;
}

Status invalid(std::string_view group, std::string_view kind, std::string_view name, StatusCauses causes) {
  // utilerrors.Aggregate: equal texts once, several in brackets.
  std::vector<std::string> texts;
  for (const auto& cause : causes) {
    auto text = cause.field.empty() ? cause.message : cause.field + ": " + cause.message;
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
  }
  auto message = fmt::format("{} \"{}\" is invalid", qualified(group, kind), name);
  if (texts.size() == 1) message += ": " + texts.front();
  if (texts.size() > 1) message += ": [" + join(texts, ", ") + "]";
  auto status = status_of(422, "Invalid", std::move(message));
  status.group = group;
  status.kind = kind;
  status.name = name;
  status.causes = std::move(causes);
  return status;
}

StatusCause field_required(std::string field, std::string_view why) {
  return {"FieldValueRequired", why.empty() ? "Required value" : fmt::format("Required value: {}", why),
          std::move(field)};
}

StatusCause field_invalid(std::string field, const json::value& value, std::string_view why) {
  return {"FieldValueInvalid", fmt::format("Invalid value: {}: {}", printed(value), why), std::move(field)};
}

StatusCause field_forbidden(std::string field, std::string_view why) {
  return {"FieldValueForbidden", fmt::format("Forbidden: {}", why), std::move(field)};
}

StatusCause field_duplicate(std::string field, const json::value& value) {
  return {"FieldValueDuplicate", fmt::format("Duplicate value: {}", printed(value)), std::move(field)};
}

StatusCause field_not_supported(std::string field, const json::value& value,
                                const std::vector<std::string>& supported) {
  std::vector<std::string> quoted;
  for (const auto& text : supported) quoted.push_back(to_text(json::value(text)));
  std::ranges::sort(quoted);
  return {"FieldValueNotSupported",
          fmt::format("Unsupported value: {}: supported values: {}", printed(value), join(quoted, ", ")),
          std::move(field)};
}

StatusCause field_too_long(std::string field, std::int64_t limit) {
  return {"FieldValueTooLong", fmt::format("Too long: may not be more than {} bytes", limit),
          std::move(field)};
}

StatusCause field_type_invalid(std::string field, const json::value& value, std::string_view why) {
  return {"FieldValueTypeInvalid", fmt::format("Invalid value: {}: {}", printed(value), why),
          std::move(field)};
}

}  // namespace instantstart::sandbox::kubernetes
