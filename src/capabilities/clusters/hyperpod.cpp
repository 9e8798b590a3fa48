#include "capabilities/clusters/hyperpod.h"

#include <fmt/core.h>

namespace instantstart::capabilities {
namespace {

/// API reference, CreateCluster: ClusterName and InstanceGroupName.
constexpr std::string_view k_sagemaker_name = "^[a-zA-Z0-9](-*[a-zA-Z0-9])*$";
constexpr double k_longest_name = 63;
constexpr double k_most_instances = 6'758;      // ClusterInstanceCount
constexpr double k_most_volume_gib = 16'384;    // ClusterEbsVolumeSizeInGB
constexpr double k_most_kubernetes_items = 50;  // ClusterKubernetesLabels, ClusterKubernetesTaints

/// Rules between members; pointers are relative to the group.
void check_group(const InstanceGroup& group, std::vector<FieldProblem>& problems) {
  const auto complain = [&](std::string_view pointer, std::string_view rule, std::string_view why) {
    problems.push_back({std::string(pointer), std::string(rule), std::string(why), "", std::nullopt});
  };
  const bool planned = group.capacity == CapacityType::training_plan;
  if (planned && !group.training_plan_arn) {
    complain("/training_plan_arn", "required", "is needed for the capacity of a training plan");
  }
  if (group.training_plan_arn && group.capacity && !planned) {
    complain("/training_plan_arn", "not_together", "means nothing for on-demand and spot capacity");
  }
  if (group.min_count && *group.min_count > group.count) {
    complain("/min_count", "maximum", "can't be more than count");
  }
  if (group.volume_kms_key && !group.volume_gib) {
    complain("/volume_kms_key", "not_together", "encrypts the volume of volume_gib, which is not given");
  }
}

}  // namespace

Type describe(HyperpodName*) {
  return text_type<HyperpodName>("HyperpodName", "The name of a HyperPod cluster.",
                                 {.min = 1, .max = k_longest_name, .pattern = Pattern(k_sagemaker_name)},
                                 {"demo"});
}

Type describe(GroupName*) {
  return text_type<GroupName>("GroupName", "The name of an instance group.",
                              {.min = 1, .max = k_longest_name, .pattern = Pattern(k_sagemaker_name)},
                              {"workers"});
}

Type describe(TrainingPlanArn*) {
  return text_type<TrainingPlanArn>(
      "TrainingPlanArn", "The ARN of a SageMaker training plan.",
      {.min = 50,
       .max = 2048,
       .pattern =
           Pattern("^arn:aws(-[a-z]+)*:sagemaker:[a-z0-9-]+:[0-9]{12}:training-plan/[A-Za-z0-9-]{1,64}$")},
      {"arn:aws:sagemaker:us-west-2:123456789012:training-plan/spring"});
}

Type describe(NodeId*) {
  return text_type<NodeId>("NodeId", "An EC2 instance id, or a node's logical id while it has no instance.",
                           {.min = 3, .max = 256, .pattern = Pattern("^[A-Za-z0-9][A-Za-z0-9_.-]*$")},
                           {"i-0123456789abcdef0"});
}

Type describe(CapacityType*) {
  return enum_type<CapacityType>(
      "CapacityType", "What the instances are paid by. It can't be changed afterwards.",
      {{CapacityType::on_demand, {"on_demand", "On demand."}},
       {CapacityType::spot, {"spot", "Spot: cheaper, and taken away when AWS needs them."}},
       {CapacityType::training_plan, {"training_plan", "Reserved by a training plan."}}});
}

Type describe(InterfaceMode*) {
  return enum_type<InterfaceMode>(
      "InterfaceMode", "How instances with EFA are connected. It can't be changed afterwards.",
      {{InterfaceMode::efa, {"efa", "Interfaces that carry EFA and IP."}},
       {InterfaceMode::efa_only, {"efa_only", "Interfaces for EFA alone, which need no IP addresses."}}});
}

Type describe(TaintEffect*) {
  return enum_type<TaintEffect>("TaintEffect", "What a taint does.",
                                {{TaintEffect::no_schedule, {"no_schedule", "Keeps new pods away."}},
                                 {TaintEffect::prefer_no_schedule, {"prefer_no_schedule", "Where possible."}},
                                 {TaintEffect::no_execute, {"no_execute", "Evicts running pods too."}}});
}

Type describe(Taint*) {
  return object_type<Taint>("Taint", "A Kubernetes taint.",
                            {field<&Taint::key>("key", "Its key.", {.rule = {.min = 1, .max = 317}}),
                             field<&Taint::value>("value", "Its value.", {.rule = {.max = 63}}),
                             field<&Taint::effect>("effect", "What it does.", {.defaulted = true})});
}

Type describe(InstanceGroup*) {
  using Group = InstanceGroup;
  return object_type<Group>(
      "InstanceGroup", "Instances of one type that are settled alike.",
      {field<&Group::name>("name", "Its name.", {.defaulted = true}),
       field<&Group::instance_type>("instance_type", "The instance type."),
       field<&Group::count>("count", "How many.",
                            {.defaulted = true, .rule = {.min = 0, .max = k_most_instances}}),
       field<&Group::min_count>("min_count",
                                "How many must be there before any is used; HyperPod gives up after 3 hours.",
                                {.rule = {.min = 0, .max = k_most_instances}}),
       field<&Group::capacity>("capacity", "on_demand when left out; training_plan with a training plan."),
       field<&Group::training_plan_arn>("training_plan_arn", "The training plan that holds the capacity."),
       field<&Group::zone>("zone", "The zone; that of the training plan, else one that has the type."),
       field<&Group::volume_gib>("volume_gib", "A second volume for images and scratch; none when left out.",
                                 {.rule = {.min = 1, .max = k_most_volume_gib}}),
       field<&Group::volume_kms_key>("volume_kms_key", "The key that encrypts this volume."),
       field<&Group::deep_health_checks>(
           "deep_health_checks",
           "Stress and connectivity tests before nodes take work; an hour or two. Not when left out."),
       field<&Group::interface_mode>("interface_mode", "HyperPod's default for the type when left out."),
       field<&Group::threads_per_core>(
           "threads_per_core",
           "2 for training plans and p4, p5 and p6 types, which need it, else 1, when left out.",
           {.rule = {.min = 1, .max = 2}}),
       field<&Group::labels>("labels", "Kubernetes labels of the nodes.",
                             {.rule = {.max = k_most_kubernetes_items}}),
       field<&Group::taints>("taints", "Kubernetes taints of the nodes.",
                             {.rule = {.max = k_most_kubernetes_items}})},
      check_group);
}

Type describe(HyperpodCreate*) {
  using Request = HyperpodCreate;
  return object_type<Request>(
      "HyperpodCreate", "A HyperPod cluster with its first instance group.",
      {field<&Request::cluster>("cluster", "The managed cluster that gets it."),
       field<&Request::name>("name", "The HyperPod cluster's name; made from the EKS name when left out."),
       field<&Request::group>("group", "The first instance group.")});
}

Type describe(HyperpodGet*) {
  return object_type<HyperpodGet>("HyperpodGet", "Which cluster's HyperPod cluster.",
                                  {field<&HyperpodGet::cluster>("cluster", "The cluster.")});
}

Type describe(HyperpodDelete*) {
  return object_type<HyperpodDelete>("HyperpodDelete", "Which cluster's HyperPod cluster goes.",
                                     {field<&HyperpodDelete::cluster>("cluster", "The cluster.")});
}

Type describe(FailureView*) {
  using View = FailureView;
  return object_type<View>(
      "FailureView", "Why something failed, joined from all that AWS says of it.",
      {field<&View::cause>("cause",
                           "capacity, quota, permissions, lifecycle, network, dependencies or unknown."),
       field<&View::message>("message", "In words."),
       field<&View::instance_id>("instance_id", "The instance that failed."),
       field<&View::log_group>("log_group", "Where the log of the lifecycle script is."),
       field<&View::logs>("logs", "Whether there is one: present, absent or unreadable."),
       field<&View::evidence>("evidence", "What AWS said, most telling first."),
       field<&View::checks>("checks", "What to look at next, in order.")});
}

Type describe(GroupView*) {
  using View = GroupView;
  return object_type<View>(
      "GroupView", "An instance group.",
      {field<&View::name>("name", "Its name."),
       field<&View::instance_type>("instance_type", "Its type; absent for groups of several."),
       field<&View::status>("status", "SageMaker's word."),
       field<&View::target>("target", "Instances that are wanted."),
       field<&View::current>("current", "Instances that are there."),
       field<&View::min_count>("min_count", "Instances that must be there before any is used."),
       field<&View::capacity>("capacity", "What they are paid by."),
       field<&View::training_plan_arn>("training_plan_arn", "The training plan."),
       field<&View::interface_mode>("interface_mode", "How they are connected."),
       field<&View::subnet_ids>("subnet_ids", "Where they are."),
       field<&View::deep_health_checks>("deep_health_checks", "Checks before nodes take work."),
       field<&View::image_version>("image_version", "The HyperPod image that runs."),
       field<&View::drift>("drift", "Where the nodes are not yet what is wanted.")});
}

Type describe(HyperpodView*) {
  using View = HyperpodView;
  return object_type<View>(
      "HyperpodView", "A HyperPod cluster.",
      {field<&View::name>("name", "Its name."), field<&View::arn>("arn", "Its ARN."),
       field<&View::status>("status", "SageMaker's word."),
       field<&View::created_at>("created_at", "When it was made."),
       field<&View::orchestrator>("orchestrator", "eks or slurm."),
       field<&View::node_recovery>("node_recovery", "Whether faulty nodes are replaced by themselves."),
       field<&View::provisioning>("provisioning", "Continuous, or absent for the classic mode."),
       field<&View::ours>("ours", "Whether it was made here, as its tags say."),
       field<&View::groups>("groups", "Its instance groups."),
       field<&View::failure>("failure", "Why it failed.")});
}

Type describe(HyperpodGetAnswer*) {
  return object_type<HyperpodGetAnswer>(
      "HyperpodGetAnswer", "The HyperPod clusters of a cluster.",
      {field<&HyperpodGetAnswer::cluster>("cluster", "The cluster, by key."),
       field<&HyperpodGetAnswer::hyperpod>("hyperpod", "Each of them; none while there is none.")});
}

Type describe(GroupList*) {
  return object_type<GroupList>("GroupList", "Which cluster's instance groups.",
                                {field<&GroupList::cluster>("cluster", "The cluster.")});
}

Type describe(GroupListAnswer*) {
  return object_type<GroupListAnswer>(
      "GroupListAnswer", "Instance groups.",
      {field<&GroupListAnswer::cluster>("cluster", "The cluster, by key."),
       field<&GroupListAnswer::groups>("groups", "By name."),
       field<&GroupListAnswer::next_cursor>("next_cursor", "Where to go on; absent at the end.")});
}

Type describe(NodeList*) {
  return object_type<NodeList>("NodeList", "Which nodes.",
                               {field<&NodeList::cluster>("cluster", "The cluster."),
                                field<&NodeList::group>("group", "Only those of this group.")});
}

Type describe(NodeView*) {
  using View = NodeView;
  return object_type<View>(
      "NodeView", "A node as SageMaker lists it.",
      {field<&View::instance_id>("instance_id", "Its instance; absent while it is being provisioned."),
       field<&View::logical_id>("logical_id", "Its id before it has an instance."),
       field<&View::group>("group", "Its group."), field<&View::status>("status", "SageMaker's word."),
       field<&View::message>("message", "What SageMaker says of it."),
       field<&View::instance_type>("instance_type", "Its type."),
       field<&View::launched_at>("launched_at", "When it was launched."),
       field<&View::kubernetes_name>("kubernetes_name", "The Kubernetes node's name."),
       field<&View::image_version>("image_version", "The HyperPod image that runs.")});
}

Type describe(NodeListAnswer*) {
  return object_type<NodeListAnswer>(
      "NodeListAnswer", "Nodes.",
      {field<&NodeListAnswer::cluster>("cluster", "The cluster, by key."),
       field<&NodeListAnswer::nodes>("nodes", "By group and id."),
       field<&NodeListAnswer::next_cursor>("next_cursor", "Where to go on; absent at the end.")});
}

Type describe(NodeGet*) {
  return object_type<NodeGet>("NodeGet", "Which node.",
                              {field<&NodeGet::cluster>("cluster", "The cluster."),
                               field<&NodeGet::node>("node", "The node, by instance id or logical id.")});
}

Type describe(NodeGetAnswer*) {
  using Answer = NodeGetAnswer;
  return object_type<Answer>(
      "NodeGetAnswer", "A node.",
      {field<&Answer::cluster>("cluster", "The cluster, by key."), field<&Answer::node>("node", "The node."),
       field<&Answer::private_ip>("private_ip", "Its address."),
       field<&Answer::zone>("zone", "Its zone, by name."), field<&Answer::zone_id>("zone_id", "…, by id."),
       field<&Answer::capacity_type>("capacity_type", "SageMaker's word: Spot or OnDemand."),
       field<&Answer::interface_mode>("interface_mode", "How it is connected."),
       field<&Answer::desired_image_id>("desired_image_id", "The image it shall run."),
       field<&Answer::current_image_id>("current_image_id", "The image it runs."),
       field<&Answer::subnet_ids>("subnet_ids", "Its own subnets, where the group's differ.")});
}

}  // namespace instantstart::capabilities
