#include "capabilities/training/job_object.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/decode.h"
#include "capabilities/dependencies/owned_object.h"
#include "kube/json_access.h"

namespace instantstart::capabilities {
namespace {

const kube::GroupVersionKind k_gvk{"sagemaker.amazonaws.com", "v1", "HyperPodPyTorchJob"};

JobSpec sample() {
  return {.cluster = {.name = "demo", .region = "us-west-2", .account = "123456789012", .profile = {}},
          .name = "sft",
          .space = "default",
          .image = "example.com/train:1",
          .script = "/data/train.py",
          .arguments = {"--epochs=3", "a b; $(NNODES) $$ 'q'"},
          .nodes = 2,
          .gpus_per_node = 8,
          .efa_per_node = 32,
          .instance_type = "ml.p5.48xlarge",
          .env = {{"LR", "1e-4"}},
          .max_restarts = 3,
          .data_claim = "shared"};
}

json::object object_of(const JobSpec& spec) { return job_object(spec, k_gvk, "op-1"); }

json::object container_of(const json::object& job) {
  const auto& replica = kube::as_object(kube::array_at(job, {"spec", "replicaSpecs"}).at(0));
  return kube::as_object(kube::array_at(replica, {"template", "spec", "containers"}).at(0));
}
json::object pod_of(const json::object& job) {
  return kube::object_at(kube::as_object(kube::array_at(job, {"spec", "replicaSpecs"}).at(0)), {"template"});
}

TEST(JobObject, RunsTheScriptUnderTheAgentWithOneProcessAGpu) {
  const auto argv = argv_of(sample());
  ASSERT_EQ(argv.size(), 8U);
  EXPECT_EQ(std::vector<std::string>(argv.begin(), argv.begin() + 7),
            (std::vector<std::string>{"hyperpodrun", "--nnodes=2", "--nproc-per-node=8", "--tee=3",
                                      "--log-dir=/tmp/hyperpod", "/data/train.py", "--epochs=3"}));
  EXPECT_EQ(kube::array_at(container_of(object_of(sample())), {"command"}).size(), 8U);
}

TEST(JobObject, KubernetesReplacesNothingInWhatTheUserTyped) {
  EXPECT_EQ(argv_of(sample()).back(), "a b; $$(NNODES) $$$ 'q'") << "Kubernetes makes \"$\" of \"$$\"";
  auto spec = sample();
  spec.env = {{"A", "$(B)"}, {"C", "$5"}};
  const auto text = instantstart::to_text(container_of(object_of(spec)).at("env"));
  EXPECT_TRUE(text.contains(R"~({"name":"A","value":"$$(B)"})~")) << text;
  EXPECT_TRUE(text.contains(R"~({"name":"C","value":"$5"})~")) << text;
}

TEST(JobObject, DevicesAreRequestedAndLimitedAlike) {
  const auto container = container_of(object_of(sample()));
  const json::object devices{{"nvidia.com/gpu", "8"}, {"vpc.amazonaws.com/efa", "32"}};
  EXPECT_EQ(kube::object_at(container, {"resources", "requests"}), devices);
  EXPECT_EQ(kube::object_at(container, {"resources", "limits"}), devices);
  auto spec = sample();
  spec.efa_per_node = 0;
  spec.cpu = "8";
  spec.memory = "64Gi";
  const auto other = container_of(object_of(spec));
  EXPECT_EQ(kube::object_at(other, {"resources", "requests"}),
            (json::object{{"nvidia.com/gpu", "8"}, {"cpu", "8"}, {"memory", "64Gi"}}));
  EXPECT_EQ(kube::object_at(other, {"resources", "limits"}),
            (json::object{{"nvidia.com/gpu", "8"}, {"memory", "64Gi"}}));
}

TEST(JobObject, PodsHaveSharedMemoryTheBucketAndTheirNodes) {
  const auto job = object_of(sample());
  const auto pod = pod_of(job);
  EXPECT_EQ(kube::text_at(pod, {"spec", "nodeSelector", "node.kubernetes.io/instance-type"}),
            "ml.p5.48xlarge");
  EXPECT_EQ(instantstart::to_text(container_of(job).at("volumeMounts")),
            R"([{"name":"shared-memory","mountPath":"/dev/shm"},{"name":"data","mountPath":"/data"}])");
  EXPECT_EQ(
      kube::text_at(kube::as_object(kube::array_at(pod, {"spec", "volumes"}).at(0)), {"emptyDir", "medium"}),
      "Memory");
  EXPECT_EQ(instantstart::to_text(container_of(job).at("ports")),
            R"([{"name":"agent","containerPort":8080,"protocol":"TCP"}])");
  auto spec = sample();
  spec.data_claim.reset();
  EXPECT_EQ(kube::array_at(container_of(object_of(spec)), {"volumeMounts"}).size(), 1U);
}

TEST(JobObject, CarriesItsProofAndTheLabelThatLogsAreFoundBy) {
  const auto job = object_of(sample());
  EXPECT_EQ(maker_of(job), "op-1");
  EXPECT_EQ(kube::text_at(job, {"metadata", "labels", "instantstart/job"}), "sft");
  EXPECT_EQ(kube::text_at(pod_of(job), {"metadata", "labels", "instantstart/job"}), "sft");
  EXPECT_EQ(kube::text_at(job, {"kind"}), "HyperPodPyTorchJob");
  EXPECT_EQ(job_object(sample(), {"sagemaker.amazonaws.com", "v1", "HyperPodPytorchJob"}, "").at("kind"),
            "HyperPodPytorchJob")
      << "as the server spells it";
}

TEST(JobObject, TheBudgetAndTheRulesAreTheOperators) {
  auto spec = sample();
  spec.restart_policy =
      RestartPolicy{.window_seconds = 600, .restarts_before_full = 2, .max_full_restarts = {}};
  spec.log_monitoring = {{.name = "loss",
                          .pattern = ".*loss: (\\d+)",
                          .stop_pattern = {},
                          .expected_start_seconds = 60,
                          .expected_recurring_seconds = 30,
                          .condition = LogCondition::gteq,
                          .threshold = 9,
                          .data_points = 2}};
  EXPECT_EQ(
      instantstart::to_text(*kube::value_at(object_of(spec), {"spec", "runPolicy"})),
      R"~({"cleanPodPolicy":"Running","jobMaxRetryCount":3,"ttlSecondsAfterFinished":-1,)~"
      R"~("restartPolicy":{"evalPeriodSeconds":600,"numRestartBeforeFullJobRestart":2},)~"
      R"~("logMonitoringConfiguration":[{"name":"loss","logPattern":".*loss: (\\d+)",)~"
      R"~("expectedStartCutOffInSeconds":60,"expectedRecurringFrequencyInSeconds":30,"operator":"gteq",)~"
      R"~("metricThreshold":9,"metricEvaluationDataPoints":2}]})~");
  EXPECT_EQ(kube::text_at(object_of(spec), {"spec", "nprocPerNode"}), "8");
}

TEST(JobObject, IsTheSameAfterItsSpecWasStored) {
  const auto stored = decode<JobSpec>(encode(sample()));
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_EQ(object_of(*stored), object_of(sample()));
}

TEST(JobNames, LeaveRoomForWhatTheOperatorAppends) {
  EXPECT_EQ(longest_job_name(1), 56U) << "-pods-0";
  EXPECT_EQ(longest_job_name(10), 56U);
  EXPECT_EQ(longest_job_name(11), 55U);
  EXPECT_EQ(longest_job_name(1000), 54U);
}

TEST(JobSubjects, AreLeavesOfTheirCluster) {
  EXPECT_EQ(job_subject(sample().cluster, "default", "sft"),
            "cluster/demo.us-west-2.123456789012/job/default.sft");
}

}  // namespace
}  // namespace instantstart::capabilities
