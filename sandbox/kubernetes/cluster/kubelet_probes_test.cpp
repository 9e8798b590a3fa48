#include <gtest/gtest.h>

#include "sandbox/kubernetes/cluster/testing/cluster_fixture.h"
#include "sandbox/kubernetes/cluster/workload.h"

namespace instantstart::sandbox::kubernetes {
namespace {

/// Listens on 8000 after a minute.
class SlowServer final : public Program {
 public:
  ProgramStep step(const ProgramSite&, std::int64_t index) override {
    up_ = index > 0;
    if (up_) return {.idle = true};
    return {.after = seconds(60)};
  }
  bool passes(const ProgramSite&, const ProbeTarget& target) override { return listens(target.port); }
  bool listens(std::int64_t port) const override { return up_ && port == 8000; }

 private:
  bool up_ = false;
};

class Probes : public ClusterFixture {
 protected:
  void SetUp() override {
    ClusterFixture::SetUp();
    running->runtime.programs().add([](const ContainerView& container) -> std::unique_ptr<Program> {
      if (container.image != "slow:1") return nullptr;
      return std::make_unique<SlowServer>();
    });
    join(node("n1"));
  }
  void run(std::string_view probes) {
    create(pod_text("p", "slow:1",
                    fmt::format(R"("ports":[{{"containerPort":8000,"name":"web"}}],{})", probes)));
  }
  std::string status(std::string_view member) {
    return text(find_pod("p"), fmt::format("status.containerStatuses.0.{}", member));
  }
};

constexpr auto k_patient =
    R"("startupProbe":{"httpGet":{"path":"/health","port":"web"},"failureThreshold":30},)";
constexpr auto k_liveness = R"("livenessProbe":{"httpGet":{"path":"/health","port":8000}},)";

TEST_F(Probes, AServerIsReadyWhenItListens) {
  run(R"("readinessProbe":{"httpGet":{"path":"/health","port":8000}},)");
  pass(seconds(50));
  EXPECT_EQ(status("ready"), "false");
  EXPECT_TRUE(has_event("Unhealthy",
                        "Readiness probe failed: Get \"http://100.64.0.1:8000/health\": dial tcp "
                        "100.64.0.1:8000: connect: connection refused"));
  pass(seconds(40));
  EXPECT_EQ(status("ready"), "true");
}

TEST_F(Probes, AnotherPortIsNeverReady) {
  run(R"("readinessProbe":{"tcpSocket":{"port":9000}},)");
  pass(seconds(300));
  EXPECT_EQ(status("ready"), "false");
}

TEST_F(Probes, AnImpatientLivenessProbeKillsWhatLoads) {
  run(k_liveness);
  pass(seconds(45));
  EXPECT_TRUE(has_event("Killing", "Container main failed liveness probe, will be restarted"));
  EXPECT_NE(status("restartCount"), "0");
}

TEST_F(Probes, TheOthersWaitForTheStartupProbe) {
  run(fmt::format("{}{}", k_patient, k_liveness));
  pass(seconds(50));
  EXPECT_EQ(status("started"), "false");
  EXPECT_EQ(status("ready"), "false");
  pass(seconds(60));
  EXPECT_EQ(status("started"), "true");
  EXPECT_EQ(status("ready"), "true");
  EXPECT_EQ(status("restartCount"), "0");
}

TEST_F(Probes, AServerThatHangsIsStartedAgain) {
  run(fmt::format("{}{}", k_patient, k_liveness));
  pass(seconds(120));
  PodFault fault{.cluster = std::string(k_test_cluster), .pod = "p", .kind = PodFaultKind::silence};
  ASSERT_TRUE(running->runtime.pods().break_pod(fault));
  pass(seconds(40));
  EXPECT_TRUE(has_event("Unhealthy", "Liveness probe failed: context deadline exceeded"));
  EXPECT_EQ(status("restartCount"), "1");
}

}  // namespace
}  // namespace instantstart::sandbox::kubernetes
