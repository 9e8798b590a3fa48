#include <algorithm>

#include "aws/shapes/sagemaker.h"
#include "base/decode.h"
#include "base/error_codes.h"
#include "capabilities/clusters/client_of.h"
#include "capabilities/clusters/cluster_reader.h"
#include "capabilities/clusters/hyperpod_request.h"
#include "capabilities/clusters/hyperpod_steps.h"
#include "capabilities/dependencies/pod_role.h"

namespace instantstart::capabilities {
namespace {

namespace sagemaker = aws::sagemaker;
using operations::Decision;
using operations::History;
using operations::Step;
using operations::StepContext;

aws::CallOptions until(net::Deadline deadline) { return {.deadline = deadline}; }

HyperpodSeen to_seen(const HyperpodDescription& cluster) {
  HyperpodSeen seen{.exists = true,
                    .arn = cluster.cluster_arn.value_or(""),
                    .status = cluster.cluster_status.value_or(""),
                    .failure_message = cluster.failure_message.value_or(""),
                    .eks_arn = eks_arn_of(cluster),
                    .node_recovery = cluster.node_recovery.value_or("")};
  for (const auto& group : aws::items(cluster.instance_groups)) {
    seen.groups.push_back({.name = group.instance_group_name.value_or(""),
                           .status = group.status.value_or(""),
                           .target = group.target_count.value_or(0),
                           .current = group.current_count.value_or(0),
                           .deep_checks = !aws::items(group.on_start_deep_health_checks).empty()});
  }
  return seen;
}

/// Whether all is there, so that nobody needs to ask why not.
bool is_whole(const HyperpodSeen& seen) {
  return seen.status == "InService" && std::ranges::all_of(seen.groups, [](const HyperpodGroupSeen& group) {
           return group.current >= group.target;
         });
}

Task<> add_troubles(aws::Client& client, const std::string& name, HyperpodSeen& seen,
                    net::Deadline deadline) {
  auto events = co_await hyperpod_troubles(client, seen.arn, deadline);
  if (!events) co_return fail(events.error());
  seen.events = std::move(*events);
  if (seen.status != "Failed" && seen.events.empty()) co_return Result<>{};
  const auto instance = instance_in(seen.failure_message);
  auto log = co_await lifecycle_log(client, name, seen.arn, instance, deadline);
  if (!log) co_return fail(log.error());
  seen.log = std::move(*log);
  co_return Result<>{};
}

/// Describe, change what differs, send all: one act under the operation's lease on the cluster.
Task<json::value> update(aws::Client& client, HyperpodInput input, HyperpodRequest request,
                         net::Deadline deadline) {
  auto described = co_await look_at_hyperpod(client, request.arn, deadline);
  if (!described) co_return fail(described.error());
  if (!*described) co_return fail(codes::not_found, "The HyperPod cluster is gone.");
  auto sent =
      co_await client.call<sagemaker::UpdateCluster>(update_request(input, **described), until(deadline));
  co_return receipt_of(std::move(sent), encode(request), "Update the HyperPod cluster");
}

Task<json::value> delete_cluster(aws::Client& client, HyperpodRequest request, net::Deadline deadline) {
  sagemaker::DeleteClusterRequest wanted;
  wanted.cluster_name = request.arn;
  auto gone = co_await client.call<sagemaker::DeleteCluster>(std::move(wanted), until(deadline));
  co_return receipt_of_deletion(std::move(gone), encode(request), "Delete the HyperPod cluster");
}

Task<json::value> send_call(aws::Client& client, HyperpodInput input, HyperpodRequest request,
                            std::string operation_id, net::Deadline deadline) {
  if (request.call == HyperpodCall::update_cluster) {
    co_return co_await update(client, std::move(input), std::move(request), deadline);
  }
  if (request.call == HyperpodCall::delete_cluster) {
    co_return co_await delete_cluster(client, std::move(request), deadline);
  }
  auto made = co_await client.call<sagemaker::CreateCluster>(
      create_request(input, request.subnet_id, operation_id), until(deadline));
  if (!made) co_return fail(within("Create the HyperPod cluster " + input.name, made.error()));
  request.arn = made->cluster_arn.value_or("");
  co_return encode(request);
}

class UndoHyperpod final : public Step<HyperpodInput, HyperpodSeen, HyperpodRequest> {
 public:
  explicit UndoHyperpod(aws::Accounts& accounts) : accounts_(accounts) {}
  std::string_view name() const override { return "hyperpod_cluster_undo"; }
  Task<HyperpodSeen> look(const StepContext& context, const HyperpodInput& input) const override {
    auto client = client_of(accounts_, input.cluster);
    if (!client) co_return fail(client.error());
    co_return co_await look_at_hyperpod_cluster(**client, input.cluster, input.name, context.deadline);
  }
  Decision choose(const StepContext& context, const HyperpodInput& input, const HyperpodSeen& seen,
                  const History& history) const override {
    return choose_hyperpod_deletion(input.cluster, input.name, "", seen, history, context.operation_id);
  }
  Task<json::value> send(const StepContext& context, const HyperpodInput& input,
                         const HyperpodRequest& request) const override {
    auto client = client_of(accounts_, input.cluster);
    if (!client) co_return fail(client.error());
    co_return co_await delete_cluster(**client, request, context.deadline);
  }

