#include "sandbox/services/sagemaker/sagemaker.h"

#include <string>

#include "sandbox/services/sagemaker/batch_nodes.h"
#include "sandbox/services/sagemaker/cluster_events.h"
#include "sandbox/services/sagemaker/cluster_run.h"
#include "sandbox/services/sagemaker/clusters.h"
#include "sandbox/services/sagemaker/node_life.h"
#include "sandbox/services/sagemaker/node_lists.h"
#include "sandbox/services/sagemaker/software_updates.h"
#include "sandbox/services/sagemaker/tags.h"
#include "sandbox/services/sagemaker/training_plans.h"
#include "sandbox/services/sagemaker/update_cluster.h"

namespace instantstart::sandbox::sagemaker {

template <class Op>
void SageMaker::serve(Reply<typename Op::Output> (*handler)(State&, const Call&, const typename Op::Input&)) {
  on<Op>([this, handler](const Call& call, const typename Op::Input& in) -> Reply<typename Op::Output> {
    return handler(state_, call, in);
  });
}

SageMaker::SageMaker(World& world, Neighbours neighbours)
    : Service(api::service()), state_(world, neighbours) {
  const auto on_timer = [&](std::string_view kind, void (*run)(State&, const std::string&)) {
    world.on_timer(std::string(kind), [this, run](const std::string& key) { run(state_, key); });
  };
  on_timer(k_cluster_timer, &advance_cluster);
  on_timer(k_minimum_timer, &end_wait_for_minimum);
  on_timer(k_node_timer, &advance_node);
  on_timer(k_software_timer, &advance_software);
  world.on_new_account(
      [this] { state_.beginning.put("account", {.at_ms = state_.world.now().time_since_epoch().count()}); });
  serve_all();
}

void SageMaker::serve_all() {
  serve<api::CreateCluster>(&create_cluster);
  serve<api::DescribeCluster>(&describe_cluster);
  serve<api::UpdateCluster>(&update_cluster);
  serve<api::ListClusters>(&list_clusters);
  serve<api::DeleteCluster>(&delete_cluster);
  serve<api::UpdateClusterSoftware>(&update_cluster_software);
  serve<api::ListClusterNodes>(&list_cluster_nodes);
  serve<api::DescribeClusterNode>(&describe_cluster_node);
  serve<api::BatchAddClusterNodes>(&batch_add_cluster_nodes);
  serve<api::BatchDeleteClusterNodes>(&batch_delete_cluster_nodes);
  serve<api::BatchRebootClusterNodes>(&batch_reboot_cluster_nodes);
  serve<api::BatchReplaceClusterNodes>(&batch_replace_cluster_nodes);
  serve<api::ListClusterEvents>(&list_cluster_events);
  serve<api::DescribeClusterEvent>(&describe_cluster_event);
  serve<api::AddTags>(&add_tags);
  serve<api::ListTags>(&list_tags);
  serve<api::DeleteTags>(&delete_tags);
  serve<api::ListTrainingPlans>(&list_training_plans);
  serve<api::SearchTrainingPlanOfferings>(&search_training_plan_offerings);
}

void SageMaker::health_status_labelled(std::string_view cluster_id, std::string_view node,
                                       std::string_view value) {
  act_on_label(state_, cluster_id, node, value);
}

}  // namespace instantstart::sandbox::sagemaker
