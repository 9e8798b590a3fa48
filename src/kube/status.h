// What a Kubernetes API server says in place of an object (metav1.Status), and which of our errors that is.
// Reasons: k8s.io/apimachinery/pkg/apis/meta/v1, type StatusReason.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"

namespace instantstart::kube {

/// metav1.StatusCause.
struct StatusCause {
  std::string reason;   ///< "FieldValueRequired"
  std::string message;  ///< "Required value"
  std::string field;    ///< "spec.containers[0].image"
};

struct Status {
  int code = 0;         ///< The HTTP status.
  std::string reason;   ///< "NotFound"; "" when the server gave none.
  std::string message;  ///< Cleaned and cut to 4 KB: it may quote what others wrote into the cluster.
  std::string kind;     ///< Of what it is about: "pods" or "Pod", as the server says it.
  std::string name;
  std::vector<StatusCause> causes;  ///< At most 100.
  std::optional<milliseconds> retry_after;

  /// The resource version or the continue token is too old: list again. HTTP 410, in both spellings.
  bool expired() const { return code == 410 || reason == "Expired" || reason == "Gone"; }
  /// The name of the admission webhook that refused or could not be asked; "".
  std::string webhook() const;
  /// An admission webhook could not be asked. Nothing was stored: admission comes before it.
  bool webhook_failed() const;
};

/// Total: whatever is missing is empty.
Status to_status(const json::object& object);

/// Of an answer with this HTTP status. A body that is no Status (a proxy's page) gives one without a reason,
/// and with the first 200 bytes of it as the message. `retry_after` is the header's text.
Status read_status(int http_status, std::string_view body, std::string_view retry_after = "");

/// For people and programs. Codes: not_found, name_taken (AlreadyExists), conflict (also Expired: the state
/// moved on), invalid_request (with a problem for each cause), access_denied (Forbidden), credentials_invalid
/// (Unauthorized), rate_limited, unavailable (ServerTimeout, Timeout, ServiceUnavailable, webhook not
/// reachable), body_too_large, method_not_allowed, upstream_error. Detail: "kubernetes_reason", "status",
/// "kind", "name", "webhook"; of a server-side apply conflict "managers".
Error to_error(const Status& status);

/// "spec.containers[0].env[a/b]" → "/spec/containers/0/env/a~1b".
std::string to_pointer(std::string_view field_path);

/// Whether an error of this room came from an expired resource version or continue token.
bool is_expired(const Error& error);

}  // namespace instantstart::kube
