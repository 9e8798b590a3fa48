#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>

#include "aws/shapes/eks.h"
#include "base/error_codes.h"
#include "base/text.h"
#include "capabilities/dependencies/addon_rules.h"
#include "capabilities/dependencies/dependency_steps.h"
#include "capabilities/dependencies/pod_role.h"
#include "kube/json_access.h"

namespace instantstart::capabilities {
namespace {

namespace eks = aws::eks;
using operations::Act;
using operations::Blocked;
using operations::Decision;
using operations::Done;
using operations::Fail;
using operations::History;
using operations::Repeat;
using operations::Resource;
using operations::Step;
using operations::StepContext;
using operations::Wait;

constexpr milliseconds k_poll{10'000};  // botocore's waiter AddonActive
/// botocore's waiter gives up after ten minutes; images of several gigabytes on new nodes take longer.
constexpr milliseconds k_patience = std::chrono::minutes(30);
/// An accepted update shows as UPDATING within this.
constexpr milliseconds k_visible = std::chrono::minutes(2);

// Issues that don't pass by waiting. EKS API reference, AddonIssue.
constexpr std::array<std::string_view, 6> k_lasting{
    "AccessDenied",           "ConfigurationConflict",        "AdmissionRequestDenied",
    "AddonPermissionFailure", "UnsupportedAddonModification", "AddonSubscriptionNeeded"};

Resource resource_of(const AddonInput& input) {
  const auto* component = find_component(input.component);
  return {"eks:addon", fmt::format("{}/{}", domain::to_text(key_of(input.cluster)),
                                   component ? component->addon : std::string_view(input.component))};
}

Act call(std::string_view name, std::string version, std::vector<Resource> makes = {}) {
  return {.request = encode(AddonRequest{.call = std::string(name), .version = std::move(version)}),
          .repeat = name == "delete" ? Repeat::observe : Repeat::with_token,
          .makes = std::move(makes)};
}

Done done(const std::string& operation_id, const AddonInput& input, const AddonSeen& seen,
          std::string_view state) {
  Done result{.output =
                  json::object{{"component", input.component}, {"state", state}, {"version", seen.version}}};
  if (seen.maker == operation_id) result.owned = {resource_of(input)};
  return result;
}

Error explained(const AddonInput& input, const AddonSeen& seen) {
  auto words = words_of(seen);
  Error error{
      .code = std::string(codes::upstream_error),
      .message = fmt::format("The add-on of {} is {}. {}", input.component, seen.status, join(words, " ")),
      .retryable = true};
  json::array issues;
  for (const auto& issue : seen.issues)
    issues.push_back(json::object{{"code", issue.code}, {"message", issue.message}});
  error.detail = {{"status", seen.status}, {"issues", std::move(issues)}};
  return error;
}

bool lasts(const AddonSeen& seen) {
  return std::ranges::any_of(seen.issues, [](const IssueSeen& issue) {
    return std::ranges::find(k_lasting, issue.code) != k_lasting.end();
  });
}

Decision be_patient(const AddonInput& input, const AddonSeen& seen, const History& history) {
  const milliseconds waited =
      history.acts > 0 && !history.asked_again ? history.since_act : history.since_start;
  if (waited > k_patience && !history.asked_again) return Fail{explained(input, seen)};
  const auto words = words_of(seen);
  return Wait{k_poll, words.empty() ? seen.status : fmt::format("{}: {}", seen.status, words.front())};
}

/// The call that the last accepted act made, unless somebody asked to try again since.
std::string_view last_call(const History& history) {
  if (!history.receipt || history.asked_again || !history.receipt->is_object()) return {};
  return kube::text_at(history.receipt->get_object(), {"call"});
}

Decision choose_ready(const std::string& operation_id, const AddonInput& input, const AddonSeen& seen,
                      const History& history) {
  const bool older = compare_addon_versions(seen.version, input.version) < 0;
  if (!older || !seen.maker || input.version.empty()) return done(operation_id, input, seen, "ready");
  if (last_call(history) == "update" && history.since_act < k_visible)
    return Wait{k_poll, "Accepted; waiting for the update to begin"};
  return call("update", input.version);
}

/// Of ours, a creation that failed is begun anew, and an update sent again; but what this step itself led to
/// is a failure first.
Decision choose_failed(const AddonInput& input, const AddonSeen& seen, const History& history) {
  if (!seen.maker) return Fail{explained(input, seen)};
  const auto last = last_call(history);
  if (seen.status == "CREATE_FAILED" && last != "create") return call("delete", "");
  if (seen.status == "UPDATE_FAILED" && last != "update") return call("update", input.version);
  return Fail{explained(input, seen)};
}

Task<json::value> delete_addon(aws::Client& client, std::string cluster, std::string addon,
                               net::Deadline deadline) {
  auto gone = co_await client.call<eks::DeleteAddon>(
      {.cluster_name = std::move(cluster), .addon_name = addon}, {.deadline = deadline});
  if (!gone && gone.error().code != codes::not_found) {
    co_return fail(within("Delete the add-on " + addon, gone.error()));
  }
  co_return json::object{{"call", "delete"}};
}

class RemoveAddon final : public Step<AddonInput, AddonSeen, AddonRequest> {
 public:
  explicit RemoveAddon(ComponentReader reader) : reader_(reader) {}

  std::string_view name() const override { return "dependency_addon_removal"; }

  Task<AddonSeen> look(const StepContext& context, const AddonInput& input) const override {
    const auto* component = find_component(input.component);
    if (!component) co_return fail(codes::internal, "Unknown component: " + input.component);
    co_return co_await reader_.addon(input.cluster, *component, context.deadline);
  }

  Decision choose(const StepContext& context, const AddonInput& input, const AddonSeen& seen,
                  const History&) const override {
    return choose_addon_removal(context.operation_id, input, seen);
  }

  Task<json::value> send(const StepContext& context, const AddonInput& input,
                         const AddonRequest&) const override {
    auto client = reader_.aws_client(input.cluster);
    if (!client) co_return fail(client.error());
    co_return co_await delete_addon(**client, input.cluster.name,
                                    std::string(find_component(input.component)->addon), context.deadline);
  }

 private:
  ComponentReader reader_;
};

class InstallAddon final : public Step<AddonInput, AddonSeen, AddonRequest> {
 public:
  explicit InstallAddon(ComponentReader reader) : reader_(reader), undo_(reader) {}

  std::string_view name() const override { return k_addon_step; }
  const operations::StepKind* undo() const override { return &undo_; }

  Task<AddonSeen> look(const StepContext& context, const AddonInput& input) const override {
    const auto* component = find_component(input.component);
    if (!component) co_return fail(codes::internal, "Unknown component: " + input.component);
    co_return co_await reader_.addon(input.cluster, *component, context.deadline);
  }

  Decision choose(const StepContext& context, const AddonInput& input, const AddonSeen& seen,
                  const History& history) const override {
    return choose_addon(context.operation_id, input, seen, history);
  }

  Task<json::value> send(const StepContext& context, const AddonInput& input,
                         const AddonRequest& request) const override {
    auto client = reader_.aws_client(input.cluster);
    if (!client) co_return fail(client.error());
    const std::string addon(find_component(input.component)->addon);
    if (request.call == "delete") {
      co_return co_await delete_addon(**client, input.cluster.name, addon, context.deadline);
    }
    const aws::CallOptions options{.deadline = context.deadline, .idempotency_token = context.token};
    if (request.call == "update") {
      // The user's own settings of the add-on stay.
      auto updated = co_await (*client)->call<eks::UpdateAddon>({.cluster_name = input.cluster.name,
                                                                 .addon_name = addon,
                                                                 .addon_version = request.version,
                                                                 .resolve_conflicts = "PRESERVE"},
                                                                options);
      if (!updated) co_return fail(within("Update the add-on " + addon, updated.error()));
    } else {
      // NONE: what somebody else installed under the same names is not overwritten.
      auto created = co_await (*client)->call<eks::CreateAddon>(
          {.cluster_name = input.cluster.name,
           .addon_name = addon,
           .addon_version = request.version,
           .resolve_conflicts = "NONE",
           .tags = owner_tags(input.cluster, context.operation_id)},
          options);
      if (!created) co_return fail(within("Create the add-on " + addon, created.error()));
    }
    co_return json::object{{"call", request.call}, {"version", request.version}};
  }

 private:
  ComponentReader reader_;
  RemoveAddon undo_;
};

}  // namespace

Decision choose_addon(const std::string& operation_id, const AddonInput& input, const AddonSeen& seen,
                      const History& history) {
  switch (condition_of(seen)) {
    case AddonCondition::absent:
      if (seen.installed_otherwise) {
        Error error{.code = std::string(codes::name_taken),
                    .message = fmt::format("{} exists: it is installed already, but not as an EKS add-on.",
                                           *seen.installed_otherwise)};
        error.detail = {{"object", *seen.installed_otherwise}};
        return Blocked{std::move(error)};
      }
      return call("create", input.version, {resource_of(input)});
    case AddonCondition::ready: return choose_ready(operation_id, input, seen, history);
    case AddonCondition::waiting_for_nodes: return done(operation_id, input, seen, "waiting_for_nodes");
    case AddonCondition::going: return Wait{k_poll, "DELETING"};
    case AddonCondition::progressing:
    case AddonCondition::short_of_replicas: return be_patient(input, seen, history);
    case AddonCondition::degraded:
      if (lasts(seen)) return Fail{explained(input, seen)};
      return be_patient(input, seen, history);
    case AddonCondition::failed: return choose_failed(input, seen, history);
  }
  return Fail{explained(input, seen)};
}

Decision choose_addon_removal(const std::string& operation_id, const AddonInput& input,
                              const AddonSeen& seen) {
  if (seen.exists && seen.maker == operation_id) {
    if (condition_of(seen) == AddonCondition::going) return Wait{k_poll, "DELETING"};
    return call("delete", "");
  }
  Done result{.output = json::object()};
  if (!seen.exists) result.removed = {resource_of(input)};
  return result;
}

std::unique_ptr<const operations::StepKind> addon_step(ComponentReader reader) {
  return std::make_unique<InstallAddon>(reader);
}

}  // namespace instantstart::capabilities
