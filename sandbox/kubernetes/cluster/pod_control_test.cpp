#include "sandbox/kubernetes/cluster/pod_control.h"

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "sandbox/kubernetes/cluster/testing/cluster_fixture.h"

namespace instantstart::sandbox::kubernetes {
namespace {

class PodFaults : public ClusterFixture {
 protected:
  void SetUp() override {
    ClusterFixture::SetUp();
    join(node("n1"));
  }
  Result<> break_pod(PodFaultKind kind) {
    return running->runtime.pods().break_pod({.cluster = std::string(k_test_cluster),
                                              .pod = "p",
                                              .kind = kind,
                                              .exit_code = 9,
                                              .lines = {"last words"}});
  }
};

TEST_F(PodFaults, ACrashEndsTheContainerWithItsLinesAndCode) {
  create(pod_text("p", "registry/app:1", "", R"("restartPolicy":"Never",)"));
  pass(seconds(20));
  ASSERT_TRUE(break_pod(PodFaultKind::crash));
  pass(milliseconds(100));
  EXPECT_EQ(text(find_pod("p"), "status.phase"), "Failed");
  EXPECT_EQ(text(find_pod("p"), "status.containerStatuses.0.state.terminated.exitCode"), "9");
  EXPECT_EQ(read_log(log_of("p")), "last words\n");
}

TEST_F(PodFaults, ASilentProgramStaysSilentAfterARestartOfTheSandboxUntilItIsRoused) {
  create(pod_text("p", "busybox", R"("command":["sh","-c","sleep 60; echo done"],)",
                  R"("restartPolicy":"Never",)"));
  pass(seconds(20));
  ASSERT_TRUE(break_pod(PodFaultKind::silence));
  ASSERT_TRUE(process->run(process->world().commit()));
  end_cluster();
  start_cluster();
  pass(seconds(200));
  EXPECT_EQ(text(find_pod("p"), "status.phase"), "Running");
  running->runtime.pods().rouse(k_test_cluster, text(find_pod("p"), "metadata.uid"));
  pass(seconds(70));
  EXPECT_EQ(text(find_pod("p"), "status.phase"), "Succeeded");
  EXPECT_EQ(read_log(log_of("p")), "last words\ndone\n");
}

TEST_F(PodFaults, WhatDoesNotRunCannotBreak) {
  EXPECT_EQ(break_pod(PodFaultKind::crash).error().code, codes::not_found);
  create(pod_text("p", "me/does-not-exist"));
  pass(seconds(20));
  EXPECT_EQ(break_pod(PodFaultKind::crash).error().code, codes::conflict);
}

}  // namespace
}  // namespace instantstart::sandbox::kubernetes
