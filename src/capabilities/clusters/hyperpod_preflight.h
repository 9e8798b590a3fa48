// What is looked at before HyperPod is made: the account's quotas and what is used of them, where the type is
// offered, the training plan, the security group, the caller's permissions. Everything that is wrong is
// reported at once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "aws/shapes/ec2.h"
#include "aws/shapes/sagemaker.h"
#include "capabilities/clusters/cluster_reader.h"
#include "capabilities/clusters/hyperpod.h"
#include "capabilities/network/preflight.h"

namespace instantstart::capabilities {

/// Whether a security group lets its members talk freely among themselves. EFA needs both rules in just this
/// form: 0.0.0.0/0 is not enough (EC2 user guide, "EFA-enabled security group").
struct SelfRules {
  std::string group_id;
  bool ingress = false;
  bool egress = false;
};
SelfRules self_rules(const aws::ec2::SecurityGroup& group);

struct PlanFacts {
  std::string status;
  std::string zone;
  std::vector<std::string> instance_types;
  std::int64_t available = 0;
  bool for_hyperpod = true;
};
PlanFacts to_facts(const aws::sagemaker::TrainingPlanSummary& plan);

struct HyperpodFacts {
  bool type_exists = true;
  bool type_has_efa = false;
  std::vector<std::string> offering_zones;     ///< Zones that offer the type, by name.
  std::vector<std::string> cluster_zones;      ///< Zones of the cluster's own subnets.
  std::map<std::string, std::int64_t> quotas;  ///< SageMaker's, by name and by code; empty: unreadable.
  std::int64_t type_used = 0;                  ///< Instances of the type, paid by the same, in clusters.
  std::int64_t all_used = 0;                   ///< Instances in all clusters.
  std::optional<PlanFacts> plan;               ///< Of the training plan that is named.
  std::vector<SelfRules> security_groups;
  std::vector<std::string> denied;
  std::string authentication_mode;
  std::vector<std::string> warnings;
};

/// `clusters`: all of the account and region. `eks` without a VPC: there is none yet.
Task<HyperpodFacts> look_around_hyperpod(aws::Client& client, Identity identity, EksFacts eks,
                                         InstanceGroup group, std::vector<HyperpodDescription> clusters,
                                         net::Deadline deadline);

/// Pointers are into the request of hyperpod_create.
std::vector<FieldProblem> hyperpod_problems(const InstanceGroup& group, const HyperpodFacts& facts);

/// That of the request, of the training plan, else the first of the cluster's zones, else of all zones, that
/// offers the type. Empty: there is none.
std::string choose_zone(const InstanceGroup& group, const HyperpodFacts& facts);

}  // namespace instantstart::capabilities
