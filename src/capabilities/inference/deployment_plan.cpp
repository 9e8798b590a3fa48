#include "capabilities/inference/deployment_plan.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "base/decode.h"
#include "base/error_codes.h"
#include "base/text.h"
#include "capabilities/inference/deployment_steps.h"
#include "capabilities/inference/model_heads.h"
#include "capabilities/storage/data_volume.h"
#include "domain/cluster_key.h"

namespace instantstart::capabilities {
namespace {

using contract::Plan;
using contract::PlannedStep;
using contract::StepEffect;

Error refused(std::string pointer, std::string message, std::string value) {
  return invalid_request({{std::move(pointer), "value", std::move(message), std::move(value), {}}});
}

Error name_taken(const ObjectSeen& object) {
  Error error{.code = std::string(codes::name_taken),
              .message = fmt::format("{} exists and is not ours: choose another name.", object.ref)};
  json::array differences;
  for (const auto& difference : object.differences) differences.emplace_back(json::string(difference));
  error.detail = {{"object", object.ref}, {"differences", std::move(differences)}};
  return error;
}

class DeployPlanner {
 public:
  explicit DeployPlanner(const DeployFacts& facts) : facts_(facts), model_(facts.model) {}

  Result<Plan> make() {
    if (!facts_.namespace_exists) {
      return fail(codes::not_found, fmt::format("There is no namespace {}.", model_.space));
    }
    for (const auto& object : facts_.seen.objects) {
      if (object.exists && !object.maker) return fail(name_taken(object));
    }
    for (const auto& checked : {check_data(), check_heads(), check_nodes()}) {
      if (!checked) return fail(checked.error());
    }
    plan_.kind = k_model_deploy;
    plan_.subject = deployment_subject(model_);
    plan_step();
    plan_.summary = summary();
    return std::move(plan_);
  }

 private:
  Result<> check_data() {
    const bool from_data = model_.model.starts_with(fmt::format("{}/", k_data_path));
    if (!from_data || model_.data_volume) return {};
    Error error = refused(
        "/model",
        fmt::format("is below {}, and the namespace {} has no storage there", k_data_path, model_.space),
        model_.model);
    error.next.push_back({"storage_list",
                          {{"cluster", domain::to_text(key_of(model_.cluster))}},
                          "See what is mounted; storage_mount mounts a bucket."});
    return fail(std::move(error));
  }

  Result<> check_heads() {
    if (model_.tensor_parallel == 1) return {};
    const auto heads = heads_of(model_.model);
    if (!heads) {
      plan_.warnings.push_back(fmt::format(
          "How many attention heads {} has is not known here: the server refuses to start when {} GPUs can't "
          "share them.",
          model_.model, model_.tensor_parallel));
      return {};
    }
    if (divides(*heads, model_.tensor_parallel)) return {};
    std::string message = fmt::format("must divide the model's {} attention heads ({} for keys and values)",
                                      heads->attention, heads->key_value);
    // A folder may be called what it likes.
    if (model_.model.starts_with('/')) {
      plan_.warnings.push_back(fmt::format("tensor_parallel {}, by the folder's name.", message));
      return {};
    }
    return fail(refused("/tensor_parallel", std::move(message), std::to_string(model_.tensor_parallel)));
  }

  bool fits_type(const GpuNodeSeen& node) const {
    return !model_.instance_type || node.type == *model_.instance_type;
  }

  Result<> check_nodes() {
    std::int64_t largest = 0;
    std::int64_t room = 0;
    std::set<std::string> types;
    bool any = false;
    for (const auto& node : facts_.nodes) {
      types.insert(node.type);
      if (!fits_type(node)) continue;
      any = true;
      largest = std::max(largest, node.gpus);
      if (node.schedulable) room += std::max<std::int64_t>(node.gpus - node.used, 0) / model_.gpus();
    }
    const std::string where =
        model_.instance_type ? "node of type " + *model_.instance_type : "node with GPUs";
    if (!any || largest == 0) {
      plan_.warnings.push_back(
          any ? fmt::format("No {} offers GPUs yet: pods wait until its device plugin runs.", where)
              : fmt::format("There is no {} in the cluster{}: pods wait until one joins.", where,
                            types.empty() ? "" : fmt::format(" ({})", join_all(types))));
      return {};
    }
    if (largest < model_.gpus()) {
      return fail(refused(
          "/" + facts_.gpu_member,
          fmt::format("makes a replica of {} GPUs, and the largest {} has {}", model_.gpus(), where, largest),
          std::to_string(model_.gpus())));
    }
    if (room < model_.replicas) {
      plan_.warnings.push_back(fmt::format(
          "There is room for {} of {} replicas now: the others wait for free GPUs.", room, model_.replicas));
    }
    return {};
  }

