// The decisions about HyperPod clusters and what they stand on. Pure.
#include <algorithm>

#include <fmt/core.h>

#include "base/decode.h"
#include "base/error_codes.h"
#include "base/text.h"
#include "capabilities/clusters/execution_role.h"
#include "capabilities/clusters/hyperpod_request.h"
#include "capabilities/clusters/hyperpod_steps.h"
#include "capabilities/dependencies/pod_role.h"

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
using operations::Wait;

/// IAM shows what it did after a while.
constexpr milliseconds k_iam_settle{30'000};
constexpr milliseconds k_poll{20'000};
/// A role that was just made can't be assumed everywhere for so long.
constexpr milliseconds k_role_spreads{120'000};
constexpr milliseconds k_between_attempts{10'000};
/// After so long without all nodes, with a reason or without one.
constexpr milliseconds k_nodes_with_trouble{2'400'000};
constexpr milliseconds k_nodes_at_most{10'800'000};  // MinInstanceCount gives up after three hours.

/// Names are unique among all accounts and regions: what is struck off an inventory is found by them.
Resource role_resource(const ExecutionRoleInput& input) {
  return {"iam:role", pod_role_arn(input.cluster, input.role_name)};
}
Resource bucket_resource(const std::string& name) { return {"s3:bucket", name}; }
Resource hyperpod_resource(const ClusterTarget& cluster, const std::string& name) {
  return {"sagemaker:cluster", domain::to_text(key_of(cluster)) + "/" + name};
}

Error taken(std::string message) {
  return {.code = std::string(codes::name_taken), .message = std::move(message)};
}

bool may_take(const std::optional<std::string>& maker, const std::optional<std::string>& only_operation) {
  return maker && (!only_operation || *maker == *only_operation);
}

// --- HyperPod ----------------------------------------------------------------------------------------------

HyperpodRequest last_accepted(const History& history) {
  if (!history.receipt) return {};
  return decode<HyperpodRequest>(*history.receipt).value_or(HyperpodRequest{});
}

const HyperpodGroupSeen* find_group(const HyperpodSeen& seen, const std::string& name) {
  const auto found = std::ranges::find(seen.groups, name, &HyperpodGroupSeen::name);
  return found == seen.groups.end() ? nullptr : &*found;
}

bool changing(std::string_view status) {
  return status == "Creating" || status == "Updating" || status == "SystemUpdating" ||
         status == "RollingBack" || status == "Deleting";
}

FailureView failure_of(const HyperpodSeen& seen) {
  return explain({.failure_message = seen.failure_message, .events = seen.events, .log = seen.log});
}

/// What the caller may do now, by the cause.
Error with_next(Error error, const std::string& operation_id, const HyperpodInput& input) {
  const std::string cluster = domain::to_text(key_of(input.cluster));
  const auto* found = error.detail.if_contains("cause");
  const std::string cause = found != nullptr && found->is_string() ? std::string(found->as_string()) : "";
  if (cause == "capacity") {
    error.next.push_back(
        {"zone_list",
         {{"region", input.cluster.region}, {"instance_type", input.group.instance_type.value}},
         "See which other zones offer the type."});
  }
  if (cause == "dependencies") {
    error.next.push_back({"dependency_reconcile", {{"cluster", cluster}}, "Bring in place what is missing."});
  }
  error.next.push_back({"hyperpod_get", {{"cluster", cluster}}, "See how HyperPod is now."});
  error.next.push_back({"operation_retry", {{"operation_id", operation_id}}, "Try again from here."});
  return error;
}

std::string progress_of(const HyperpodSeen& seen, const InstanceGroup& group) {
  std::string text = "HyperPod is " + seen.status;
  if (const auto* found = find_group(seen, group.name.value)) {
    text += fmt::format(", {} of {} nodes", found->current, found->target);
  }
  // What HyperPod tries again by itself is told while it does.
  if (!seen.events.empty()) text += ": " + shortened(seen.events.front().text, 200);
  return text;
}

Act create(const HyperpodInput& input, const std::string& subnet_id, std::int64_t attempt) {
  return {.request = encode(HyperpodRequest{HyperpodCall::create_cluster, "", subnet_id, attempt}),
          .repeat = Repeat::observe,
          .makes = {hyperpod_resource(input.cluster, input.name)}};
}

/// Deleting and updating by ARN do no harm twice.
Act call(HyperpodCall what, const std::string& arn) {
  return {.request = encode(HyperpodRequest{.call = what, .arn = arn}), .repeat = Repeat::with_token};
}

Decision choose_missing(const std::string& operation_id, const HyperpodInput& input,
                        const std::string& subnet_id, const History& history) {
  if (subnet_id.empty()) {
    return Fail{{.code = std::string(codes::internal), .message = "No step says which subnet nodes go to."}};
  }
  if (!history.act_error || history.act_error->retryable) return create(input, subnet_id, 0);
  const Error& error = *history.act_error;
  const auto cause = cause_of_text(error.message);
  const bool of_new_role = cause == "permissions" && error.code == codes::invalid_request;
  if (of_new_role && history.since_start < k_role_spreads) {
    if (history.since_act < k_between_attempts) {
      return Wait{k_between_attempts, "Waiting until SageMaker can assume the role"};
    }
    return create(input, subnet_id, history.acts);
  }
  if (history.asked_again) return create(input, subnet_id, history.acts);
  if (cause == "unknown") return Fail{with_next(error, operation_id, input)};
  auto explained = to_error(explain({.failure_message = error.message}), "HyperPod was not created");
  for (const auto& [key, value] : error.detail) explained.detail.emplace(key, value);
  return Fail{with_next(std::move(explained), operation_id, input)};
}

Done finished(const std::string& operation_id, const HyperpodInput& input, const HyperpodSeen& seen) {
  Done done{.output = json::object{{"name", input.name}, {"arn", seen.arn}, {"status", seen.status}}};
  if (seen.maker == operation_id) done.owned = {hyperpod_resource(input.cluster, input.name)};
  return done;
}

Decision choose_nodes(const std::string& operation_id, const HyperpodInput& input, const HyperpodSeen& seen,
                      const History& history) {
  const auto* group = find_group(seen, input.group.name.value);
  const bool all_there = group->current >= group->target;
  if (all_there) return finished(operation_id, input, seen);
  const auto limit = seen.events.empty() ? k_nodes_at_most : k_nodes_with_trouble;
  // HyperPod goes on trying; a retry of this step waits once more.
  const auto waited = std::max(history.since_act, history.acts == 0 ? history.since_start : milliseconds(0));
  if (waited < limit || history.asked_again) return Wait{k_poll, progress_of(seen, input.group)};
  const std::string what =
      fmt::format("{} of {} nodes of the group {} came", group->current, group->target, group->name);
  return Fail{with_next(to_error(failure_of(seen), what), operation_id, input)};
}

}  // namespace

// --- execution role ----------------------------------------------------------------------------------------

std::vector<RoleCall> missing_calls(const ExecutionRoleInput& input, const ExecutionRoleSeen& seen) {
  std::vector<RoleCall> calls;
  if (!seen.exists) {
    calls.push_back(RoleCall::create_role);
  } else if (!seen.trust_holds) {
    calls.push_back(RoleCall::update_trust);
  }
  if (std::ranges::count(seen.attached, instance_role_policy_arn(input.cluster)) == 0) {
    calls.push_back(RoleCall::attach_policy);
  }
  if (!seen.policy_holds) calls.push_back(RoleCall::put_policy);
  return calls;
}

Decision choose_execution_role(const std::string& operation_id, const ExecutionRoleInput& input,
                               const ExecutionRoleSeen& seen) {
  if (seen.exists && !seen.maker) {
    return Blocked{
        taken(fmt::format("There is a role {} that was not made for this cluster.", input.role_name))};
  }
  const auto missing = missing_calls(input, seen);
  if (missing.empty()) {
    Done done{.output = json::object{{"role_arn", pod_role_arn(input.cluster, input.role_name)}}};
    if (seen.maker == operation_id) done.owned = {role_resource(input)};
    return done;
  }
  Act act{.request = encode(RoleStepRequest{missing.front(), ""}),
          .repeat = missing.front() == RoleCall::create_role ? Repeat::observe : Repeat::with_token,
          .settle = k_iam_settle};
  if (missing.front() == RoleCall::create_role) act.makes = {role_resource(input)};
  return act;
}

Decision choose_execution_role_removal(const ExecutionRoleInput& input, const ExecutionRoleSeen& seen,
                                       const std::optional<std::string>& only_operation) {
  if (!seen.exists || !may_take(seen.maker, only_operation)) {
    Done done{.output = json::object{}};
    if (!seen.exists) done.removed = {role_resource(input)};
    return done;
  }
  RoleStepRequest request{RoleCall::delete_role, ""};
  if (!seen.attached.empty()) {
    request = {RoleCall::detach_policy, seen.attached.front()};
  } else if (!seen.inlined.empty()) {
    request = {RoleCall::delete_policy, seen.inlined.front()};
  }
  return Act{.request = encode(request), .repeat = Repeat::with_token, .settle = k_iam_settle};
}

// --- lifecycle bucket --------------------------------------------------------------------------------------

std::vector<BucketCall> missing_calls(const LifecycleSeen& seen) {
  std::vector<BucketCall> calls;
  if (!seen.exists) {
    calls.push_back(BucketCall::create_bucket);
  } else if (!seen.tagged) {
    calls.push_back(BucketCall::tag_bucket);
  }
  if (!seen.public_blocked) calls.push_back(BucketCall::block_public);
  if (!seen.script_holds) calls.push_back(BucketCall::put_script);
  return calls;
}

Decision choose_lifecycle(const std::string& operation_id, const LifecycleInput& input,
                          const LifecycleSeen& seen, const History& history) {
  if (seen.other_account) {
    return Blocked{taken(fmt::format(
        "The bucket {} belongs to another account, or this one may not look at it.", input.bucket))};
  }
  if (seen.exists && !seen.maker) {
    // Tags come with the creation; where they did not, AWS's answer to our call is the proof.
    const auto last = history.receipt ? decode<BucketRequest>(*history.receipt) : Result<BucketRequest>{};
    const bool just_made = !seen.tagged && history.receipt && last && last->call == BucketCall::create_bucket;
    if (!just_made) {
      return Blocked{
          taken(fmt::format("There is a bucket {} that was not made for this cluster.", input.bucket))};
    }
  }
  const auto missing = missing_calls(seen);
  if (missing.empty()) {
    Done done{.output = json::object{{"bucket", input.bucket}, {"key", input.key}}};
    if (seen.maker == operation_id) done.owned = {bucket_resource(input.bucket)};
    return done;
  }
  Act act{.request = encode(BucketRequest{missing.front(), ""}),
          .repeat = missing.front() == BucketCall::create_bucket ? Repeat::observe : Repeat::with_token};
  if (missing.front() == BucketCall::create_bucket) act.makes = {bucket_resource(input.bucket)};
  return act;
}

Decision choose_lifecycle_removal(const LifecycleInput& input, const LifecycleSeen& seen,
                                  const std::optional<std::string>& only_operation) {
  if (!seen.exists || !may_take(seen.maker, only_operation)) {
    Done done{.output = json::object{}};
    if (!seen.exists) done.removed = {bucket_resource(input.bucket)};
    return done;
  }
  BucketRequest request{BucketCall::delete_bucket, ""};
  if (!seen.keys.empty()) request = {BucketCall::delete_object, seen.keys.front()};
  return Act{.request = encode(request), .repeat = Repeat::with_token};
}

// --- HyperPod ----------------------------------------------------------------------------------------------

std::vector<std::string> hyperpod_differences(const HyperpodInput& input, const HyperpodSeen& seen) {
  std::vector<std::string> different;
  if (seen.node_recovery != "Automatic") different.emplace_back("node_recovery");
  const auto* group = find_group(seen, input.group.name.value);
  if (group == nullptr) return different;
  if (group->target < input.group.count) different.emplace_back("count");
  if (input.group.deep_health_checks && group->deep_checks != *input.group.deep_health_checks) {
    different.emplace_back("deep_health_checks");
  }
  return different;
}

Error hyperpod_name_taken(const HyperpodInput& input, const HyperpodSeen& seen) {
  Error error = taken(fmt::format("There is a HyperPod cluster {} that was not made here for {}.", input.name,
                                  input.cluster.name));
  error.detail["arn"] = seen.arn;
  error.detail["eks_arn"] = seen.eks_arn;
  error.detail["wanted_eks_arn"] = input.eks_arn;
  return error;
}

Decision choose_hyperpod(const std::string& operation_id, const HyperpodInput& input,
                         const std::string& subnet_id, const HyperpodSeen& seen, const History& history) {
  if (!seen.exists) return choose_missing(operation_id, input, subnet_id, history);
  if (!seen.maker || seen.eks_arn != input.eks_arn) return Blocked{hyperpod_name_taken(input, seen)};
  if (changing(seen.status)) return Wait{k_poll, progress_of(seen, input.group)};
  const auto last = last_accepted(history);
  if (seen.status == "Failed") {
    // It never comes back: it is deleted and made anew, but not before somebody has seen why.
    const bool by_this = history.receipt && last.call != HyperpodCall::delete_cluster;
    if (by_this && !history.asked_again) {
      return Fail{with_next(to_error(failure_of(seen), "The HyperPod cluster failed"), operation_id, input)};
    }
    return call(HyperpodCall::delete_cluster, seen.arn);
  }
  const auto* group = find_group(seen, input.group.name.value);
  if (group == nullptr) {
    return Blocked{{.code = std::string(codes::blocked),
                    .message = fmt::format("The HyperPod cluster {} has no group {}.", input.name,
                                           input.group.name.value)}};
  }
  if (!hyperpod_differences(input, seen).empty()) {
    if (history.act_error && history.act_error->code == codes::conflict &&
        history.since_act < k_nodes_with_trouble) {
      return Wait{k_poll, "SageMaker refuses changes while another is under way"};
    }
    return call(HyperpodCall::update_cluster, seen.arn);
  }
  return choose_nodes(operation_id, input, seen, history);
}

Decision choose_hyperpod_deletion(const ClusterTarget& cluster, const std::string& name,
                                  const std::string& arn, const HyperpodSeen& seen, const History& history,
                                  const std::optional<std::string>& only_operation) {
  const bool another = seen.exists && !arn.empty() && seen.arn != arn;
  if (!seen.exists || another) {
    return Done{.output = json::object{{"name", name}}, .removed = {hyperpod_resource(cluster, name)}};
  }
  if (only_operation && seen.maker != *only_operation) return Done{.output = json::object{}};
  if (seen.status == "Deleting") return Wait{k_poll, "HyperPod is deleting its nodes"};
  const bool busy = history.act_error && history.act_error->code == codes::conflict;
  if (busy && changing(seen.status)) return Wait{k_poll, "HyperPod is " + seen.status};
  return call(HyperpodCall::delete_cluster, seen.arn);
}

// --- access entry ------------------------------------------------------------------------------------------

Decision choose_access_entry(const std::string& operation_id, const AccessEntryInput& input,
                             const AccessEntrySeen& seen) {
  const Resource entry{"eks:access-entry",
                       fmt::format("{}/{}", domain::to_text(key_of(input.cluster)), input.principal_arn)};
  if (seen.exists && seen.administrator) {
    Done done{.output = json::object{{"principal_arn", input.principal_arn}}};
    if (seen.maker == operation_id) done.owned = {entry};
    return done;
  }
  if (!seen.exists) {
    return Act{.request = encode(AccessRequest{AccessCall::create_entry}),
               .repeat = Repeat::with_token,
               .makes = {entry}};
  }
  return Act{.request = encode(AccessRequest{AccessCall::associate_policy}), .repeat = Repeat::with_token};
}

}  // namespace instantstart::capabilities
