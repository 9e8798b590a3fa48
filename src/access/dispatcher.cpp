#include "access/dispatcher.h"

#include <algorithm>

#include <fmt/core.h>

#include "access/principal.h"
#include "base/decode.h"
#include "base/digest.h"
#include "base/error_codes.h"
#include "base/text.h"
#include "contract/arguments.h"

namespace instantstart::access {

using contract::Action;
using contract::Caller;
using contract::ChangeAnswer;
using contract::ChangeStatus;

struct Dispatcher::Decoded {
  std::shared_ptr<void> request;
  json::object
      arguments;  ///< As decoded and encoded again: defaults filled in, so equal requests are equal text.
  contract::ChangeOptions options;
  contract::PageOptions page;
  bool selected_cluster = false;  ///< The caller named no cluster.
};

namespace {

std::string request_digest(const Action& action, const json::object& arguments) {
  return to_hex(sha256(action.spec.name + "\n" + to_canonical_text(arguments)));
}

std::vector<NextAction> follow(const Action& action, const std::string& operation_id) {
  return {{action.spec.status_action,
           {{"operation_id", operation_id}, {"wait_seconds", 45}},
           "Repeat it until the state is succeeded, failed or cancelled."}};
}

Answer answer_with(const ChangeAnswer& answer) {
  return {contract::http_status(answer.status), encode(answer)};
}

/// What destroys must say where: a selection may have been made long ago, for something else.
Error cluster_not_named(const json::object& arguments) {
  return invalid_request(
      {{"/cluster", "required",
        "What needs a confirmation must name its cluster; the selected one does not stand in "
        "for it",
        "", std::string(arguments.at("cluster").as_string())}});
}

/// "cluster/a.us-west-2.123456789012/group/g" is of that cluster.
std::optional<std::string> cluster_of_subject(std::string_view subject) {
  const auto parts = split(subject, '/');
  if (parts.size() < 2 || parts[0] != "cluster") return std::nullopt;
  return std::string(parts[1]);
}

Answer started_answer(const Action& action, const operations::Started& started) {
  ChangeAnswer answer;
  answer.status = started.joined || started.replayed ? ChangeStatus::joined : ChangeStatus::started;
  answer.operation_id = started.operation_id;
  if (started.replayed) answer.replayed = true;
  if (started.joined) answer.started_by = started.started_by;
  answer.cluster = cluster_of_subject(started.subject);
  answer.next = follow(action, started.operation_id);
  return answer_with(answer);
}

}  // namespace

Dispatcher::Dispatcher(const contract::ActionTable& actions, operations::Engine& engine,
                       ConfirmationStore& confirmations, AnswerStore& answers, SelectionStore& selections,
                       Log log)
    : actions_(actions),
      engine_(engine),
      confirmations_(confirmations),
      answers_(answers),
      selections_(selections),
      log_(std::move(log)) {}

Task<Answer> Dispatcher::call(Caller caller, Invocation invocation) {
  const Action* action = actions_.find(invocation.action);
  if (!action) {
    Error error{.code = std::string(codes::not_found),
                .message = fmt::format("There is no action '{}'.", shortened(invocation.action, 80))};
    if (auto near = actions_.nearest_name(invocation.action)) {
      error.message += fmt::format(" The nearest is '{}'.", *near);
      error.detail["nearest"] = *near;
    }
    co_return fail(std::move(error));
  }
  // Before the arguments are even looked at: what a caller may not do must not teach it anything.
  if (!role_includes(caller.role, action->spec.least_role)) {
    co_return fail(codes::forbidden, fmt::format("{} needs the role {}; '{}' is {}.", action->spec.name,
                                                 encode(action->spec.least_role).as_string().c_str(),
                                                 caller.principal, encode(caller.role).as_string().c_str()));
  }
  auto selected = co_await name_selected_cluster(*action, caller.principal, invocation.arguments);
  if (!selected) co_return std::unexpected(selected.error());
  auto sent = contract::decode_arguments(*action, invocation.arguments,
                                         {.scalars_from_text = invocation.scalars_from_text});
  if (!sent) co_return std::unexpected(sent.error());
  if (action->spec.effect == contract::Effect::read) {
    const auto& handler = std::get<contract::ReadHandler>(action->handler);
    auto body = co_await handler(std::move(caller), std::move(sent->request), std::move(sent->page));
    if (!body) co_return std::unexpected(body.error());
    co_return Answer{200, std::move(*body)};
  }
  caller.dry_run = sent->change.dry_run.value_or(false);
  Decoded decoded{.request = sent->request,
                  .arguments = encode_from(*action->request, sent->request.get()).as_object(),
                  .options = std::move(sent->change),
                  .page = {},
                  .selected_cluster = *selected};
  if (action->is_change()) co_return co_await call_change(*action, std::move(caller), std::move(decoded));
  co_return co_await call_local(*action, std::move(caller), std::move(decoded));
}

Task<bool> Dispatcher::name_selected_cluster(const Action& action, std::string principal,
                                             json::object& arguments) {
  if (!contract::takes_selected_cluster(action)) co_return false;
  auto* named = arguments.if_contains("cluster");
  const bool left_out = !named || named->is_null() || *named == json::value(contract::k_selected_cluster);
  if (!left_out) co_return false;
  arguments.erase("cluster");
  auto selected = co_await selections_.get(std::move(principal));
  if (!selected) co_return std::unexpected(selected.error());
  if (!*selected) co_return false;  // The decoder says what is missing, with all else that is wrong.
  arguments["cluster"] = **selected;
  co_return true;
}

Task<Answer> Dispatcher::call_local(const Action& action, Caller caller, Decoded decoded) {
  const std::string digest = request_digest(action, decoded.arguments);
  const bool remember = decoded.options.client_token && !caller.dry_run;
  const std::string principal = caller.principal;
  if (remember) {
    auto known = co_await answers_.find(principal, *decoded.options.client_token, digest);
    if (!known) co_return std::unexpected(known.error());
    if (*known) co_return Answer{200, std::move(**known)};
  }
  const auto& handler = std::get<contract::LocalHandler>(action.handler);
  auto body = co_await handler(std::move(caller), std::move(decoded.request));
  if (!body) co_return std::unexpected(body.error());
  if (remember) {
    auto kept = co_await answers_.keep(principal, *decoded.options.client_token, digest, *body);
    if (!kept) co_return std::unexpected(kept.error());
  }
  co_return Answer{200, std::move(*body)};
}

/// Without a client token of the caller's own, the confirmation itself is what makes a repeat harmless.
std::optional<std::string> Dispatcher::token_of(const contract::ChangeOptions& options) {
  if (options.client_token || !options.confirm_token) return options.client_token;
  return ConfirmationStore::operation_key(*options.confirm_token);
}

Task<Answer> Dispatcher::call_change(const Action& action, Caller caller, Decoded decoded) {
  const auto token = token_of(decoded.options);
  if (!caller.dry_run) {
    auto known =
        co_await engine_.find_asked({action.spec.operation_kind, decoded.arguments, caller.principal, token});
    if (!known) co_return std::unexpected(known.error());
    if (*known) co_return started_answer(action, **known);
  }
  const auto& plan_handler = std::get<contract::PlanHandler>(action.handler);
  auto plan = co_await plan_handler(caller, decoded.request);
  if (!plan) co_return std::unexpected(plan.error());
  if (const auto faults = contract::plan_faults(*plan); !faults.empty()) {
    log_.error("unsound plan", {{"action", action.spec.name}, {"fault", faults.front()}});
    co_return fail(codes::internal,
                   fmt::format("The plan for {} is unsound: {}", action.spec.name, faults.front()));
  }
  if (caller.dry_run) {
    ChangeAnswer answer;
    answer.status = ChangeStatus::planned;
    answer.cluster = cluster_of_subject(plan->subject);
    answer.plan = std::move(*plan);
    co_return answer_with(answer);
  }
  operations::StartRequest request;
  request.plan = *plan;
  request.input = decoded.arguments;
  request.principal = caller.principal;
  request.client_token = token;
  co_return co_await start(action, std::move(caller), std::move(decoded), std::move(*plan),
                           std::move(request));
}

Task<Answer> Dispatcher::start(const Action& action, Caller caller, Decoded decoded, contract::Plan plan,
                               operations::StartRequest request) {
  auto known = co_await engine_.find_running(request);
  if (!known) co_return std::unexpected(known.error());
  if (*known) co_return started_answer(action, **known);

  if (plan.needs_confirmation()) {
    if (decoded.selected_cluster) co_return std::unexpected(cluster_not_named(decoded.arguments));
    const ConfirmationScope scope{caller.principal, action.spec.name,
                                  request_digest(action, decoded.arguments), contract::plan_digest(plan)};
    if (!decoded.options.confirm_token) {
      auto token = co_await confirmations_.issue(scope);
      if (!token) co_return std::unexpected(token.error());
      ChangeAnswer answer;
      answer.status = ChangeStatus::confirm_required;
      json::object repeat = decoded.arguments;
      repeat["confirm_token"] = *token;
      if (decoded.options.client_token) repeat["client_token"] = *decoded.options.client_token;
      answer.next = {{action.spec.name, std::move(repeat), "Does what the plan shows. Look at it first."}};
      answer.confirm_token = std::move(*token);
      answer.cluster = cluster_of_subject(plan.subject);
      answer.plan = std::move(plan);
      co_return answer_with(answer);
    }
    auto confirmed = co_await confirmations_.check(*decoded.options.confirm_token, scope);
    if (!confirmed) co_return std::unexpected(confirmed.error());
  }
  auto started = co_await engine_.start(std::move(request));
  if (!started) co_return std::unexpected(started.error());
  log_.info("operation started", {{"operation", started->operation_id},
                                  {"action", action.spec.name},
                                  {"principal", caller.principal},
                                  {"request_id", caller.request_id}});
  co_return started_answer(action, *started);
}

}  // namespace instantstart::access
