#include "capabilities/network/stack.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "base/decode.h"
#include "base/error_codes.h"
#include "base/text.h"

namespace instantstart::capabilities {
namespace {

using operations::Act;
using operations::Blocked;
using operations::Decision;
using operations::Done;
using operations::Fail;
using operations::History;
using operations::Repeat;
using operations::Wait;

constexpr milliseconds k_poll{10'000};
/// A stack that was just accepted may not be listed yet.
constexpr milliseconds k_visible{60'000};
constexpr std::size_t k_longest_reason = 1'000;

/// A stack in review has been planned by a change set and never made: nothing is going on.
bool in_progress(std::string_view status) {
  return status.ends_with("_IN_PROGRESS") && status != "REVIEW_IN_PROGRESS";
}

/// Never became a stack that can be updated: it can only be deleted.
bool never_came_up(std::string_view status) {
  return status == "ROLLBACK_COMPLETE" || status == "ROLLBACK_FAILED" || status == "CREATE_FAILED" ||
         status == "DELETE_FAILED" || status == "REVIEW_IN_PROGRESS";
}

bool stuck(std::string_view status) {
  return status == "UPDATE_ROLLBACK_FAILED" || status == "UPDATE_FAILED";
}

std::string text(const std::optional<std::string>& value) {
  return value ? shortened(without_controls(*value), k_longest_reason) : std::string();
}

std::optional<StackRequest> last_accepted(const History& history) {
  if (!history.receipt) return std::nullopt;
  auto request = decode<StackRequest>(*history.receipt);
  return request ? std::optional(std::move(*request)) : std::nullopt;
}

Act act(StackRequest request, const StackWanted& wanted) {
  Act act{.request = encode(request), .repeat = Repeat::with_token};
  if (request.call == StackCall::create_stack) act.makes = {{std::string(k_stack_resource), wanted.name}};
  return act;
}

std::string progress_of(const StackSeen& seen) {
  if (seen.resources_total == 0) return seen.status;
  return fmt::format("{}, {} of {} resources", seen.status, seen.resources_done, seen.resources_total);
}

json::value output_of(const StackWanted& wanted, const StackSeen& seen) {
  json::object output{{"stack", wanted.name}, {"stack_id", seen.stack_id}};
  for (const auto& [name, value] : seen.outputs) output[name] = value;
  return output;
}

Decision choose_missing(const StackWanted& wanted, const StackSeen& seen, const History& history) {
  if (seen.foreign_cluster) return Blocked{taken_by_another(wanted, seen)};
  const auto last = last_accepted(history);
  if (last && last->call == StackCall::create_stack && history.since_act < k_visible) {
    return Wait{k_poll, "Accepted; waiting for the stack to be listed"};
  }
  return act({.call = StackCall::create_stack}, wanted);
}

}  // namespace

Type describe(StackFailure*) {
  return object_type<StackFailure>("StackFailure", "A resource that failed.",
                                   {field<&StackFailure::logical_id>("logical_id", "Its id in the template."),
                                    field<&StackFailure::type>("type", "Its type."),
                                    field<&StackFailure::reason>("reason", "Why, in AWS's words.")});
}

Type describe(Stranger*) {
  return object_type<Stranger>(
      "Stranger", "Something that the stack did not make.",
      {field<&Stranger::type>("type", "Its kind."), field<&Stranger::id>("id", "Its id."),
       field<&Stranger::what>("what", "What it is.")});
}

Type describe(StackSeen*) {
  return object_type<StackSeen>(
      "StackSeen", "A stack as it is seen.",
      {field<&StackSeen::exists>("exists", "Whether it is there."),
       field<&StackSeen::stack_id>("stack_id", "Its ARN.", {.defaulted = true}),
       field<&StackSeen::status>("status", "CloudFormation's word.", {.defaulted = true}),
       field<&StackSeen::parameters>("parameters", "Its parameters.", {.defaulted = true}),
       field<&StackSeen::tags>("tags", "Its tags.", {.defaulted = true}),
       field<&StackSeen::outputs>("outputs", "Its outputs.", {.defaulted = true}),
       field<&StackSeen::resources_done>("resources_done", "Resources that are made.", {.defaulted = true}),
       field<&StackSeen::resources_total>("resources_total", "Resources altogether.", {.defaulted = true}),
       field<&StackSeen::failures>("failures", "What failed.", {.defaulted = true}),
       field<&StackSeen::strangers>("strangers", "What others made.", {.defaulted = true}),
       field<&StackSeen::foreign_cluster>("foreign_cluster", "An EKS cluster of another maker.")});
}

Type describe(StackCall*) {
  return enum_type<StackCall>("StackCall", "What is called.",
                              {{StackCall::create_stack, {"create_stack", "CreateStack"}},
                               {StackCall::update_stack, {"update_stack", "UpdateStack"}},
                               {StackCall::delete_stack, {"delete_stack", "DeleteStack"}}});
}

Type describe(StackRequest*) {
  return object_type<StackRequest>(
      "StackRequest", "A call about a stack.",
      {field<&StackRequest::call>("call", "Which."),
       field<&StackRequest::stack_id>("stack_id", "The ARN of the stack that is meant.",
                                      {.defaulted = true})});
}

StackSeen to_seen(const aws::cloudformation::Stack& stack) {
  StackSeen seen;
  seen.status = stack.stack_status.value_or("");
  seen.exists = seen.status != "DELETE_COMPLETE";
  seen.stack_id = stack.stack_id.value_or("");
  for (const auto& parameter : aws::items(stack.parameters)) {
    seen.parameters[parameter.parameter_key.value_or("")] = parameter.parameter_value.value_or("");
  }
  for (const auto& tag : aws::items(stack.tags)) seen.tags[tag.key.value_or("")] = tag.value.value_or("");
  for (const auto& output : aws::items(stack.outputs)) {
    seen.outputs[output.output_key.value_or("")] = output.output_value.value_or("");
  }
  return seen;
}

std::vector<StackFailure> failures_of(std::span<const aws::cloudformation::StackEvent> newest_first,
                                      bool& complete) {
  std::vector<StackFailure> failures;
  complete = false;
  for (const auto& event : newest_first) {
    const std::string status = event.resource_status.value_or("");
    const bool is_stack = event.physical_resource_id && event.physical_resource_id == event.stack_id;
    if (is_stack) {
      complete =
          status == "CREATE_IN_PROGRESS" || status == "UPDATE_IN_PROGRESS" || status == "DELETE_IN_PROGRESS";
      if (complete) break;
      continue;
    }
    std::string reason = text(event.resource_status_reason);
    if (!status.ends_with("_FAILED") || to_lower(reason).find("cancelled") != std::string::npos) continue;
    failures.push_back(
        {event.logical_resource_id.value_or(""), event.resource_type.value_or(""), std::move(reason)});
  }
  std::ranges::reverse(failures);
  return failures;
}

std::string_view cause_of(std::string_view reason) {
  struct Row {
    std::string_view words;
    std::string_view code;
  };
  // The order matters: "LimitExceeded" also stands in answers to requests that come too fast.
  static constexpr std::array k_rows{
      Row{"rate exceeded", codes::throttled},
      Row{"throttl", codes::throttled},
      Row{"accessdenied", codes::access_denied},
      Row{"access denied", codes::access_denied},
      Row{"not authorized", codes::access_denied},
      Row{"unauthorizedoperation", codes::access_denied},
      Row{"insufficientinstancecapacity", codes::capacity_unavailable},
      Row{"unsupportedavailabilityzone", codes::capacity_unavailable},
      Row{"does not currently have sufficient capacity", codes::capacity_unavailable},
      Row{"limitexceeded", codes::quota_exceeded},
      Row{"limit exceeded", codes::quota_exceeded},
      Row{"maximum number of", codes::quota_exceeded},
      Row{"quota", codes::quota_exceeded},
      Row{"already exists", codes::name_taken},
      Row{"alreadyexists", codes::name_taken},
      Row{"resourceinuse", codes::name_taken},
      Row{"dependencyviolation", codes::conflict},
      Row{"has dependencies", codes::conflict},
      Row{"has a dependent object", codes::conflict},
      Row{"expiredtoken", codes::credentials_expired},
      Row{"invalid", codes::invalid_request},
      Row{"validation", codes::invalid_request}};
  const std::string lower = to_lower(reason);
  for (const auto& row : k_rows) {
    if (lower.find(row.words) != std::string::npos) return row.code;
  }
  return codes::upstream_error;
}

Error explained(const StackSeen& seen, std::string_view what) {
  Error error{.code = std::string(codes::upstream_error),
              .message = fmt::format("{} ended in {}, and its events name no cause.", what, seen.status)};
  if (!seen.failures.empty()) {
    const auto& first = seen.failures.front();
    error.code = cause_of(first.reason);
    error.message = fmt::format("{} ended in {}: {} ({}): {}", what, seen.status, first.logical_id,
                                first.type, first.reason);
  }
  error.retryable = error_code_info(error.code).retryable;
  error.detail["stack_id"] = seen.stack_id;
  error.detail["stack_status"] = seen.status;
  error.detail["failures"] = encode(seen.failures);
  return error;
}

bool is_ours(const StackSeen& seen, std::string_view cluster_key) {
  const auto tag = seen.tags.find(std::string(domain::k_cluster_tag));
  return tag != seen.tags.end() && tag->second == cluster_key;
}

Error taken_by_another(const StackWanted& wanted, const StackSeen& seen) {
  Error error{.code = std::string(codes::name_taken)};
  if (!seen.exists) {
    error.message = fmt::format("An EKS cluster of this name exists that was not made here: {}.",
                                seen.foreign_cluster.value_or(""));
    error.detail["cluster"] = seen.foreign_cluster.value_or("");
    return error;
  }
  error.message = fmt::format("The stack {} exists and does not carry the tag {}={}: it is left alone.",
                              wanted.name, domain::k_cluster_tag, wanted.cluster_key);
  json::object differences;
  for (const auto& [name, value] : wanted.parameters) {
    const auto found = seen.parameters.find(name);
    if (found != seen.parameters.end() && found->second == value) continue;
    differences[name] = {
        {"wanted", value},
        {"found", found == seen.parameters.end() ? json::value() : json::value(found->second)}};
  }
  error.detail["stack_id"] = seen.stack_id;
  error.detail["tags"] = encode(seen.tags);
  error.detail["differences"] = std::move(differences);
  return error;
}

Error orphans(const std::vector<Stranger>& strangers) {
  constexpr std::size_t k_named = 5;
  std::vector<std::string> named;
  for (const auto& stranger : strangers) {
    if (named.size() == k_named) break;
    named.push_back(fmt::format("{} {} ({})", stranger.type, stranger.id, stranger.what));
  }
  Error error{
      .code = std::string(codes::blocked),
      .message = fmt::format("{} things that the control plane's stack did not make would be orphaned: {}{}. "
                             "Delete them first.",
                             strangers.size(), join(named, ", "), strangers.size() > k_named ? " …" : "")};
  error.detail["orphans"] = encode(strangers);
  return error;
}

Decision choose_stack(const StackWanted& wanted, const StackSeen& seen, const History& history) {
  if (!seen.exists) return choose_missing(wanted, seen, history);
  if (!is_ours(seen, wanted.cluster_key)) return Blocked{taken_by_another(wanted, seen)};
  const auto last = last_accepted(history);
  const bool tried = last && !history.asked_again;
  if (never_came_up(seen.status)) {
    if (tried && last->call == StackCall::create_stack) return Fail{explained(seen, "Creating the stack")};
    if (tried && last->call == StackCall::delete_stack && seen.status == "DELETE_FAILED") {
      return Fail{explained(seen, "Deleting the stack that failed before")};
    }
    return act({.call = StackCall::delete_stack, .stack_id = seen.stack_id}, wanted);
  }
  if (in_progress(seen.status)) return Wait{k_poll, progress_of(seen)};
  if (stuck(seen.status)) {
    auto error = explained(seen, "An update of the stack");
    error.code = codes::blocked;
    error.retryable = false;
    error.message += " CloudFormation takes no other call before its rollback is continued.";
    return Blocked{std::move(error)};
  }
  if (seen.parameters == wanted.parameters) {
    Done done{.output = output_of(wanted, seen)};
    const auto maker = seen.tags.find(std::string(domain::k_operation_tag));
    if (maker != seen.tags.end() && maker->second == wanted.operation_id) {
      done.owned = {{std::string(k_stack_resource), wanted.name}};
    }
    return done;
  }
  if (tried && last->call == StackCall::update_stack && seen.status == "UPDATE_ROLLBACK_COMPLETE") {
    return Fail{explained(seen, "Updating the stack")};
  }
  return act({.call = StackCall::update_stack, .stack_id = seen.stack_id}, wanted);
}

Decision choose_stack_deletion(const StackWanted& wanted, const StackSeen& seen, const History& history,
                               const std::optional<std::string>& only_operation) {
  const Done gone{.output = json::object{{"stack", wanted.name}},
                  .removed = {{std::string(k_stack_resource), wanted.name}}};
  if (!seen.exists) {
    // A create whose reply was lost may be listed late; the engine has waited for that before it undoes.
    return gone;
  }
  const auto maker = seen.tags.find(std::string(domain::k_operation_tag));
  const bool made_here = maker != seen.tags.end() && only_operation == maker->second;
  if (only_operation && !made_here) {
    return Done{.output = json::object{{"stack", wanted.name}, {"kept", "This operation did not make it."}}};
  }
  if (!is_ours(seen, wanted.cluster_key)) return Blocked{taken_by_another(wanted, seen)};
  const auto last = last_accepted(history);
  const bool tried = last && last->call == StackCall::delete_stack && last->stack_id == seen.stack_id &&
                     !history.asked_again;
  if (seen.status == "DELETE_FAILED" && tried) return Fail{explained(seen, "Deleting the stack")};
  if (in_progress(seen.status)) return Wait{k_poll, progress_of(seen)};
  if (!seen.strangers.empty()) return Blocked{orphans(seen.strangers)};
  if (tried && history.since_act < k_visible) return Wait{k_poll, "Accepted; waiting for it to begin"};
  return act({.call = StackCall::delete_stack, .stack_id = seen.stack_id}, wanted);
}

}  // namespace instantstart::capabilities
