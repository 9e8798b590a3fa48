#include "sandbox/kubernetes/training/training_operator.h"

#include <gtest/gtest.h>

#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/cluster/workload.h"
#include "sandbox/kubernetes/training/testing/training_fixture.h"

namespace instantstart::sandbox::kubernetes {
namespace {

using TrainingOperatorTest = TrainingFixture;

TEST_F(TrainingOperatorTest, AJobRunsToItsEnd) {
  submit();
  pass(seconds(2));
  EXPECT_TRUE(holds("Created"));
  EXPECT_EQ(names("", "pods").size(), 3U);  // The operator's own too.
  pass(seconds(40));
  EXPECT_TRUE(holds("PodsRunning"));
  EXPECT_TRUE(holds("Running"));
  const auto* pod = find_pod("j-pods-1");
  EXPECT_EQ(label_of(*pod, "sagemaker.amazonaws.com/job-name"), "j");
  EXPECT_EQ(label_of(*pod, "team"), "a");
  EXPECT_EQ(text(job(), "status.masterAddr"), text(find_pod("j-pods-0"), "status.podIP"));
  EXPECT_EQ(text(job(), "status.jobPods.1.name"), "j-pods-1");
  pass(seconds(700));
  EXPECT_TRUE(holds("Completed"));
  EXPECT_FALSE(holds("Running"));
  EXPECT_EQ(text(job(), "status.restartCount"), "0");
  EXPECT_NE(text(job(), "status.completionTime"), "");
  EXPECT_EQ(text(find_pod("j-pods-0"), "status.phase"), "Succeeded");
  const std::string log = read_log(log_of("j-pods-0"));
  for (const auto* part :
       {"[rank0-restart0]", "Transitioned from READY to RUNNING", "NCCL INFO", "[default0]:{'loss': '",
        "120/120", "\r", "Saving model checkpoint to /data/output/j/checkpoint-30", "train_runtime"}) {
    EXPECT_NE(log.find(part), log.npos) << part;
  }
}

TEST_F(TrainingOperatorTest, NothingHappensWhileTheOperatorIsAway) {
  scale_operator(0);
  pass(seconds(10));
  submit();
  pass(seconds(60));
  EXPECT_FALSE(holds("Created"));
  scale_operator(1);
  pass(seconds(120));
  EXPECT_TRUE(holds("Running"));
}

TEST_F(TrainingOperatorTest, RanksWaitUntilAllPodsAreThere) {
  submit("", "", 3);
  pass(seconds(120));
  EXPECT_FALSE(holds("PodsRunning"));
  EXPECT_NE(read_log(log_of("j-pods-0")).find("INIT to READY"), std::string::npos);
  EXPECT_EQ(read_log(log_of("j-pods-0")).find("RUNNING"), std::string::npos);
  join(node("n3", {{"nvidia.com/gpu", "1"}}));
  pass(seconds(60));
  EXPECT_TRUE(holds("Running"));
}

TEST_F(TrainingOperatorTest, ACrashRestartsAllRanksInPlace) {
  submit(R"(,"jobMaxRetryCount":3)");
  pass(seconds(100));
  const std::string uid(uid_of(*find_pod("j-pods-1")));
  break_pod("j-pods-1", PodFaultKind::crash);
  pass(milliseconds(500));
  EXPECT_TRUE(holds("Restarting"));
  EXPECT_EQ(reason("Restarting"), "WorkerCrash");
  EXPECT_EQ(text(job(), "status.latestFaultyPodInstanceList.faultyPodList"), R"(["j-pods-1"])");
  pass(seconds(60));
  EXPECT_TRUE(holds("Running"));
  EXPECT_FALSE(holds("Restarting"));
  EXPECT_EQ(text(job(), "status.restartCount"), "1");
  EXPECT_EQ(uid_of(*find_pod("j-pods-1")), uid);
  EXPECT_NE(read_log(log_of("j-pods-0")).find("[rank0-restart1]"), std::string::npos);
  pass(seconds(800));
  EXPECT_TRUE(holds("Completed"));
}

TEST_F(TrainingOperatorTest, TheBudgetEndsInFullRestartsAndThenInFailure) {
  submit(
      R"(,"restartPolicy":{"evalPeriodSeconds":21600,"numRestartBeforeFullJobRestart":1,"maxFullJobRestarts":1})");
  pass(seconds(60));
  const std::string uid(uid_of(*find_pod("j-pods-0")));
  break_pod("j-pods-1", PodFaultKind::crash);
  pass(seconds(60));
  EXPECT_EQ(uid_of(*find_pod("j-pods-0")), uid);
  break_pod("j-pods-1", PodFaultKind::crash);
  pass(seconds(60));
  EXPECT_TRUE(holds("Running"));
  EXPECT_NE(uid_of(*find_pod("j-pods-0")), uid);
  EXPECT_EQ(text(job(), "status.restartStatus.fullJobRestartCount"), "1");
  break_pod("j-pods-1", PodFaultKind::crash);
  pass(seconds(60));
  EXPECT_EQ(text(job(), "status.restartCount"), "3");
  break_pod("j-pods-1", PodFaultKind::crash);
  pass(seconds(60));
  EXPECT_TRUE(holds("Failed"));
  EXPECT_EQ(reason("Failed"), "MaxFullJobRestartsExceeded");
  // Nothing holds a GPU any more.
  EXPECT_NE(text(find_pod("j-pods-0"), "status.phase"), "Running");
  EXPECT_NE(text(find_pod("j-pods-1"), "status.phase"), "Running");
}

TEST_F(TrainingOperatorTest, WithoutABudgetTheFirstFaultFailsTheJob) {
  submit();
  pass(seconds(60));
  break_pod("j-pods-0", PodFaultKind::crash);
  pass(seconds(30));
  EXPECT_EQ(reason("Failed"), "WorkerCrash");
}

TEST_F(TrainingOperatorTest, ASilentRankIsFoundByItsRule) {
  submit(R"(,"jobMaxRetryCount":1,"logMonitoringConfiguration":[{"name":"loss","logPattern":".*'loss'.*",)"
         R"("expectedStartCutOffInSeconds":120,"expectedRecurringFrequencyInSeconds":90}])");
  pass(seconds(150));
  EXPECT_EQ(text(job(), "status.restartCount"), "0");
  break_pod("j-pods-1", PodFaultKind::silence);
  pass(seconds(60));
  EXPECT_TRUE(holds("Running"));
  pass(seconds(60));
  EXPECT_EQ(text(job(), "status.restartCount"), "1");
  EXPECT_EQ(reason("Restarting"), "JobRestarted");
  EXPECT_EQ(text(job(), "status.latestFaultyPodInstanceList.restartType"), "ProcessLevelRestart");
  EXPECT_TRUE(has_event("JobRestarting", "LogHang_loss"));
  pass(seconds(900));
  EXPECT_TRUE(holds("Completed"));
}

TEST_F(TrainingOperatorTest, ABadMetricIsAFault) {
  submit(
      R"(,"logMonitoringConfiguration":[{"name":"slow","logPattern":".*'train_tokens_per_second': '([0-9.]+)'.*",)"
      R"("metricThreshold":1000000,"operator":"lt","metricEvaluationDataPoints":2}])");
  pass(seconds(200));
  EXPECT_EQ(reason("Failed"), "LogSlow_slow");
}

TEST_F(TrainingOperatorTest, ASuspendedJobHasNoPods) {
  submit(R"(,"suspend":true)");
  pass(seconds(30));
  EXPECT_TRUE(holds("Suspended"));
  EXPECT_EQ(find_pod("j-pods-0"), nullptr);
  change(k_group, k_jobs, "j", R"({"spec":{"runPolicy":{"suspend":false}}})");
  pass(seconds(60));
  EXPECT_FALSE(holds("Suspended"));
  EXPECT_TRUE(holds("Running"));
  change(k_group, k_jobs, "j", R"({"spec":{"runPolicy":{"suspend":true}}})");
  pass(seconds(60));
  EXPECT_TRUE(holds("Suspended"));
  EXPECT_EQ(find_pod("j-pods-0"), nullptr);
}

TEST_F(TrainingOperatorTest, DeadlinesFailTheJob) {
  submit(R"(,"activeDeadlineSeconds":100)");
  pass(seconds(120));
  EXPECT_EQ(reason("Failed"), "DeadlineExceeded");
}

TEST_F(TrainingOperatorTest, ADeletedJobTakesItsPodsAlong) {
  submit();
  pass(seconds(60));
  remove(k_group, k_jobs, "j", {.propagation = "Background"});
  pass(seconds(60));
  EXPECT_EQ(find_pod("j-pods-0"), nullptr);
}

TEST_F(TrainingOperatorTest, AFinishedJobGoesAfterItsTime) {
  submit("", R"(,"--max_steps=2")");
  change(k_group, k_jobs, "j",
         R"({"spec":{"runPolicy":{"cleanPodPolicy":"All","ttlSecondsAfterFinished":100}}})");
  pass(seconds(100));
  EXPECT_TRUE(holds("Completed"));
  EXPECT_EQ(find_pod("j-pods-0"), nullptr);
  pass(seconds(120));
  EXPECT_EQ(job(), nullptr);
}

TEST_F(TrainingOperatorTest, ARunGoesOnAfterARestartOfTheSandbox) {
  submit();
  pass(seconds(100));
  end_cluster();
  start_cluster();
  pass(seconds(700));
  EXPECT_TRUE(holds("Completed"));
  EXPECT_EQ(text(job(), "status.restartCount"), "0");
}

}  // namespace
}  // namespace instantstart::sandbox::kubernetes
