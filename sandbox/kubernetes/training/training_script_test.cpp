#include "sandbox/kubernetes/training/training_script.h"

#include <gtest/gtest.h>

#include "sandbox/kubernetes/cluster/testing/memory_buckets.h"
#include "sandbox/kubernetes/training/testing/training_fixture.h"

namespace instantstart::sandbox::kubernetes {
namespace {

class TrainingOnABucket : public TrainingFixture {
 protected:
  void SetUp() override {
    TrainingFixture::SetUp();
    running->runtime.set_buckets(buckets);
    buckets.buckets["data"]["train.py"] = "import torch\n";
    buckets.buckets["data"]["x.txt"] = "first\nsecond\n";
    create(
        R"({"apiVersion":"storage.k8s.io/v1","kind":"CSIDriver","metadata":{"name":"s3.csi.aws.com"},"spec":{}})");
    create(R"({"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"v"},"spec":{
        "accessModes":["ReadWriteMany"],"capacity":{"storage":"1200Gi"},
        "claimRef":{"namespace":"default","name":"c"},"storageClassName":"",
        "csi":{"driver":"s3.csi.aws.com","volumeHandle":"h","volumeAttributes":{"bucketName":"data"}}}})");
    create(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"c"},"spec":{
        "accessModes":["ReadWriteMany"],"storageClassName":"","volumeName":"v",
        "resources":{"requests":{"storage":"1200Gi"}}}})");
  }
  void run(std::string_view script, std::string_view run_policy = "") {
    submit(run_policy,
           R"(,"--data=/data/x.txt","--output_dir","/data/runs/j","--max_steps=40","--save_steps=10")", 2,
           R"("volumeMounts":[{"name":"d","mountPath":"/data"}],)",
           R"("volumes":[{"name":"d","persistentVolumeClaim":{"claimName":"c"}}],)", script);
  }

  MemoryBuckets buckets;
};

TEST_F(TrainingOnABucket, ARunReadsItsDataAndLeavesItsResults) {
  run("/data/train.py");
  pass(seconds(400));
  EXPECT_TRUE(holds("Completed"));
  const std::string log = read_log(log_of("j-pods-0"));
  EXPECT_NE(log.find("Read /data/x.txt: 13 bytes, sha256 "), log.npos);
  EXPECT_NE(log.find("first line: first\n"), log.npos);
  EXPECT_TRUE(buckets.read("data", "runs/j/checkpoint-40/model.safetensors"));
  const auto result = buckets.read("data", "runs/j/result.json");
  ASSERT_TRUE(result);
  EXPECT_NE(result->find("\"steps\":40"), result->npos);
}

TEST_F(TrainingOnABucket, ARestartedRunGoesOnFromItsLastCheckpoint) {
  run("/data/train.py", R"(,"jobMaxRetryCount":1)");
  while (!buckets.read("data", "runs/j/checkpoint-20/trainer_state.json")) pass(seconds(5));
  break_pod("j-pods-1", PodFaultKind::crash);
  pass(seconds(400));
  EXPECT_TRUE(holds("Completed"));
  const std::string log = read_log(log_of("j-pods-0"));
  EXPECT_NE(log.find("Resuming training from /data/runs/j/checkpoint-20"), log.npos);
  EXPECT_NE(buckets.read("data", "runs/j/result.json").value_or("").find("\"resumed_from\":20"),
            std::string::npos);
}

TEST_F(TrainingOnABucket, AScriptThatIsNotThereFailsTheJob) {
  run("/data/none.py");
  pass(seconds(60));
  EXPECT_EQ(reason("Failed"), "WorkerCrash");
  auto previous = log_of("j-pods-0");
  previous.previous = true;
  EXPECT_NE(
      read_log(previous).find("python: can't open file '/data/none.py': [Errno 2] No such file or directory"),
      std::string::npos);
  EXPECT_EQ(text(find_pod("j-pods-0"), "status.containerStatuses.0.lastState.terminated.exitCode"), "2");
}

}  // namespace
}  // namespace instantstart::sandbox::kubernetes
