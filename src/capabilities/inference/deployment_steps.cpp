#include "capabilities/inference/deployment_steps.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include <fmt/core.h>

#include "base/error_codes.h"
#include "base/text.h"
#include "capabilities/dependencies/object_calls.h"
#include "kube/json_access.h"

namespace instantstart::capabilities {
namespace {

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

constexpr milliseconds k_poll{5'000};
/// What may pass by itself (a registry that is down, a Secret that comes later) has so long to do so.
constexpr milliseconds k_patience = std::chrono::minutes(5);
/// Beyond the startup probe, with time to pull a large image before it.
constexpr milliseconds k_ready_by = seconds(k_startup_seconds) + std::chrono::minutes(20);

const kube::ResourceType k_pods{.gvk = {"", "v1", "Pod"}, .plural = "pods"};

Resource resource_of(const std::string& ref) {
  const auto parsed = parse_object_ref(ref);
  return {"kubernetes:" + to_lower(parsed ? parsed->kind : "object"), ref};
}

json::array to_list(const std::vector<std::string>& texts) {
  json::array list;
  for (const auto& text : texts) list.emplace_back(json::string(text));
  return list;
}

Error about(std::string_view code, const ObjectSeen& object, std::string message) {
  Error error{.code = std::string(code), .message = std::move(message)};
  error.detail = {{"object", object.ref}, {"differences", to_list(object.differences)}};
  return error;
}

Error in_trouble(const ServedModel& input, const Trouble& trouble) {
  Error error{.code = std::string(codes::conflict),
              .message = fmt::format("{}/{} does not come up. {}.", input.space, input.name, trouble.reason)};
  json::array pods;
  for (const auto& pod : trouble.pods) pods.emplace_back(json::string(pod.name));
  error.detail = {{"pods", std::move(pods)}};
  if (!trouble.pods.empty() && !trouble.pods.front().last_words.empty()) {
    error.detail["last_words"] = shortened(trouble.pods.front().last_words, 2'000);
  }
  return error;
}

Act act(DeploymentRequest request, std::vector<Resource> makes = {}) {
  return {.request = encode(request), .repeat = Repeat::observe, .makes = std::move(makes)};
}

/// The object that the last accepted act applied, unless somebody asked to try again since.
bool just_applied(const History& history, const std::string& ref) {
  return history.receipt && !history.asked_again && history.receipt->is_object() &&
         kube::text_at(history.receipt->get_object(), {"ref"}) == ref;
}

/// What to do about one object; nothing when it is as it should be.
std::optional<Decision> choose_object(const std::string& operation_id, const ObjectSeen& object,
                                      const History& history) {
  if (object.going) return Wait{k_poll, fmt::format("{} is being deleted", object.ref)};
  if (!object.exists) {
    return act({.ref = object.ref, .maker = operation_id, .force = false, .pods = {}},
               {resource_of(object.ref)});
  }
  if (!object.maker) {
    return Blocked{about(codes::name_taken, object, fmt::format("{} exists and is not ours.", object.ref))};
  }
  if (object.differences.empty()) return std::nullopt;
  if (just_applied(history, object.ref)) {
    return Blocked{
        about(codes::conflict, object,
              fmt::format("The cluster took {} but keeps it otherwise at {}: something else sets it.",
                          object.ref, object.differences.front()))};
  }
  // An update makes nothing: who made it stays, so that no undo deletes what was there before.
  return act({.ref = object.ref, .maker = *object.maker, .force = true, .pods = {}});
}

/// The pods that are in trouble go, and others come in their place: what they wait for is tried at once.
Act start_anew(const Trouble& trouble) {
  DeploymentRequest request;
  for (const auto& pod : trouble.pods) request.pods.push_back({pod.name, pod.uid});
  return act(std::move(request));
}

Decision choose_rollout(const ServedModel& input, const RolloutSeen& rollout, const History& history) {
  const auto waited = history.acts > 0 ? history.since_act : history.since_start;
  if (const auto trouble = trouble_of(rollout)) {
    const bool may_pass = !trouble->certain && waited < k_patience;
    // Asked to deploy, or to try again, what is in trouble already.
    const bool old = history.acts == 0 || history.asked_again;
    if (old && !trouble->pods.empty()) return start_anew(*trouble);
    if (may_pass) return Wait{k_poll, progress_of(rollout)};
    return Fail{in_trouble(input, *trouble)};
  }
  if (waited < k_ready_by) return Wait{k_poll, progress_of(rollout)};
  return Blocked{{.code = std::string(codes::conflict),
                  .message = fmt::format("{}/{} is not ready after {} minutes. {}.", input.space, input.name,
                                         std::chrono::duration_cast<std::chrono::minutes>(k_ready_by).count(),
                                         progress_of(rollout))}};
}

class RemoveDeployment final : public Step<ServedModel, DeploymentSeen, DeploymentRequest> {
 public:
  RemoveDeployment(DeploymentReader reader, bool is_undo) : reader_(reader), is_undo_(is_undo) {}

  std::string_view name() const override {
    return is_undo_ ? "inference_deployment_undo" : k_deployment_removal_step;
  }
  Task<DeploymentSeen> look(const StepContext& context, const ServedModel& input) const override {
    return reader_.look(input, context.deadline);
  }
  Decision choose(const StepContext& context, const ServedModel&, const DeploymentSeen& seen,
                  const History&) const override {
    return choose_deployment_removal(is_undo_ ? std::optional(context.operation_id) : std::nullopt, seen);
  }
  Task<json::value> send(const StepContext& context, const ServedModel& input,
                         const DeploymentRequest& request) const override {
    auto api = co_await reader_.kubernetes(input.cluster, context.deadline);
    if (!api) co_return fail(api.error());
    co_return co_await remove_made_object(std::move(*api), request.ref, request.maker, context.deadline);
  }

 private:
  DeploymentReader reader_;
  bool is_undo_;
};

class Deploy final : public Step<ServedModel, DeploymentSeen, DeploymentRequest> {
 public:
  explicit Deploy(DeploymentReader reader) : reader_(reader), undo_(reader, true) {}

  std::string_view name() const override { return k_deployment_step; }
  const operations::StepKind* undo() const override { return &undo_; }
  Task<DeploymentSeen> look(const StepContext& context, const ServedModel& input) const override {
    return reader_.look(input, context.deadline);
  }
  Decision choose(const StepContext& context, const ServedModel& input, const DeploymentSeen& seen,
                  const History& history) const override {
    return choose_deployment(context.operation_id, input, seen, history);
  }
  Task<json::value> send(const StepContext& context, const ServedModel& input,
                         const DeploymentRequest& request) const override {
    auto api = co_await reader_.kubernetes(input.cluster, context.deadline);
    if (!api) co_return fail(api.error());
    if (request.ref.empty()) co_return co_await end_pods(*api, input.space, request.pods, context.deadline);
    co_return co_await apply_object(std::move(*api), deployment_objects(input, request.maker), request.ref,
                                    request.force, context.deadline);
  }

 private:
  static Task<json::value> end_pods(std::shared_ptr<kube::EksCluster> api, std::string space,
                                    std::vector<PodRequest> pods, net::Deadline deadline) {
    for (const auto& pod : pods) {
      auto removed = co_await api->client().remove(k_pods, {.space = space, .name = pod.name},
                                                   {.uid = pod.uid}, deadline);
      // Gone, or another of that name: what was in trouble is no more.
      const bool is_gone =
          !removed && (removed.error().code == codes::not_found || removed.error().code == codes::conflict);
      if (!removed && !is_gone) co_return fail(within("Delete the pod " + pod.name, removed.error()));
    }
    co_return json::object{{"pods", pods.size()}};
  }

  DeploymentReader reader_;
  RemoveDeployment undo_;
};

}  // namespace

Type describe(PodRequest*) {
  return object_type<PodRequest>("PodRequest", "A pod.",
                                 {field<&PodRequest::name>("name", "Its name."),
                                  field<&PodRequest::uid>("uid", "Which one of that name.")});
}

Type describe(DeploymentRequest*) {
  return object_type<DeploymentRequest>("DeploymentRequest", "An object, or pods.",
                                        {field<&DeploymentRequest::ref>("ref", "The object."),
                                         field<&DeploymentRequest::maker>("maker", "Whose it is."),
                                         field<&DeploymentRequest::force>("force", "Take fields over."),
                                         field<&DeploymentRequest::pods>("pods", "To be started anew.")});
}

Decision choose_deployment(const std::string& operation_id, const ServedModel& input,
                           const DeploymentSeen& seen, const History& history) {
  for (const auto& object : seen.objects) {
    if (auto decision = choose_object(operation_id, object, history)) return std::move(*decision);
  }
  if (!is_complete(seen.rollout)) return choose_rollout(input, seen.rollout, history);
  Done done{.output = json::object{{"deployment", input.name},
                                   {"namespace", input.space},
                                   {"url", url_of(input.space, input.name)},
                                   {"model", input.served_name}}};
  for (const auto& object : seen.objects) {
    if (object.maker == operation_id) done.owned.push_back(resource_of(object.ref));
  }
  return done;
}

Decision choose_deployment_removal(const std::optional<std::string>& only_operation,
                                   const DeploymentSeen& seen) {
  Done done{.output = json::object()};
  bool deployment_stays = false;
  // The Service first: no request goes to pods that end.
  for (const auto& object : std::views::reverse(seen.objects)) {
    if (!object.exists) {
      done.removed.push_back(resource_of(object.ref));
      continue;
    }
    if (!object.maker && !only_operation) {
      return Blocked{about(codes::name_taken, object, fmt::format("{} exists and is not ours.", object.ref))};
    }
    if (only_operation && object.maker != *only_operation) {
      deployment_stays = true;
      continue;
    }
    if (object.going) return Wait{k_poll, fmt::format("{} is being deleted", object.ref)};
    return act({.ref = object.ref, .maker = *object.maker, .force = false, .pods = {}});
  }
  // Their GPUs are free only then.
  if (!deployment_stays && !seen.rollout.pods.empty()) {
    return Wait{k_poll, fmt::format("{} pods are ending", seen.rollout.pods.size())};
  }
  return done;
}

std::unique_ptr<const operations::StepKind> deployment_step(DeploymentReader reader) {
  return std::make_unique<Deploy>(reader);
}
std::unique_ptr<const operations::StepKind> deployment_removal_step(DeploymentReader reader) {
  return std::make_unique<RemoveDeployment>(reader, false);
}

}  // namespace instantstart::capabilities
