// The one flat answer of every change, whatever it changes, and the members that every change takes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/describe.h"
#include "base/error.h"
#include "contract/plan.h"

namespace instantstart::contract {

enum class ChangeStatus {
  planned,           ///< dry_run: nothing was started. HTTP 200.
  started,           ///< A new operation runs. 202.
  joined,            ///< The same request runs or ran already; this is its operation. 202.
  confirm_required,  ///< Look at the plan, then repeat with confirm_token. 409.
  done,              ///< A local change: it is made. 200.
};

struct ChangeAnswer {
  ChangeStatus status = ChangeStatus::planned;
  std::optional<std::string> operation_id;
  std::optional<Plan> plan;
  std::optional<std::string> confirm_token;  ///< Shown to the asker alone; expires after 300 s.
  std::optional<bool> replayed;              ///< True when client_token or confirm_token was seen before.
  std::optional<std::string> started_by;     ///< joined: the principal that started it.
  std::optional<std::string> cluster;        ///< The cluster that was meant, by key.
  std::vector<NextAction> next;
};

/// Members that every action but a read takes, beside its own.
struct ChangeOptions {
  std::optional<bool> dry_run;
  std::optional<std::string> client_token;  ///< 1–128 printable ASCII characters, the caller's own.
  std::optional<std::string> confirm_token;
};

/// Members that every list takes.
struct PageOptions {
  std::int32_t limit = 100;  ///< 1–1000
  std::optional<std::string> cursor;
};

Type describe(ChangeStatus*);
Type describe(ChangeAnswer*);
Type describe(ChangeOptions*);
Type describe(PageOptions*);

int http_status(ChangeStatus status);

}  // namespace instantstart::contract

namespace instantstart {
Type describe(NextAction*);
Type describe(FieldProblem*);
}  // namespace instantstart
