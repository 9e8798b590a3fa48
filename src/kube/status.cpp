#include "kube/status.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/text.h"
#include "kube/json_access.h"

namespace instantstart::kube {
namespace {

constexpr std::size_t k_max_message = 4096;
constexpr std::size_t k_max_page = 200;
constexpr std::size_t k_max_causes = 100;
constexpr std::size_t k_max_status_bytes = std::size_t{1} << 20;

std::string cleaned(std::string_view text, std::size_t most) {
  return shortened(without_controls(shortened(text, 2 * most)), most);
}

struct ReasonCode {
  std::string_view reason;
  std::string_view code;
};

constexpr auto k_reasons = std::to_array<ReasonCode>({
    {"AlreadyExists", codes::name_taken},
    {"BadRequest", codes::invalid_request},
    {"Conflict", codes::conflict},
    {"Expired", codes::conflict},
    {"Forbidden", codes::access_denied},
    {"Gone", codes::conflict},
    {"Invalid", codes::invalid_request},
    {"MethodNotAllowed", codes::method_not_allowed},
    {"NotAcceptable", codes::not_acceptable},
    {"NotFound", codes::not_found},
    {"RequestEntityTooLarge", codes::body_too_large},
    {"ServerTimeout", codes::unavailable},
    {"ServiceUnavailable", codes::unavailable},
    {"Timeout", codes::unavailable},
    {"TooManyRequests", codes::rate_limited},
    {"Unauthorized", codes::credentials_invalid},
    {"UnsupportedMediaType", codes::unsupported_media_type},
});

/// For answers without a known reason.
std::string_view code_of_http(int status) {
  switch (status) {
    case 400:
    case 422: return codes::invalid_request;
    case 401: return codes::credentials_invalid;
    case 403: return codes::access_denied;
    case 404: return codes::not_found;
    case 405: return codes::method_not_allowed;
    case 406: return codes::not_acceptable;
    case 409:
    case 410:
    case 412: return codes::conflict;
    case 413: return codes::body_too_large;
    case 415: return codes::unsupported_media_type;
    case 429: return codes::rate_limited;
    case 502:
    case 503:
    case 504: return codes::unavailable;
    default: return codes::upstream_error;
  }
}

/// The schema check of server-side apply fails with status 500 and no reason (apimachinery, managedfields),
/// though the object is at fault.
bool is_schema_failure(const Status& status) {
  return status.message.contains("failed to create typed patch object");
}

/// Admission says "forbidden" of more than rights.
std::string_view code_of_forbidden(const Status& status) {
  if (status.message.contains("exceeded quota:")) return codes::quota_exceeded;
  const bool terminating = std::ranges::any_of(
      status.causes, [](const StatusCause& cause) { return cause.reason == "NamespaceTerminating"; });
  return terminating ? codes::conflict : codes::access_denied;
}

std::string_view code_of(const Status& status) {
  if (is_schema_failure(status)) return codes::invalid_request;
  if (status.webhook_failed()) return codes::unavailable;
  if (status.reason == "Forbidden") return code_of_forbidden(status);
  const auto known = std::ranges::find(k_reasons, status.reason, &ReasonCode::reason);
  return known != k_reasons.end() ? known->code : code_of_http(status.code);
}

struct CauseRule {
  std::string_view reason;
  std::string_view rule;
};

/// Types of metav1.CauseType and of field.ErrorType, in the words of our own rules.
constexpr auto k_rules = std::to_array<CauseRule>({
    {"FieldManagerConflict", "field_manager_conflict"},
    {"FieldValueDuplicate", "duplicate"},
    {"FieldValueForbidden", "forbidden"},
    {"FieldValueInvalid", "value"},
    {"FieldValueNotFound", "not_found"},
    {"FieldValueNotSupported", "enum"},
    {"FieldValueRequired", "required"},
    {"FieldValueTooLong", "max_length"},
    {"FieldValueTooMany", "max_items"},
    {"FieldValueTypeInvalid", "type"},
});

FieldProblem to_problem(const StatusCause& cause) {
  const auto known = std::ranges::find(k_rules, cause.reason, &CauseRule::reason);
  return {.pointer = to_pointer(cause.field),
          .rule = std::string(known != k_rules.end() ? known->rule : "value"),
          .message = cause.message};
}

/// The text between the quotes that follow `mark`, and where it ends; "" when there is none.
std::string_view quoted_after(std::string_view text, std::size_t at) {
  const auto begin = text.find('"', at);
  if (begin == std::string_view::npos) return {};
  const auto end = text.find('"', begin + 1);
  return end == std::string_view::npos ? std::string_view() : text.substr(begin + 1, end - begin - 1);
}

void add_strict_problems(std::string_view message, std::string_view mark, std::string_view rule,
                         std::string_view what, std::vector<FieldProblem>& problems) {
  for (auto at = message.find(mark); at != std::string_view::npos && problems.size() < k_max_causes;
       at = message.find(mark, at + 1)) {
    problems.push_back({.pointer = to_pointer(quoted_after(message, at)),
                        .rule = std::string(rule),
                        .message = std::string(what)});
  }
}

/// Strict field validation answers in prose: `strict decoding error: unknown field "spec.a", …` on create and
/// patch; `.spec.a: field not declared in schema` on server-side apply.
std::vector<FieldProblem> strict_problems(std::string_view message) {
  std::vector<FieldProblem> problems;
  add_strict_problems(message, "unknown field \"", "unknown_field", "is not a field of this kind", problems);
  add_strict_problems(message, "duplicate field \"", "duplicate", "is there twice", problems);
  constexpr std::string_view undeclared = ": field not declared in schema";
  for (auto at = message.find(undeclared); at != std::string_view::npos && problems.size() < k_max_causes;
       at = message.find(undeclared, at + 1)) {
    const auto before = message.substr(0, at);
    const auto begin = before.find_last_of(" \n");
    problems.push_back(
        {.pointer = to_pointer(begin == std::string_view::npos ? before : before.substr(begin + 1)),
         .rule = "unknown_field",
         .message = "is not a field of this kind"});
  }
  return problems;
}

/// Who owns the fields that an apply wanted: `conflict with "alice" using apps/v1`.
json::array managers(const Status& status) {
  json::array names;
  for (const StatusCause& cause : status.causes) {
    if (cause.reason != "FieldManagerConflict") continue;
    const json::value name(json::string(quoted_after(cause.message, 0)));
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

}  // namespace

std::string Status::webhook() const {
  for (const std::string_view mark : {"admission webhook \"", "failed calling webhook \""}) {
    if (const auto at = message.find(mark); at != std::string::npos)
      return std::string(quoted_after(message, at));
  }
  return "";
}

bool Status::webhook_failed() const { return code >= 500 && message.contains("failed calling webhook \""); }

Status to_status(const json::object& object) {
  Status status{
      .code = static_cast<int>(std::clamp<std::int64_t>(integer_at(object, {"code"}).value_or(0), 0, 999)),
      .reason = cleaned(text_at(object, {"reason"}), 64),
      .message = cleaned(text_at(object, {"message"}), k_max_message),
      .kind = cleaned(text_at(object, {"details", "kind"}), 256),
      .name = cleaned(text_at(object, {"details", "name"}), 256)};
  for (const json::value& item : array_at(object, {"details", "causes"})) {
    if (status.causes.size() == k_max_causes) break;
    const json::object& cause = as_object(item);
    status.causes.push_back({.reason = cleaned(text_at(cause, {"reason"}), 64),
                             .message = cleaned(text_at(cause, {"message"}), 1024),
                             .field = cleaned(text_at(cause, {"field"}), 512)});
  }
  const auto wait = integer_at(object, {"details", "retryAfterSeconds"}).value_or(0);
  if (wait > 0) status.retry_after = std::chrono::seconds(std::min<std::int64_t>(wait, 3600));
  return status;
}

Status read_status(int http_status, std::string_view body, std::string_view retry_after) {
  Status status{.code = http_status};
  const auto parsed = parse_json(body, {.max_bytes = k_max_status_bytes});
  if (parsed && text_at(as_object(*parsed), {"kind"}) == "Status") {
    status = to_status(as_object(*parsed));
    status.code = http_status;
  } else {
    status.message = cleaned(body, k_max_page);
  }
  unsigned wait = 0;
  const auto [end, error] =
      std::from_chars(retry_after.data(), retry_after.data() + retry_after.size(), wait);
  if (error == std::errc() && end == retry_after.data() + retry_after.size() && !retry_after.empty()) {
    status.retry_after = std::chrono::seconds(std::min(wait, 3600U));
  }
  return status;
}

Error to_error(const Status& status) {
  Error error{.code = std::string(code_of(status))};
  error.message = status.message.empty() ? fmt::format("Kubernetes answered with status {}", status.code)
                                         : status.message;
  error.retryable = error_code_info(error.code).retryable;
  error.retry_after = status.retry_after;
  for (const StatusCause& cause : status.causes) {
    if (!cause.field.empty()) error.problems.push_back(to_problem(cause));
  }
  if (error.problems.empty() && error.code == codes::invalid_request) {
    error.problems = strict_problems(status.message);
  }
  error.detail["status"] = status.code;
  if (!status.reason.empty()) error.detail["kubernetes_reason"] = status.reason;
  if (!status.kind.empty()) error.detail["kind"] = status.kind;
  if (!status.name.empty()) error.detail["name"] = status.name;
  if (const auto webhook = status.webhook(); !webhook.empty()) error.detail["webhook"] = webhook;
  if (auto names = managers(status); !names.empty()) {
    error.detail["managers"] = std::move(names);
    error.retryable = false;  // the other manager still owns the fields the next time
  }
  return error;
}

std::string to_pointer(std::string_view path) {
  std::string pointer;
  while (!path.empty()) {
    if (path.front() == '.') {
      path.remove_prefix(1);
    } else if (path.front() == '[') {
      const auto end = std::min(path.find(']'), path.size());
      pointer = join_pointer(pointer, path.substr(1, end - 1));
      path.remove_prefix(std::min(end + 1, path.size()));
    } else {
      const auto end = std::min(path.find_first_of(".["), path.size());
      pointer = join_pointer(pointer, path.substr(0, end));
      path.remove_prefix(end);
    }
  }
  return pointer;
}

bool is_expired(const Error& error) {
  const json::value* reason = error.detail.if_contains("kubernetes_reason");
  const std::string_view text = reason ? as_text(*reason) : "";
  if (text == "Expired" || text == "Gone") return true;
  const json::value* status = error.detail.if_contains("status");
  return status && status->is_int64() && status->get_int64() == 410;
}

}  // namespace instantstart::kube
