#include "capabilities/dependencies/cluster_target.h"

#include "aws/endpoints.h"

namespace instantstart::capabilities {

Type describe(ClusterTarget*) {
  return object_type<ClusterTarget>(
      "ClusterTarget", "A cluster and how it is reached.",
      {field<&ClusterTarget::name>("name", "Its EKS name."),
       field<&ClusterTarget::region>("region", "Its region."),
       field<&ClusterTarget::account>("account", "Its account."),
       field<&ClusterTarget::profile>("profile", "The AWS profile that reaches it.")});
}

ClusterTarget target_of(const fleet::ClusterRecord& record) {
  return {record.key.name, record.key.region, record.key.account, record.profile};
}

domain::ClusterKey key_of(const ClusterTarget& target) {
  return {.name = target.name, .region = target.region, .account = target.account};
}

kube::EksClusterId eks_id_of(const ClusterTarget& target) {
  return {.name = target.name, .region = target.region, .account = target.account, .profile = target.profile};
}

domain::Place place_of(const ClusterTarget& target) {
  return {.partition = std::string(aws::partition_of(target.region).id),
          .region = target.region,
          .account = target.account};
}

std::string cluster_arn_of(const ClusterTarget& target) {
  return domain::cluster_arn(key_of(target), aws::partition_of(target.region).id);
}

}  // namespace instantstart::capabilities
