#include "capabilities/clusters/clusters.h"

namespace instantstart::capabilities {

Type describe(StageState*) {
  return enum_type<StageState>("StageState", "How far a stage is.",
                               {{StageState::absent, {"absent", "Nothing is there."}},
                                {StageState::progressing, {"progressing", "It is on its way."}},
                                {StageState::ready, {"ready", "It is in place."}},
                                {StageState::failed, {"failed", "It failed."}},
                                {StageState::foreign, {"foreign", "It is there, and was not made here."}},
                                {StageState::unknown, {"unknown", "It could not be looked at."}}});
}

Type describe(StageView*) {
  return object_type<StageView>(
      "StageView", "A part of a cluster.",
      {field<&StageView::name>("name", "network, control_plane, dependencies or hyperpod."),
       field<&StageView::state>("state", "How far it is."),
       field<&StageView::status>("status", "AWS's word."),
       field<&StageView::message>("message", "In words, where there is something to say.")});
}

Type describe(ClusterList*) { return object_type<ClusterList>("ClusterList", "All managed clusters.", {}); }

Type describe(ClusterSummary*) {
  using Summary = ClusterSummary;
  return object_type<Summary>(
      "ClusterSummary", "A managed cluster.",
      {field<&Summary::cluster>("cluster", "Its key."), field<&Summary::tag>("tag", "Its friendly name."),
       field<&Summary::name>("name", "The EKS name."), field<&Summary::region>("region", "Its region."),
       field<&Summary::account>("account", "Its account."),
       field<&Summary::profile>("profile", "The AWS profile that reaches it."),
       field<&Summary::managed_since>("managed_since", "When it was taken in.")});
}

Type describe(ClusterListAnswer*) {
  return object_type<ClusterListAnswer>(
      "ClusterListAnswer", "Managed clusters.",
      {field<&ClusterListAnswer::clusters>("clusters", "By key."),
       field<&ClusterListAnswer::next_cursor>("next_cursor", "Where to go on; absent at the end.")});
}

Type describe(ClusterGet*) {
  return object_type<ClusterGet>("ClusterGet", "Which cluster.",
                                 {field<&ClusterGet::cluster>("cluster", "Key, tag or ARN.")});
}

Type describe(ClusterGetAnswer*) {
  using Answer = ClusterGetAnswer;
  return object_type<Answer>(
      "ClusterGetAnswer", "A managed cluster with its parts.",
      {field<&Answer::summary>("summary", "What is kept of it."), field<&Answer::arn>("arn", "Its ARN."),
       field<&Answer::kubernetes_version>("kubernetes_version", "Of the control plane."),
       field<&Answer::platform_version>("platform_version", "EKS's own."),
       field<&Answer::vpc_id>("vpc_id", "Its VPC."),
       field<&Answer::authentication_mode>("authentication_mode", "How EKS knows who may use it."),
       field<&Answer::stages>("stages", "Its parts, in the order in which they are made."),
       field<&Answer::hyperpod>("hyperpod", "Its HyperPod clusters."),
       field<&Answer::drift>("drift", "Where what is there is not what was settled.")});
}

Type describe(ClusterDiscover*) {
  return object_type<ClusterDiscover>(
      "ClusterDiscover", "Where to look.",
      {field<&ClusterDiscover::region>("region", "The region; the configured one when left out."),
       field<&ClusterDiscover::profile>("profile", "The AWS profile; the environment's when left out.")});
}

Type describe(FoundHyperpod*) {
  using Found = FoundHyperpod;
  return object_type<Found>("FoundHyperpod", "A HyperPod cluster that is there.",
                            {field<&Found::name>("name", "Its name."), field<&Found::arn>("arn", "Its ARN."),
                             field<&Found::status>("status", "SageMaker's word."),
                             field<&Found::orchestrator>("orchestrator", "eks, slurm or unknown."),
                             field<&Found::note>("note", "What to know of it.")});
}

Type describe(FoundCluster*) {
  using Found = FoundCluster;
  return object_type<Found>("FoundCluster", "An EKS cluster that is there.",
                            {field<&Found::name>("name", "Its name."), field<&Found::arn>("arn", "Its ARN."),
                             field<&Found::status>("status", "EKS's word."),
                             field<&Found::kubernetes_version>("kubernetes_version", "Its version."),
                             field<&Found::managed>("managed", "Whether it is managed here."),
                             field<&Found::tag>("tag", "Its friendly name, when it is."),
                             field<&Found::hyperpod>("hyperpod", "The HyperPod clusters on it.")});
}

Type describe(ClusterDiscoverAnswer*) {
  using Answer = ClusterDiscoverAnswer;
  return object_type<Answer>(
      "ClusterDiscoverAnswer", "What is there.",
      {field<&Answer::region>("region", "The region that was asked."),
       field<&Answer::account>("account", "The account that was asked."),
       field<&Answer::clusters>("clusters", "Every EKS cluster."),
       field<&Answer::other_hyperpod>("other_hyperpod", "HyperPod clusters that are on none of these.")});
}

Type describe(ClusterImport*) {
  using Request = ClusterImport;
  return object_type<Request>(
      "ClusterImport", "Which cluster to take in.",
      {field<&Request::name>("name", "The EKS cluster, by name or ARN.", {.rule = {.min = 1, .max = 2048}}),
       field<&Request::region>("region", "The region; that of the ARN, else the configured one."),
       field<&Request::profile>("profile", "The AWS profile; the environment's when left out."),
       field<&Request::tag>("tag", "A friendly unique name; the EKS name when left out."),
       field<&Request::access_entry>(
           "access_entry", "Also give the caller an access entry as administrator, where there is none.",
           {.defaulted = true})});
}

Type describe(ClusterForget*) {
  return object_type<ClusterForget>("ClusterForget", "Which cluster to leave alone.",
                                    {field<&ClusterForget::cluster>("cluster", "Key, tag or ARN.")});
}

Type describe(ClusterForgetAnswer*) {
  return object_type<ClusterForgetAnswer>(
      "ClusterForgetAnswer", "The cluster is managed here no longer.",
      {field<&ClusterForgetAnswer::cluster>("cluster", "The cluster, by key."),
       field<&ClusterForgetAnswer::forgotten>("forgotten", "Whether it was forgotten now.")});
}

}  // namespace instantstart::capabilities
