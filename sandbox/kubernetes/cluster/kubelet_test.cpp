#include "sandbox/kubernetes/cluster/kubelet.h"

#include <gtest/gtest.h>

#include "sandbox/kubernetes/cluster/testing/cluster_fixture.h"
#include "sandbox/kubernetes/cluster/workload.h"

namespace instantstart::sandbox::kubernetes {
namespace {

class KubeletLife : public ClusterFixture {
 protected:
  void SetUp() override {
    ClusterFixture::SetUp();
    join(node("n1"));
  }
  void run_shell(std::string_view script, std::string_view policy = "Never", std::string_view name = "p") {
    create(pod_text(name, "busybox", fmt::format(R"("command":["sh","-c","{}"],)", script),
                    fmt::format(R"("restartPolicy":"{}",)", policy)));
  }
};

TEST_F(KubeletLife, APodIsPulledStartedAndReady) {
  create(pod_text("p"));
  pass(milliseconds(500));
  EXPECT_EQ(text(find_pod("p"), "spec.nodeName"), "n1");
  EXPECT_EQ(container_state("p"), "waiting ContainerCreating");
  pass(seconds(3));
  EXPECT_EQ(text(find_pod("p"), "status.phase"), "Pending");
  pass(seconds(10));
  EXPECT_EQ(text(find_pod("p"), "status.phase"), "Running");
  EXPECT_EQ(container_state("p"), "running");
  EXPECT_TRUE(is_ready_pod(*find_pod("p")));
  EXPECT_EQ(text(find_pod("p"), "status.podIP"), "100.64.0.1");
  EXPECT_EQ(text(find_pod("p"), "status.hostIP"), "10.0.1.5");
  EXPECT_TRUE(has_event("Scheduled", "Successfully assigned default/p to n1"));
  for (const auto reason : {"Pulling", "Pulled", "Created", "Started"})
    EXPECT_TRUE(has_event(reason, "")) << reason;
}

TEST_F(KubeletLife, AScriptPrintsAndEnds) {
  run_shell("echo one; sleep 5; echo two");
  pass(seconds(20));
  EXPECT_EQ(text(find_pod("p"), "status.phase"), "Succeeded");
  EXPECT_EQ(container_state("p"), "terminated Completed");
  EXPECT_EQ(read_log(log_of("p")), "one\ntwo\n");
}

TEST_F(KubeletLife, AnExitCodeFailsThePod) {
  run_shell("echo bad && exit 3");
  pass(seconds(20));
  EXPECT_EQ(text(find_pod("p"), "status.phase"), "Failed");
  EXPECT_EQ(text(find_pod("p"), "status.containerStatuses.0.state.terminated.exitCode"), "3");
}

TEST_F(KubeletLife, AFailingContainerBacksOff) {
  run_shell("echo bad; exit 1", "Always");
  pass(milliseconds(3500));
  EXPECT_EQ(container_state("p"), "terminated Error");
  pass(seconds(10));
  EXPECT_EQ(container_state("p"), "waiting CrashLoopBackOff");
  EXPECT_EQ(text(find_pod("p"), "status.containerStatuses.0.restartCount"), "1");
  EXPECT_EQ(text(find_pod("p"), "status.phase"), "Running");
  EXPECT_TRUE(has_event("BackOff", "Back-off restarting failed container main"));
  pass(seconds(60));
  EXPECT_EQ(text(find_pod("p"), "status.containerStatuses.0.restartCount"), "3");
  auto previous = log_of("p");
  previous.previous = true;
  EXPECT_EQ(read_log(previous), "bad\n");
}

TEST_F(KubeletLife, EventsGoAfterAnHour) {
  create(pod_text("p"));
  pass(seconds(20));
  EXPECT_TRUE(has_event("Started", "main"));
  pass(std::chrono::minutes(70));
  EXPECT_FALSE(has_event("Started", "main"));
}

TEST_F(KubeletLife, AnImageThatIsNotThereBacksOff) {
  create(pod_text("p", "registry.example/app:1"));
  create(pod_text("q", "me/does-not-exist"));
  pass(milliseconds(3500));
  EXPECT_EQ(container_state("p"), "waiting ErrImagePull");
  EXPECT_EQ(read_log(log_of("q")),
            "refused: container \"main\" in pod \"q\" is waiting to start: image can't be pulled");
  pass(seconds(5));
  EXPECT_EQ(container_state("p"), "waiting ImagePullBackOff");
  EXPECT_TRUE(has_event("Failed", "no such host"));
  EXPECT_TRUE(has_event("BackOff", "Back-off pulling image"));
  pass(seconds(3600));
  EXPECT_EQ(text(find_pod("p"), "status.phase"), "Pending");
}

TEST_F(KubeletLife, InitContainersRunInOrder) {
  create(pod_text("p", "registry/app:1", "",
                  R"("initContainers":[{"name":"a","image":"busybox","command":["sleep","10"]},
                                       {"name":"b","image":"busybox","command":["sleep","10"]}],)"));
  pass(seconds(8));
  EXPECT_EQ(text(find_pod("p"), "status.initContainerStatuses.1.state.waiting.reason"), "PodInitializing");
  EXPECT_EQ(text(find_pod("p"), "status.phase"), "Pending");
  pass(seconds(60));
  EXPECT_EQ(text(find_pod("p"), "status.phase"), "Running");
  EXPECT_EQ(text(find_pod("p"), "status.initContainerStatuses.1.state.terminated.exitCode"), "0");
}

TEST_F(KubeletLife, ADeletedPodEndsWithGrace) {
  create(pod_text("p"));
  pass(seconds(20));
  remove("", "pods", "p");
  pass(milliseconds(500));
  ASSERT_NE(find_pod("p"), nullptr);
  EXPECT_TRUE(has_event("Killing", "Stopping container main"));
  pass(seconds(5));
  EXPECT_EQ(find_pod("p"), nullptr);
}

TEST_F(KubeletLife, AMissingConfigMapHoldsThePod) {
  create(pod_text("p", "registry/app:1",
                  R"("env":[{"name":"A","valueFrom":{"configMapKeyRef":{"name":"m","key":"k"}}}],)"));
  create(pod_text("q", "registry/app:1", "", R"("volumes":[{"name":"v","configMap":{"name":"m"}}],)"));
  pass(seconds(20));
  EXPECT_EQ(container_state("p"), "waiting CreateContainerConfigError");
  EXPECT_EQ(container_state("q"), "waiting ContainerCreating");
  EXPECT_TRUE(has_event("FailedMount", "configmap \"m\" not found"));
  create(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"},"data":{"k":"x"}})");
  pass(seconds(20));
  EXPECT_EQ(container_state("p"), "running");
  EXPECT_EQ(container_state("q"), "running");
}

TEST_F(KubeletLife, PodsGoOnAfterARestartOfTheSandbox) {
  run_shell("echo one; sleep 100; echo two", "Never", "job");
  create(pod_text("starts"));
  pass(seconds(5));
  end_cluster();
  start_cluster();
  EXPECT_EQ(read_log(log_of("job")), "one\n");
  pass(seconds(30));
  EXPECT_EQ(container_state("starts"), "running");
  EXPECT_EQ(container_state("job"), "running");
  pass(seconds(100));
  EXPECT_EQ(read_log(log_of("job")), "one\ntwo\n");
  EXPECT_EQ(text(find_pod("job"), "status.phase"), "Succeeded");
}

TEST_F(KubeletLife, TheScaleShortensWhatTakesTime) {
  end_cluster();
  start_cluster({.scale = 10});
  join(node("n1"));
  run_shell("sleep 100; echo done");
  pass(seconds(20));
  EXPECT_EQ(read_log(log_of("p")), "done\n");
}

TEST_F(KubeletLife, AProbeIsAskedAfterItsDelay) {
  create(pod_text("p", "registry/app:1",
                  R"("readinessProbe":{"tcpSocket":{"port":80},"initialDelaySeconds":30},)"));
  pass(seconds(15));
  EXPECT_EQ(text(find_pod("p"), "status.phase"), "Running");
  EXPECT_FALSE(is_ready_pod(*find_pod("p")));
  pass(seconds(40));
  EXPECT_TRUE(is_ready_pod(*find_pod("p")));
}

struct Counting final : Program {
  ProgramStep step(const ProgramSite& site, std::int64_t index) override {
    return {.after = seconds(1), .lines = {fmt::format("{} {}", site.container.env.at("WHO"), index)}};
  }
};

TEST_F(KubeletLife, ARecogniserIsAskedFirst) {
  running->runtime.programs().add([](const ContainerView& container) -> std::unique_ptr<Program> {
    if (container.image != "counter:1") return nullptr;
    return std::make_unique<Counting>();
  });
  create(pod_text("p", "counter:1", R"("env":[{"name":"WHO","value":"me"}],)"));
  pass(milliseconds(10500));
  auto request = log_of("p");
  request.tail_lines = 1;
  EXPECT_EQ(read_log(request), "me 2\n");
}

}  // namespace
}  // namespace instantstart::sandbox::kubernetes
