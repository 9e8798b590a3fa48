// Looks at jobs, their pods, and the nodes that could run them. It changes nothing.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capabilities/dependencies/component_reader.h"
#include "capabilities/training/job_object.h"
#include "capabilities/training/job_seen.h"
#include "kube/resource_type.h"

namespace instantstart::capabilities {

/// A job with its pods.
struct JobObjects {
  json::object job;
  std::vector<json::object> pods;
  std::vector<json::object> events;  ///< Of the job, as long as the cluster keeps them.
};

/// Loop thread only. What it is made of outlives it and its calls. Errors of all: those of the AWS client and
/// of the Kubernetes client.
class JobReader {
 public:
  JobReader(aws::Accounts& accounts, kube::EksClusters& clusters)
      : accounts_(accounts), components_(accounts, clusters) {}

  const ComponentReader& components() const { return components_; }

  /// As the server spells the kind; nullopt where the operator is not installed.
  static Task<std::optional<kube::ResourceType>> type(std::shared_ptr<kube::EksCluster> api,
                                                      net::Deadline deadline);

  /// Compared with the whole of `wanted`.
  Task<JobSeen> seen(JobSpec wanted, net::Deadline deadline) const;
  /// Compared with nothing.
  Task<JobSeen> seen(ClusterTarget cluster, std::string space, std::string name,
                     net::Deadline deadline) const;
  /// Error `not_found`, with the nearest name.
  Task<JobObjects> job(ClusterTarget cluster, std::string space, std::string name,
                       net::Deadline deadline) const;
  /// By namespace and name; an empty namespace means all.
  Task<std::vector<JobSummary>> jobs(ClusterTarget cluster, std::string space, net::Deadline deadline) const;

  /// Of HyperPod, with the GPUs that pods have there.
  Task<std::vector<TrainingNode>> nodes(ClusterTarget cluster, net::Deadline deadline) const;
  Task<std::vector<TrainingGroup>> groups(ClusterTarget cluster, net::Deadline deadline) const;
  /// `type` as EC2 writes it; nullopt: there is none in the region.
  Task<std::optional<TypeFacts>> type_facts(ClusterTarget cluster, std::string type,
                                            net::Deadline deadline) const;

 private:
  Task<JobSeen> look(ClusterTarget cluster, std::string space, std::string name,
                     std::optional<JobSpec> wanted, net::Deadline deadline) const;

  aws::Accounts& accounts_;
  ComponentReader components_;
};

}  // namespace instantstart::capabilities
