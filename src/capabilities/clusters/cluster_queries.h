// The reads of clusters, groups and nodes.
#pragma once

#include "capabilities/clusters/clusters.h"

namespace instantstart::capabilities {

Task<ClusterListAnswer> list_clusters(fleet::Fleet& fleet, contract::PageOptions page);
Task<ClusterGetAnswer> get_cluster(aws::Accounts& accounts, fleet::Fleet& fleet, kube::EksClusters& clusters,
                                   contract::Caller caller, ClusterGet request);
Task<ClusterDiscoverAnswer> discover_clusters(aws::Accounts& accounts, fleet::Fleet& fleet,
                                              contract::Caller caller, ClusterDiscover request);
Task<ClusterForgetAnswer> forget_cluster(fleet::Fleet& fleet, contract::Caller caller, ClusterForget request);

Task<HyperpodGetAnswer> get_hyperpod(aws::Accounts& accounts, fleet::Fleet& fleet, contract::Caller caller,
                                     HyperpodGet request);
/// Groups and nodes of all HyperPod clusters of the cluster, sorted; the cursor is the name of the last one.
Task<GroupListAnswer> list_groups(aws::Accounts& accounts, fleet::Fleet& fleet, contract::Caller caller,
                                  GroupList request, contract::PageOptions page);
Task<NodeListAnswer> list_nodes(aws::Accounts& accounts, fleet::Fleet& fleet, contract::Caller caller,
                                NodeList request, contract::PageOptions page);
Task<NodeGetAnswer> get_node(aws::Accounts& accounts, fleet::Fleet& fleet, contract::Caller caller,
                             NodeGet request);

}  // namespace instantstart::capabilities
