// An error is a value: a stable code that programs may branch on, a sentence for people, and what to do next.
// The callee gives the reason; the caller adds context with `within`.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

namespace instantstart {

/// One thing that is wrong with one place of a request. All of them are reported at once.
struct FieldProblem {
  std::string pointer;  ///< RFC 6901 JSON Pointer into the request; "" is the whole of it.
  std::string rule;     ///< lower_snake, stable: "unknown_field", "pattern", "minimum" …
  std::string message;  ///< A sentence fragment: "must match ^[a-z]+$".
  std::string value;    ///< The offending value as JSON, cut to 200 bytes; "[secret]" for secrets.
  std::optional<std::string> nearest;  ///< The nearest allowed name or value, where there is one.

  bool operator==(const FieldProblem&) const = default;
};

/// An action that the caller may take now, ready to be sent.
struct NextAction {
  std::string action;             ///< A name of the action table, "operation_get".
  boost::json::object arguments;  ///< Complete arguments for it.
  std::string why;                ///< "See which steps are left."

  bool operator==(const NextAction&) const = default;
};

struct Error {
  std::string code;  ///< One of error_codes.h, or a capability's own registered code.
  std::string message;
  /// True when the same request may succeed later without a change by the caller.
  bool retryable = false;
  std::optional<std::chrono::milliseconds> retry_after;
  std::vector<FieldProblem> problems;
  std::vector<NextAction> next;
  /// Facts for programs: an AWS code and request id, the name that is taken, an operation id. Never a secret.
  boost::json::object detail;

  bool operator==(const Error&) const = default;
};

/// Puts the caller's context before the reason: "Create cluster 'a': role not found".
Error within(std::string_view context, Error error);

}  // namespace instantstart
