// The one way into the product: every face hands an action's name and arguments to the dispatcher. Roles,
// strict decoding, confirmation and idempotency live here, so they hold for the browser, the script and the
// agent alike.
#pragma once

#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "access/confirmation_store.h"
#include "access/selection_store.h"
#include "base/log.h"
#include "contract/action.h"
#include "operations/engine.h"

namespace instantstart::access {

struct Invocation {
  std::string action;
  json::object arguments;  ///< Path, query and body members together.
  bool scalars_from_text =
      false;  ///< The face carries text only (query strings) or its callers send numbers as strings.
};

struct Answer {
  int status = 200;  ///< HTTP's, from the kind of answer.
  json::value body;  ///< Of the action's response type, secrets left out.
};

/// Loop thread only.
class Dispatcher {
 public:
  Dispatcher(const contract::ActionTable& actions, operations::Engine& engine,
             ConfirmationStore& confirmations, AnswerStore& answers, SelectionStore& selections, Log log);

  /// Errors: `not_found` (no such action, with the nearest), `forbidden`, `invalid_request` with all problems
  /// at once, `confirm_token_invalid`, `token_reused`, `operation_conflict`, and whatever the handler
  /// answers.
  Task<Answer> call(contract::Caller caller, Invocation invocation);

 private:
  struct Decoded;
  static std::optional<std::string> token_of(const contract::ChangeOptions& options);
  /// Names the caller's selected cluster where the arguments name none. True when it did.
  Task<bool> name_selected_cluster(const contract::Action& action, std::string principal,
                                   json::object& arguments);
  Task<Answer> call_local(const contract::Action& action, contract::Caller caller, Decoded decoded);
  Task<Answer> call_change(const contract::Action& action, contract::Caller caller, Decoded decoded);
  Task<Answer> start(const contract::Action& action, contract::Caller caller, Decoded decoded,
                     contract::Plan plan, operations::StartRequest request);

  const contract::ActionTable& actions_;
  operations::Engine& engine_;
  ConfirmationStore& confirmations_;
  AnswerStore& answers_;
  SelectionStore& selections_;
  Log log_;
};

}  // namespace instantstart::access
