#include "capabilities/clusters/hyperpod_plan.h"

#include <utility>

#include <fmt/core.h>

#include "base/decode.h"
#include "base/error_codes.h"
#include "base/text.h"
#include "capabilities/clusters/hyperpod_request.h"

namespace instantstart::capabilities {
namespace {

using contract::Plan;
using contract::PlannedCall;
using contract::PlannedStep;
using contract::StepEffect;

constexpr std::string_view k_role_id = "role";
constexpr std::string_view k_bucket_id = "lifecycle";
constexpr std::string_view k_hyperpod_id = "hyperpod";

std::string call_name(std::string_view service, std::string_view doc) {
  return fmt::format("{}:{}", service, doc);
}

/// The API's name of a call: what its enumeration's table says of it.
template <class Call>
std::string api_name(std::string_view service, Call call) {
  for (const auto& value : type_of<Call>().values) {
    if (value.value == static_cast<std::int64_t>(call)) return call_name(service, value.doc);
  }
  return call_name(service, "?");
}

template <class Call>
void add_calls(PlannedStep& step, std::string_view service, const std::vector<Call>& calls,
               const std::string& subject) {
  for (const auto call : calls) step.calls.push_back({api_name(service, call), subject});
}

void add_subnet(const HyperpodSituation& situation, Plan& plan) {
  if (!situation.subnet_input) return;
  const auto missing = missing_calls(situation.subnet);
  if (missing.empty()) return;
  const auto& input = *situation.subnet_input;
  PlannedStep step{.id = std::string(k_subnet_step_id), .kind = std::string(k_compute_subnet_step)};
  const bool is_new = !situation.subnet.subnet;
  const auto block = free_compute_block(situation.subnet);
  step.title = is_new ? fmt::format("Make a subnet for nodes in {}{}", input.zone,
                                    block ? ", " + domain::to_text(*block) : std::string())
                      : fmt::format("Complete the subnet for nodes in {}", input.zone);
  step.effect = is_new ? StepEffect::create : StepEffect::update;
  add_calls(step, "ec2", missing, "subnet/" + compute_purpose(input.zone));
  step.input = encode(input).as_object();
  plan.steps.push_back(std::move(step));
  if (!situation.subnet.nat.empty() && !situation.subnet.nat_of_zone) {
    plan.warnings.push_back(
        fmt::format("The zone {} has no NAT gateway of its own: nodes go out through {}, and pay for traffic "
                    "between zones.",
                    input.zone, situation.subnet.nat));
  }
}

void add_role(const HyperpodSituation& situation, Plan& plan) {
  const auto missing = missing_calls(situation.role_input, situation.role);
  if (missing.empty()) return;
  const std::string& name = situation.role_input.role_name;
  PlannedStep step{.id = std::string(k_role_id), .kind = std::string(k_execution_role_step)};
  step.title =
      fmt::format("{} the role {} of the instances", situation.role.exists ? "Correct" : "Create", name);
  step.effect = situation.role.exists ? StepEffect::update : StepEffect::create;
  add_calls(step, "iam", missing, "role/" + name);
  step.input = encode(situation.role_input).as_object();
  plan.steps.push_back(std::move(step));
}

void add_bucket(const HyperpodSituation& situation, Plan& plan) {
  const auto missing = missing_calls(situation.bucket);
  if (missing.empty()) return;
  PlannedStep step{.id = std::string(k_bucket_id), .kind = std::string(k_lifecycle_step)};
  step.title =
      situation.bucket.exists
          ? fmt::format("Complete the bucket {} of lifecycle scripts", situation.bucket_input.bucket)
          : fmt::format("Create the bucket {} with the lifecycle script", situation.bucket_input.bucket);
  step.effect = situation.bucket.exists ? StepEffect::update : StepEffect::create;
  add_calls(step, "s3", missing, "bucket/" + situation.bucket_input.bucket);
  step.input = encode(situation.bucket_input).as_object();
  plan.steps.push_back(std::move(step));
}

void add_hyperpod(const HyperpodSituation& situation, Plan& plan) {
  const auto& input = situation.hyperpod_input;
  const auto& seen = situation.hyperpod;
  const std::string subject = "cluster/" + input.name;
  PlannedStep step{.id = std::string(k_hyperpod_id), .kind = std::string(k_hyperpod_step)};
  for (const auto& before : plan.steps) step.after.push_back(before.id);
  step.input = encode(input).as_object();
  const auto& group = input.group;
  const bool failed = seen.exists && seen.status == "Failed";
  if (!seen.exists || failed) {
    step.title =
        fmt::format("Create the HyperPod cluster {} with {} × {} in the group {}", input.name, group.count,
                    domain::sagemaker_name(domain::ec2_name(group.instance_type)), group.name.value);
    step.effect = StepEffect::create;
    if (failed) step.calls.push_back({api_name("sagemaker", HyperpodCall::delete_cluster), subject});
    step.calls.push_back({api_name("sagemaker", HyperpodCall::create_cluster), subject});
    plan.steps.push_back(std::move(step));
    return;
  }
  const auto different = hyperpod_differences(input, seen);
  if (different.empty()) return;
  step.title = fmt::format("Change {} of the HyperPod cluster {}", join(different, ", "), input.name);
  step.effect = StepEffect::update;
  step.calls.push_back({api_name("sagemaker", HyperpodCall::update_cluster), subject});
  plan.steps.push_back(std::move(step));
}

std::optional<Error> name_problem(const HyperpodSituation& situation) {
  if (situation.role.exists && !situation.role.maker) {
    return Error{.code = std::string(codes::name_taken),
                 .message = fmt::format("There is a role {} that was not made for this cluster.",
                                        situation.role_input.role_name)};
  }
  const auto& bucket = situation.bucket;
  if (bucket.other_account || (bucket.exists && bucket.tagged && !bucket.maker)) {
    return Error{
        .code = std::string(codes::name_taken),
        .message = fmt::format("The bucket {} belongs to somebody else.", situation.bucket_input.bucket)};
  }
  const auto& seen = situation.hyperpod;
  if (seen.exists && (!seen.maker || seen.eks_arn != situation.hyperpod_input.eks_arn)) {
    return hyperpod_name_taken(situation.hyperpod_input, seen);
  }
  return std::nullopt;
}

}  // namespace

std::string hyperpod_subject(const ClusterTarget& cluster) {
  return domain::subject_of(key_of(cluster)) + "/part/hyperpod";
}

Result<Plan> to_plan(HyperpodSituation situation) {
  if (auto error = name_problem(situation)) return fail(std::move(*error));
  const auto& input = situation.hyperpod_input;
  Plan plan{.kind = std::string(k_hyperpod_create), .subject = hyperpod_subject(input.cluster)};
  plan.warnings = std::move(situation.warnings);
  add_subnet(situation, plan);
  add_role(situation, plan);
  add_bucket(situation, plan);
  add_hyperpod(situation, plan);
  plan.summary = plan.steps.empty()
                     ? fmt::format("The HyperPod cluster {} is as it should be.", input.name)
                     : fmt::format("{}: {} steps.", plan.steps.back().title, plan.steps.size());
  return plan;
}

std::vector<FieldProblem> fixed_problems(const InstanceGroup& wanted, const GroupView& found) {
  std::vector<FieldProblem> problems;
  const auto complain = [&](std::string_view pointer, const std::string& is) {
    problems.push_back({std::string(pointer), "fixed", "can't be changed; it is " + is, "", std::nullopt});
  };
  const std::string type = domain::sagemaker_name(domain::ec2_name(wanted.instance_type));
  if (found.instance_type && *found.instance_type != type) {
    complain("/group/instance_type", *found.instance_type);
  }
  const auto capacity_name = [](CapacityType type) { return std::string(encode(type).as_string()); };
  if (wanted.capacity && *wanted.capacity != found.capacity) {
    complain("/group/capacity", capacity_name(found.capacity));
  }
  if (wanted.training_plan_arn && wanted.training_plan_arn->value != found.training_plan_arn) {
    complain("/group/training_plan_arn", found.training_plan_arn.value_or("none"));
  }
  if (wanted.interface_mode) {
    const std::string mode = *wanted.interface_mode == InterfaceMode::efa ? "efa" : "efa-only";
    if (found.interface_mode && *found.interface_mode != mode) {
      complain("/group/interface_mode", *found.interface_mode);
    }
  }
  if (wanted.count < found.target) {
    problems.push_back({"/group/count", "minimum",
                        fmt::format("is fewer than the {} that are wanted now; nodes leave by name, not by "
                                    "chance",
                                    found.target),
                        std::to_string(wanted.count), std::nullopt});
  }
  return problems;
}

Plan to_deletion_plan(const HyperpodRemains& remains) {
  Plan plan{.kind = std::string(k_hyperpod_delete), .subject = hyperpod_subject(remains.cluster)};
  std::vector<std::string> clusters;
  for (const auto& input : remains.hyperpod) {
    PlannedStep step{.id = fmt::format("hyperpod/{}", input.name),
                     .kind = std::string(k_hyperpod_deletion_step),
                     .effect = StepEffect::remove};
    step.title = fmt::format(
        "Delete the HyperPod cluster {} with all its nodes: {}", input.name,
        remains.hyperpod_groups.empty() ? std::string("none") : join(remains.hyperpod_groups, ", "));
    step.calls = {{"sagemaker:DeleteCluster", "cluster/" + input.name}};
    step.input = encode(input).as_object();
    clusters.push_back(step.id);
    plan.steps.push_back(std::move(step));
  }
  const auto add = [&](std::string id, std::string_view kind, std::string title, PlannedCall call,
                       json::object input) {
    plan.steps.push_back({.id = std::move(id),
                          .kind = std::string(kind),
                          .title = std::move(title),
                          .effect = StepEffect::remove,
                          .after = clusters,
                          .calls = {std::move(call)},
                          .input = std::move(input)});
  };
  if (remains.role.exists && remains.role.maker) {
    const std::string& name = remains.role_input.role_name;
    add(std::string(k_role_id), k_execution_role_removal_step, "Delete the role " + name,
        {"iam:DeleteRole", "role/" + name}, encode(remains.role_input).as_object());
  }
  if (remains.bucket.exists && remains.bucket.maker) {
    const std::string& name = remains.bucket_input.bucket;
    add(std::string(k_bucket_id), k_lifecycle_removal_step,
        "Delete the bucket " + name + " of lifecycle scripts", {"s3:DeleteBucket", "bucket/" + name},
        encode(remains.bucket_input).as_object());
  }
  for (const auto& input : remains.subnets) {
    add(fmt::format("{}/{}", k_subnet_step_id, input.zone), k_compute_subnet_removal_step,
        "Delete the subnet for nodes in " + input.zone,
        {"ec2:DeleteSubnet", "subnet/" + compute_purpose(input.zone)}, encode(input).as_object());
  }
  plan.summary = plan.steps.empty() ? "There is no HyperPod cluster, and nothing of one."
                                    : plan.steps.front().title + ".";
  return plan;
}

}  // namespace instantstart::capabilities