 private:
  aws::Accounts& accounts_;
};

class MakeHyperpod final : public Step<HyperpodInput, HyperpodSeen, HyperpodRequest> {
 public:
  explicit MakeHyperpod(aws::Accounts& accounts) : accounts_(accounts), undo_(accounts) {}
  std::string_view name() const override { return k_hyperpod_step; }
  const operations::StepKind* undo() const override { return &undo_; }
  Task<HyperpodSeen> look(const StepContext& context, const HyperpodInput& input) const override {
    auto client = client_of(accounts_, input.cluster);
    if (!client) co_return fail(client.error());
    co_return co_await look_at_hyperpod_cluster(**client, input.cluster, input.name, context.deadline);
  }
  Decision choose(const StepContext& context, const HyperpodInput& input, const HyperpodSeen& seen,
                  const History& history) const override {
    return choose_hyperpod(context.operation_id, input, subnet_of(context, input), seen, history);
  }
  Task<json::value> send(const StepContext& context, const HyperpodInput& input,
                         const HyperpodRequest& request) const override {
    auto client = client_of(accounts_, input.cluster);
    if (!client) co_return fail(client.error());
    co_return co_await send_call(**client, input, request, context.operation_id, context.deadline);
  }

 private:
  static std::string subnet_of(const StepContext& context, const HyperpodInput& input) {
    if (!input.subnet_id.empty() || !context.output) return input.subnet_id;
    const json::value* output = context.output(k_subnet_step_id);
    if (output == nullptr || !output->is_object()) return "";
    const auto* id = output->as_object().if_contains("subnet_id");
    return id != nullptr && id->is_string() ? std::string(id->as_string()) : "";
  }

  aws::Accounts& accounts_;
  UndoHyperpod undo_;
};

class DeleteHyperpod final : public Step<HyperpodDeletionInput, HyperpodSeen, HyperpodRequest> {
 public:
  explicit DeleteHyperpod(aws::Accounts& accounts) : accounts_(accounts) {}
  std::string_view name() const override { return k_hyperpod_deletion_step; }
  Task<HyperpodSeen> look(const StepContext& context, const HyperpodDeletionInput& input) const override {
    auto client = client_of(accounts_, input.cluster);
    if (!client) co_return fail(client.error());
    co_return co_await look_at_hyperpod_cluster(**client, input.cluster, input.name, context.deadline);
  }
  Decision choose(const StepContext&, const HyperpodDeletionInput& input, const HyperpodSeen& seen,
                  const History& history) const override {
    return choose_hyperpod_deletion(input.cluster, input.name, input.arn, seen, history, std::nullopt);
  }
  Task<json::value> send(const StepContext& context, const HyperpodDeletionInput& input,
                         const HyperpodRequest& request) const override {
    auto client = client_of(accounts_, input.cluster);
    if (!client) co_return fail(client.error());
    co_return co_await delete_cluster(**client, request, context.deadline);
  }

 private:
  aws::Accounts& accounts_;
};

}  // namespace

Task<HyperpodSeen> look_at_hyperpod_cluster(aws::Client& client, ClusterTarget cluster, std::string name,
                                            net::Deadline deadline) {
  auto described = co_await look_at_hyperpod(client, name, deadline);
  if (!described) co_return fail(described.error());
  if (!*described) co_return HyperpodSeen{};
  auto seen = to_seen(**described);
  auto tags = co_await tags_of_hyperpod(client, seen.arn, deadline);
  // It went between the two calls.
  if (!tags && tags.error().code == codes::not_found) co_return HyperpodSeen{};
  if (!tags) co_return fail(tags.error());
  seen.maker = maker_of(*tags, cluster);
  if (is_whole(seen) || seen.status == "Deleting") co_return seen;
  auto troubles = co_await add_troubles(client, name, seen, deadline);
  if (!troubles) co_return fail(troubles.error());
  co_return seen;
}

std::unique_ptr<const operations::StepKind> hyperpod_step(aws::Accounts& accounts) {
  return std::make_unique<MakeHyperpod>(accounts);
}
std::unique_ptr<const operations::StepKind> hyperpod_deletion_step(aws::Accounts& accounts) {
  return std::make_unique<DeleteHyperpod>(accounts);
}

}  // namespace instantstart::capabilities
