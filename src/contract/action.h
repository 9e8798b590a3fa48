// An action: one capability with its types, texts and rules. REST routes, MCP tools, CLI commands, OpenAPI,
// the UI's client and the reference docs are derived from the table of actions; nobody writes one of them by
// hand.
//
//   read_action<OperationGet, OperationView>(
//       {.name = "operation_get", .path = "/operations/{operation_id}", .summary = "One operation, its
//       steps."},
//       [&engine](Caller caller, OperationGet request) -> Task<OperationView> { … })
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <boost/json/object.hpp>

#include "base/decode.h"
#include "base/describe.h"
#include "contract/answers.h"
#include "contract/caller.h"
#include "contract/plan.h"
#include "net/task.h"

namespace instantstart::contract {

enum class Effect {
  read,
  local,    ///< Changes only our own store: immediate, no operation.
  change,   ///< Starts an operation.
  destroy,  ///< Starts an operation that takes something away, at worst.
};

/// The words of an action's row.
struct ActionSpec {
  std::string name;     ///< noun_verb, at most 40 characters; the MCP tool, the CLI command, the operationId
  std::string path;     ///< Under /api/v1: "/clusters/{cluster}/groups"; names in braces are request members.
  std::string summary;  ///< One line, at most 80 characters.
  std::string doc;      ///< For agents: when to use it, what it does not do, what to do next.
  Effect effect = Effect::read;
  std::string method;  ///< Empty: GET for reads, POST else. DELETE, PUT or PATCH where that is what it means.
  /// change, destroy: the read that tells whether it is complete ("operation_get"). Local ones may have it.
  std::string status_action;
  std::string operation_kind;      ///< change, destroy: the kind that its plan has.
  Role least_role = Role::viewer;  ///< Raised to operator by anything but a read.
  bool paged = false;              ///< Takes limit and cursor; the response has next_cursor.
  /// A read of a text that grows: the answer has `text`, `next_offset` and `ended`, the request `offset` and
  /// `wait_seconds`. The command line follows it with --follow.
  bool follows = false;
  /// A `cluster` that the request needs must be named: the caller's selected one doesn't stand in for it.
  bool names_cluster = false;
  std::vector<std::string> errors;  ///< Codes beyond those that every action may answer.
  boost::json::object example;      ///< Arguments that are valid; shown in docs and checked by a test.
};

/// `request` points to the decoded request type. Encoded answers keep secrets out.
using ReadHandler =
    std::function<Task<json::value>(Caller, std::shared_ptr<const void> request, PageOptions page)>;
using LocalHandler = std::function<Task<json::value>(Caller, std::shared_ptr<const void> request)>;
/// Looks at the world and says what would be done; it changes nothing. Called for dry runs and before every
/// start.
using PlanHandler = std::function<Task<Plan>(Caller, std::shared_ptr<const void> request)>;

struct Action {
  ActionSpec spec;
  const Type* request = nullptr;   ///< The action's own members; ChangeOptions or PageOptions come on top.
  const Type* response = nullptr;  ///< ChangeAnswer for change and destroy.
  std::function<std::shared_ptr<void>()> make_request;
  std::variant<ReadHandler, LocalHandler, PlanHandler> handler;
  bool handler_pages = false;  ///< The read handler takes PageOptions; must agree with spec.paged.

  std::string_view method() const;
  bool is_change() const { return spec.effect == Effect::change || spec.effect == Effect::destroy; }
  /// Its arguments travel in a body; else all that are not in the path are in the query string.
  bool has_body() const;
  /// `spec.doc`, and for what changes something also the action that tells when it is complete.
  std::string doc() const;
};

/// "control_plane_create" → "control_plane" and "create".
std::string_view noun_of(std::string_view action_name);
std::string_view verb_of(std::string_view action_name);

/// True when a request without `cluster` (or with "-") means the caller's selected cluster.
bool takes_selected_cluster(const Action& action);
/// Stands for it where a member can't be left out: in a path.
inline constexpr std::string_view k_selected_cluster = "-";

/// Names in the braces of a path, in order.
std::vector<std::string_view> path_members(std::string_view path);

/// Codes that the action may answer: its own and those that every action of its kind has, sorted.
std::vector<std::string_view> error_codes_of(const Action& action);

Type describe(Effect*);

/// `handler` is `Task<Response>(Caller, Request)`, of a paged action `Task<Response>(Caller, Request,
/// PageOptions)`.
template <class Request, class Response, class Handler>
Action read_action(ActionSpec spec, Handler handler);

/// `handler` is `Task<Response>(Caller, Request)`.
template <class Request, class Response, class Handler>
Action local_action(ActionSpec spec, Handler handler);

/// `plan` is `Task<Plan>(Caller, Request)`. The effect is `change` unless the spec says `destroy`.
template <class Request, class Handler>
Action change_action(ActionSpec spec, Handler plan);

/// The table, checked when it is built. Immutable afterwards.
class ActionTable {
 public:
  /// Faults are programming errors of a row: a name or route twice, a path member that the request lacks, a
  /// change without status action, a summary too long, an example that its own types refuse. Empty means
  /// sound. Faults of the types that the rows use (type_faults.h) count too.
  static std::vector<std::string> faults(const std::vector<Action>& actions);

