#include "capabilities/operations/operations.h"

namespace instantstart::capabilities {
namespace {

constexpr const char* k_sample_id = "01938c5e-8f00-7000-8000-000000000001";

Task<operations::OperationView> get(operations::Engine& engine, OperationGet request) {
  co_return co_await engine.get(std::move(request.operation_id.value), seconds(request.wait_seconds));
}

Task<OperationListAnswer> list(operations::Engine& engine, contract::PageOptions page,
                               OperationList request) {
  operations::ListFilter filter{.subject = std::move(request.subject),
                                .state = request.state,
                                .kind = std::move(request.kind),
                                .limit = page.limit,
                                .cursor = std::move(page.cursor)};
  auto found = co_await engine.list(std::move(filter));
  if (!found) co_return std::unexpected(found.error());
  co_return OperationListAnswer{std::move(found->operations), std::move(found->next_cursor)};
}

/// A dry run of a local change looks and leaves it at that.
Task<operations::OperationView> retry(operations::Engine& engine, bool dry_run, OperationRetry request) {
  if (dry_run) co_return co_await engine.get(std::move(request.operation_id.value));
  co_return co_await engine.retry(std::move(request.operation_id.value), std::move(request.step_id),
                                  std::move(request.choice));
}

Task<operations::OperationView> cancel(operations::Engine& engine, bool dry_run, OperationCancel request) {
  if (dry_run) co_return co_await engine.get(std::move(request.operation_id.value));
  co_return co_await engine.cancel(std::move(request.operation_id.value), request.rollback);
}

}  // namespace

std::vector<contract::Action> operation_actions(operations::Engine* engine) {
  using contract::Caller;
  std::vector<contract::Action> actions;
  actions.push_back(contract::read_action<OperationGet, operations::OperationView>(
      {.name = "operation_get",
       .path = "/operations/{operation_id}",
       .summary = "One operation: its state, steps, what it made, what to do next.",
       .doc = "The status action of every change. Call it with wait_seconds 45 until the state is succeeded, "
              "failed, "
              "cancelled or needs_input; then do what `next` says. It changes nothing.",
       .errors = {"not_found"},
       .example = {{"operation_id", k_sample_id}, {"wait_seconds", 45}}},
      [engine](Caller, OperationGet request) { return get(*engine, std::move(request)); }));
  actions.push_back(contract::read_action<OperationList, OperationListAnswer>(
      {.name = "operation_list",
       .path = "/operations",
       .summary = "Operations, newest first, with how far each is.",
       .doc = "Use it to find out what runs or failed on a cluster before you change it. It changes nothing.",
       .paged = true,
       .example = {{"state", "running"}}},
      [engine](Caller, OperationList request, contract::PageOptions page) {
        return list(*engine, std::move(page), std::move(request));
      }));
  actions.push_back(contract::local_action<OperationRetry, operations::OperationView>(
      {.name = "operation_retry",
       .path = "/operations/{operation_id}/retry",
       .summary = "Lets what failed, is blocked or asks a question go on.",
       .doc = "Steps that are done are not run again; a stopped step looks at the world first and acts only "
              "if something "
              "is missing. Pass choice to answer a step's question. Then follow it with operation_get.",
       .errors = {"not_found", "conflict"},
       .example = {{"operation_id", k_sample_id}}},
      [engine](Caller caller, OperationRetry request) {
        return retry(*engine, caller.dry_run, std::move(request));
      }));
  actions.push_back(contract::local_action<OperationCancel, operations::OperationView>(
      {.name = "operation_cancel",
       .path = "/operations/{operation_id}/cancel",
       .summary = "Stops an operation after the call that runs now.",
       .doc = "What it made stays unless rollback is true; then exactly what this operation made is removed "
              "and what "
              "remains is listed. Follow it with operation_get.",
       .errors = {"not_found", "conflict"},
       .example = {{"operation_id", k_sample_id}, {"rollback", true}}},
      [engine](Caller caller, OperationCancel request) {
        return cancel(*engine, caller.dry_run, std::move(request));
      }));
  return actions;
}

}  // namespace instantstart::capabilities
