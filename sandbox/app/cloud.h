// The composition of the simulated cloud: every service is made here and handed down, nothing is global.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <boost/asio/any_io_executor.hpp>

#include "base/log.h"
#include "net/http.h"
#include "net/task_group.h"
#include "sandbox/app/late_host.h"
#include "sandbox/app/s3_buckets.h"
#include "sandbox/core/access_keys.h"
#include "sandbox/core/faults.h"
#include "sandbox/core/internal_calls.h"
#include "sandbox/core/world.h"
#include "sandbox/gateway/control.h"
#include "sandbox/gateway/gateway.h"
#include "sandbox/kubernetes/api/api_servers.h"
#include "sandbox/kubernetes/cluster/cluster_runtime.h"
#include "sandbox/kubernetes/training/training.h"
#include "sandbox/services/cloudformation/cloudformation.h"
#include "sandbox/services/cloudtrail/cloudtrail.h"
#include "sandbox/services/ec2/ec2.h"
#include "sandbox/services/eks/eks.h"
#include "sandbox/services/iam/iam.h"
#include "sandbox/services/logs/logs.h"
#include "sandbox/services/s3/s3.h"
#include "sandbox/services/sagemaker/sagemaker.h"
#include "sandbox/services/service_quotas/quotas.h"
#include "sandbox/services/service_quotas/service_quotas.h"
#include "sandbox/services/sts/sts.h"

namespace instantstart::sandbox {

/// What the cloud stands on; all of it must outlive the cloud.
struct CloudGround {
  asio::any_io_executor executor;
  net::Timekeeper& time;
  Random& random;
  Log log;
  store::Database& database;
};

/// Where the API servers of clusters are reached.
struct KubernetesFront {
  std::string url;  ///< "https://127.0.0.1:6443"
  std::string authority_pem;
};

/// Loop thread only.
class Cloud {
 public:
  /// Error `internal` when the built-in types of Kubernetes can't be unpacked.
  static Result<std::unique_ptr<Cloud>> make(CloudGround ground, WorldOptions options, KubernetesFront front);

  /// Reads the world back and starts its timers. The store must be held by this cloud alone.
  Task<> start();
  /// After the HTTP server has stopped; also after a start that failed.
  asio::awaitable<void> stop();

  asio::awaitable<net::Response> handle(net::Request request);
  asio::awaitable<net::Response> handle_kubernetes(net::Request request);
  /// What `POST /_sandbox/stop` does; it must let that request be answered.
  void on_stop(std::function<void()> stop);
  /// The server is about to stop: nobody should wait for a simulated delay.
  void hurry();

  const AccessKey& root_key() const { return keys_.root(); }

 private:
  Cloud(CloudGround ground, WorldOptions options);
  ServiceTable services();
  Task<json::value> change_quota(ControlRequest request);
  Task<json::value> break_node(ControlRequest request);
  Task<json::value> break_pod(ControlRequest request);

  Log log_;
  store::Database& database_;
  World world_;
  FaultPlan faults_;
  AccessKeys keys_;
  Quotas quotas_;
  InternalCalls internal_calls_;
  iam::Iam iam_;
  ec2::Ec2 ec2_;
  LateHost host_;
  eks::Eks eks_;
  kubernetes::ClusterRuntime runtime_;
  kubernetes::Training training_;
  std::unique_ptr<kubernetes::ApiServers> api_servers_;
  cloudformation::CloudFormation cloudformation_;
  StsService sts_;
  CloudTrailService cloudtrail_;
  ServiceQuotasService service_quotas_;
  s3::S3 s3_;
  S3Buckets buckets_;
  logs::Logs logs_;
  sagemaker::SageMaker sagemaker_;
  Gateway gateway_;
  ControlApi control_;
  net::TaskGroup background_;
};

}  // namespace instantstart::sandbox