  static std::string join_all(const std::set<std::string>& texts) {
    return join(std::vector<std::string>(texts.begin(), texts.end()), ", ");
  }

  void plan_step() {
    PlannedStep step{.id = "deployment", .kind = std::string(k_deployment_step)};
    const auto& rollout = facts_.seen.rollout;
    const auto& deployment = facts_.seen.objects.front();
    const bool there = deployment.exists && !deployment.going;
    for (const auto& object : facts_.seen.objects) {
      if (object.exists && !object.going && object.differences.empty()) continue;
      step.calls.push_back({"kubernetes:apply", object.ref});
    }
    if (step.calls.empty() && is_complete(rollout)) return;
    const std::string id = fmt::format("{}/{}", model_.space, model_.name);
    if (!there) {
      step.effect = StepEffect::create;
      step.title = fmt::format("Create the deployment {} and wait until it answers", id);
    } else if (!step.calls.empty()) {
      plan_update(step, id);
    } else if (const auto trouble = trouble_of(rollout)) {
      step.effect = StepEffect::update;
      step.title = fmt::format("Start the pods of {} anew and wait until they answer", id);
      for (const auto& pod : trouble->pods) {
        step.calls.push_back({"kubernetes:delete", fmt::format("pods/{}/{}", model_.space, pod.name)});
      }
    } else {
      step.title = fmt::format("Wait until the deployment {} answers", id);
    }
    step.input = encode(model_).as_object();
    plan_.steps.push_back(std::move(step));
  }

  void plan_update(PlannedStep& step, const std::string& id) {
    const auto& rollout = facts_.seen.rollout;
    const bool fewer = rollout.wanted > model_.replicas;
    step.effect = fewer ? StepEffect::scale_down : StepEffect::update;
    step.title = fewer ? fmt::format("Update the deployment {} and end {} of its {} replicas", id,
                                     rollout.wanted - model_.replicas, rollout.wanted)
                       : fmt::format("Update the deployment {} and wait until it answers", id);
    const auto& differences = facts_.seen.objects.front().differences;
    const bool new_pods = std::ranges::any_of(
        differences, [](const std::string& at) { return at.starts_with("/spec/template"); });
    if (!new_pods) return;
    plan_.warnings.push_back(
        std::min(rollout.wanted, model_.replicas) == 1
            ? std::string("Its pod is replaced: until the new one has loaded the model, nothing answers.")
            : std::string("Its pods are replaced one after the other: until each has loaded the model, one "
                          "replica less answers."));
  }

  std::string summary() const {
    const std::string id = fmt::format("{}/{}", model_.space, model_.name);
    if (plan_.steps.empty()) return fmt::format("{} is served as {}.", model_.model, id);
    return fmt::format("Serve {} as {}: {} {} with {} {} each.", model_.model, id, model_.replicas,
                       model_.replicas == 1 ? "replica" : "replicas", model_.gpus(),
                       model_.gpus() == 1 ? "GPU" : "GPUs");
  }

  const DeployFacts& facts_;
  const ServedModel& model_;
  Plan plan_;
};

}  // namespace

std::string deployment_subject(const ServedModel& model) {
  return fmt::format("{}/namespace/{}/deployment/{}", domain::subject_of(key_of(model.cluster)), model.space,
                     model.name);
}

Result<Plan> plan_deploy(const DeployFacts& facts) { return DeployPlanner(facts).make(); }

Result<Plan> plan_delete(const ServedModel& model, const DeploymentSeen& seen) {
  if (std::ranges::none_of(seen.objects, &ObjectSeen::exists)) {
    return fail(codes::not_found, fmt::format("There is no deployment {}/{}.", model.space, model.name));
  }
  for (const auto& object : seen.objects) {
    if (!object.exists || object.maker) continue;
    return fail(codes::blocked, fmt::format("{} is not ours: delete it with kubectl.", object.ref));
  }
  Plan plan{.kind = std::string(k_deployment_delete), .subject = deployment_subject(model)};
  plan.summary = fmt::format("Delete the deployment {}/{}.", model.space, model.name);
  PlannedStep step{.id = "deployment",
                   .kind = std::string(k_deployment_removal_step),
                   .title = fmt::format("Delete the deployment {}/{} ({} of {} replicas answer)", model.space,
                                        model.name, seen.rollout.available, seen.rollout.wanted),
                   .effect = StepEffect::remove};
  for (const auto& object : seen.objects) {
    if (object.exists) step.calls.push_back({"kubernetes:delete", object.ref});
  }
  step.input = encode(model).as_object();
  plan.steps.push_back(std::move(step));
  plan.warnings.emplace_back("Requests that run are given 120 s to end; what is at /data stays.");
  return plan;
}

}  // namespace instantstart::capabilities