  /// Ends the process with the faults if there are any: a server with a broken table must not start.
  explicit ActionTable(std::vector<Action> actions);

  const std::vector<Action>& all() const { return actions_; }
  /// nullptr when there is none.
  const Action* find(std::string_view name) const;
  /// The most similar names, for "did you mean".
  std::optional<std::string> nearest_name(std::string_view name) const;

 private:
  std::vector<Action> actions_;
  std::vector<std::size_t> by_name_;  // indexes of actions_, sorted by name
};

// --- the templates above -----------------------------------------------------------------------------------

namespace detail {

template <class Request>
Action row(ActionSpec spec, const Type& response) {
  Action action;
  action.spec = std::move(spec);
  if (action.spec.effect != Effect::read) {
    action.spec.least_role = std::max(action.spec.least_role, Role::operator_);
  }
  action.request = &type_of<Request>();
  action.response = &response;
  action.make_request = []() -> std::shared_ptr<void> { return std::make_shared<Request>(); };
  return action;
}

/// The handler lives as long as the table, which outlives every call. `page` is empty or one PageOptions.
template <class Request, class Response, class Handler, class... Page>
Task<json::value> call_and_encode(const Handler& handler, Caller caller, std::shared_ptr<const void> request,
                                  Page... page) {
  auto answer =
      co_await handler(std::move(caller), *static_cast<const Request*>(request.get()), std::move(page)...);
  if (!answer) co_return std::unexpected(answer.error());
  co_return encode(static_cast<const Response&>(*answer));
}

template <class Request, class Handler>
Task<Plan> call_for_plan(const Handler& handler, Caller caller, std::shared_ptr<const void> request) {
  co_return co_await handler(std::move(caller), *static_cast<const Request*>(request.get()));
}

}  // namespace detail

template <class Request, class Response, class Handler>
Action read_action(ActionSpec spec, Handler handler) {
  Action action = detail::row<Request>(std::move(spec), type_of<Response>());
  auto shared = std::make_shared<const Handler>(std::move(handler));
  constexpr bool pages = std::is_invocable_v<const Handler&, Caller, Request, PageOptions>;
  action.handler_pages = pages;
  action.handler.emplace<0>([shared](Caller caller, std::shared_ptr<const void> request, PageOptions page) {
    if constexpr (pages) {
      return detail::call_and_encode<Request, Response>(*shared, std::move(caller), std::move(request),
                                                        std::move(page));
    } else {
      return detail::call_and_encode<Request, Response>(*shared, std::move(caller), std::move(request));
    }
  });
  return action;
}

template <class Request, class Response, class Handler>
Action local_action(ActionSpec spec, Handler handler) {
  spec.effect = Effect::local;
  Action action = detail::row<Request>(std::move(spec), type_of<Response>());
  auto shared = std::make_shared<const Handler>(std::move(handler));
  action.handler.emplace<1>([shared](Caller caller, std::shared_ptr<const void> request) {
    return detail::call_and_encode<Request, Response>(*shared, std::move(caller), std::move(request));
  });
  return action;
}

template <class Request, class Handler>
Action change_action(ActionSpec spec, Handler plan) {
  if (spec.effect == Effect::read) spec.effect = Effect::change;
  Action action = detail::row<Request>(std::move(spec), type_of<ChangeAnswer>());
  auto shared = std::make_shared<const Handler>(std::move(plan));
  action.handler.emplace<2>([shared](Caller caller, std::shared_ptr<const void> request) {
    return detail::call_for_plan<Request>(*shared, std::move(caller), std::move(request));
  });
  return action;
}

}  // namespace instantstart::contract
