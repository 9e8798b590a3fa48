// The Kubernetes API servers of all clusters, behind one port: each below its path, "/clusters/<id>", where
// kubectl, helm and client-go append "/api/v1/…".
//
// The way of a request is that of an AWS call: who asks, may they, what does the fault plan say, carry it
// out, make it durable together with its audit row, answer.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "base/log.h"
#include "net/http.h"
#include "net/signal.h"
#include "sandbox/core/control_planes.h"
#include "sandbox/core/faults.h"
#include "sandbox/core/world.h"
#include "sandbox/kubernetes/api/authenticator.h"
#include "sandbox/kubernetes/api/authorizer.h"
#include "sandbox/kubernetes/api/cluster_objects.h"
#include "sandbox/kubernetes/api/identity.h"
#include "sandbox/kubernetes/api/lifecycle.h"
#include "sandbox/kubernetes/api/node_access.h"
#include "sandbox/kubernetes/api/object_store.h"
#include "sandbox/kubernetes/api/object_writer.h"
#include "sandbox/kubernetes/api/open_api.h"
#include "sandbox/kubernetes/api/rest.h"
#include "sandbox/kubernetes/api/served_types.h"

namespace instantstart::sandbox::kubernetes {

/// kube-apiserver's limit of a request's body.
inline constexpr std::size_t k_largest_body = k_max_body;

struct ApiServersParts {
  World& world;
  FaultPlan& faults;
  AccessDirectory& directory;
  const ServiceAccountTokens& tokens;
  PodLogs& logs;
  PodProxy& proxy;
  VerifyEksToken verify_eks_token;
  Log log;
  std::string base_url;  ///< "https://127.0.0.1:6443"
  std::string ca_pem;
};

/// Loop thread only. To be made before the world is loaded; its parts must outlive it.
class ApiServers final : public ControlPlaneHost {
 public:
  /// Error `internal` when the built-in types can't be unpacked.
  static Result<std::unique_ptr<ApiServers>> make(ApiServersParts parts);

  /// A call that has arrived is carried out and made durable even when its caller goes away meanwhile.
  asio::awaitable<net::Response> handle(net::Request request);
  /// What the HTTP server refuses by itself.
  static net::Response refuse_request(int status, std::string_view reason);
  /// Delays of the fault plan end now: the server is about to stop.
  void hurry();

  ControlPlaneEndpoint endpoint(std::string_view cluster_id) const override;
  void open(const ControlPlaneRef& cluster) override;
  void close(std::string_view cluster_id) override;
  void apply_addon(std::string_view cluster_id, const AddonRef& addon) override;
  void remove_addon(std::string_view cluster_id, std::string_view addon_name) override;
  AddonHealth addon_health(std::string_view cluster_id, std::string_view addon_name) const override;

  /// For what runs in the clusters. `manager` is the field manager.
  ClusterObjects objects(std::string cluster, std::string manager);
  ObjectStore& store() { return store_; }

 private:
  ApiServers(ApiServersParts parts, SchemaSet built_in);

  struct Passage;
  asio::awaitable<net::Response> answer(net::Request request);
  Outcome<ApiCall> read(net::Request request);
  Outcome<> authorize(const ApiCall& call) const;
  asio::awaitable<net::Response> carry_out(Passage passage);
  asio::awaitable<net::Response> run(const Passage& passage);
  asio::awaitable<void> delay(const FaultRule& rule);
  Task<> record(const Passage& passage, const net::Response& response);

  ApiServersParts parts_;
  ObjectStore store_;
  ServedTypes types_;
  ObjectWriter writer_;
  OpenApi open_api_;
  Authorizer authorizer_;
  Authenticator authenticator_;
  Lifecycle lifecycle_;
  Rest rest_;
  net::Signal hurried_;
  bool in_a_hurry_ = false;
};

}  // namespace instantstart::sandbox::kubernetes
