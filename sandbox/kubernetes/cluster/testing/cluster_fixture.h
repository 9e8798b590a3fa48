// One cluster with everything that runs in it, in virtual time.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/core/testing/world_fixture.h"
#include "sandbox/kubernetes/api/testing/stand_ins.h"
#include "sandbox/kubernetes/cluster/cluster_runtime.h"

namespace instantstart::sandbox::kubernetes {

class ClusterFixture : public WorldFixture {
 protected:
  void SetUp() override { start_cluster(); }
  void TearDown() override { end_cluster(); }

  /// As the process starts, on what an earlier one left.
  void start_cluster(WorldOptions options = {});
  void end_cluster();
  /// What a room above adds to the runtime, at each start.
  virtual void furnish(World&, ClusterRuntime&) {}
  void pass(milliseconds duration) { process->pass(duration); }

  /// "POST" of JSON text; a failure of the test when it is refused.
  json::object create(std::string_view text);
  /// Of namespace default, or of the cluster where the kind has none.
  const json::object* find(std::string_view group, std::string_view resource, std::string_view name);
  const json::object* find_pod(std::string_view name) { return find("", "pods", name); }
  std::vector<const json::object*> list(std::string_view group, std::string_view resource);
  std::vector<std::string> names(std::string_view group, std::string_view resource);
  /// The text at a path of members and array places: "status.conditions.0.type".
  static std::string text(const json::object* object, std::string_view path);
  /// That of the only container of a pod: "waiting ImagePullBackOff".
  std::string container_state(std::string_view pod);
  void change(std::string_view group, std::string_view resource, std::string_view name,
              std::string_view merge_patch);
  void remove(std::string_view group, std::string_view resource, std::string_view name,
              const DeleteOptions& options = {});
  bool has_event(std::string_view reason, std::string_view message_part);

  NodeSpec node(std::string name, std::map<std::string, std::string> more = {});
  void join(const NodeSpec& spec) { running->runtime.nodes().join(k_test_cluster, spec); }
  std::string read_log(LogRequest request);
  static LogRequest log_of(std::string pod, std::string container = "main");
  net::Response request(ProxyTarget target, net::Request request);

  struct Running {
    Running(World& world, const Clock& clock) : faults(world), tokens(clock), runtime(world) {}
    FaultPlan faults;
    TestDirectory directory;
    TestTokens tokens;
    ClusterRuntime runtime;
    std::unique_ptr<ApiServers> servers;
  };
  std::unique_ptr<Running> running;
};

/// A pod "NAME" with a container "main".
std::string pod_text(std::string_view name, std::string_view image = "registry/app:1",
                     std::string_view container_rest = "", std::string_view spec_rest = "");

}  // namespace instantstart::sandbox::kubernetes
