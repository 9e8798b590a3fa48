#include "capabilities/inference/deployment_objects.h"

#include <gtest/gtest.h>

#include "base/decode.h"
#include "kube/json_access.h"

namespace instantstart::capabilities {
namespace {

const ClusterTarget k_cluster{"demo", "us-west-2", "123456789012", std::nullopt};

ModelDeploy request() { return {.cluster = {"demo"}, .name = {"qwen"}, .model = {"Qwen/Qwen3-8B"}}; }

ServedModel model(const ModelDeploy& asked) { return model_of(asked, k_cluster); }

/// Of the pod's template.
json::object pod_of(const ServedModel& model) {
  return kube::object_at(deployment_objects(model, "op-1").front(), {"spec", "template", "spec"});
}

json::object container_of(const ServedModel& model) {
  return pod_of(model).at("containers").as_array().at(0).as_object();
}

std::vector<std::string> problems_with(ModelDeploy asked) {
  const auto decoded = decode<ModelDeploy>(encode(asked));
  std::vector<std::string> found;
  if (decoded) return found;
  for (const auto& problem : decoded.error().problems) found.push_back(problem.pointer);
  return found;
}

using Words = std::vector<std::string>;

TEST(ServedModelOf, GpusAreSharedByTensorsUnlessSaidOtherwise) {
  auto asked = request();
  EXPECT_EQ(model(asked).gpus(), 1);
  asked.gpus = 8;
  EXPECT_EQ(model(asked).tensor_parallel, 8);
  asked.pipeline_parallel = 2;
  EXPECT_EQ(model(asked).tensor_parallel, 4);
  EXPECT_TRUE(problems_with(asked).empty());
  asked.tensor_parallel = 8;
  EXPECT_EQ(problems_with(asked), Words{"/gpus"});
  asked.tensor_parallel.reset();
  asked.gpus = 3;
  EXPECT_EQ(problems_with(asked), Words{"/gpus"});
}

TEST(ServedModelOf, AFolderIsServedByItsLastName) {
  auto asked = request();
  EXPECT_EQ(model(asked).served_name, "Qwen/Qwen3-8B");
  asked.model = {"/data/models/qwen3"};
  EXPECT_EQ(model(asked).served_name, "qwen3");
  asked.instance_type = domain::InstanceType{{"g5.12xlarge"}};
  EXPECT_EQ(model(asked).instance_type, "ml.g5.12xlarge");
}

TEST(ServerArguments, StandInTheOrderThatVllmTakes) {
  auto asked = request();
  asked.gpus = 4;
  asked.max_model_len = 8'192;
  asked.extra_arguments = {{"--enable-expert-parallel"}, {"--seed"}, {"7"}};
  EXPECT_EQ(server_arguments(model(asked)),
            (Words{"Qwen/Qwen3-8B", "--served-model-name", "Qwen/Qwen3-8B", "--port", "8000",
                   "--tensor-parallel-size", "4", "--pipeline-parallel-size", "1", "--max-model-len", "8192",
                   "--enable-expert-parallel", "--seed", "7"}));
}

TEST(ModelDeployRules, FlagsThatHaveAMemberAreRefusedInEverySpelling) {
  for (const char* flag : {"--port", "--port=1", "--tensor_parallel_size=2", "-tp", "--served-model-name",
                           "--api-key", "--config", "--data-parallel-size"}) {
    auto asked = request();
    asked.extra_arguments = {{"--seed"}, {"7"}, {flag}};
    EXPECT_EQ(problems_with(asked), Words{"/extra_arguments/2"}) << flag;
  }
  auto asked = request();
  asked.extra_arguments = {{"another/model"}};
  EXPECT_EQ(problems_with(asked), Words{"/extra_arguments/0"});
  asked.extra_arguments = {{"--portable"}};
  EXPECT_TRUE(problems_with(asked).empty());
}

TEST(ModelDeployRules, TokensComeFromSecretsAlone) {
  auto asked = request();
  asked.environment = {{"HF_TOKEN", {"hf_madeup"}}, {"a-b", {"1"}}, {"GOOD", {"1"}}};
  const auto decoded = decode<ModelDeploy>(encode(asked));
  ASSERT_FALSE(decoded);
  EXPECT_EQ(problems_with(asked), (Words{"/environment/HF_TOKEN", "/environment/a-b"}));
  for (const auto& problem : decoded.error().problems) EXPECT_NE(problem.value, "hf_madeup");
}

TEST(DeploymentObjects, ThePodAsksForItsGpusAndFitsFullNodes) {
  auto asked = request();
  asked.gpus = 4;
  asked.replicas = 2;
  asked.instance_type = domain::InstanceType{{"ml.g5.12xlarge"}};
  const auto objects = deployment_objects(model(asked), "op-1");
  ASSERT_EQ(objects.size(), 2U);
  const auto& deployment = objects[0];
  EXPECT_EQ(kube::integer_at(deployment, {"spec", "replicas"}), 2);
  EXPECT_EQ(kube::object_at(deployment, {"spec", "strategy", "rollingUpdate"}),
            (json::object{{"maxSurge", 0}, {"maxUnavailable", 1}}));
  EXPECT_GT(kube::integer_at(deployment, {"spec", "progressDeadlineSeconds"}), k_startup_seconds);
  const auto pod = pod_of(model(asked));
  EXPECT_EQ(pod.at("nodeSelector"), (json::object{{"node.kubernetes.io/instance-type", "ml.g5.12xlarge"}}));
  EXPECT_EQ(pod.at("enableServiceLinks"), false);
  const auto container = container_of(model(asked));
  const json::object gpus{{"nvidia.com/gpu", "4"}};
  EXPECT_EQ(container.at("resources"), (json::object{{"limits", gpus}, {"requests", gpus}}));
  EXPECT_FALSE(container.contains("command")) << "the image's entry point is vllm serve";
  EXPECT_EQ(kube::text_at(container, {"readinessProbe", "httpGet", "path"}), "/health");
  const auto shm = pod.at("volumes").as_array().at(0).as_object();
  EXPECT_EQ(kube::text_at(shm, {"emptyDir", "medium"}), "Memory");
}

TEST(DeploymentObjects, TheServiceFindsThePodsAndBothSayWhoseTheyAre) {
  const auto objects = deployment_objects(model(request()), "op-1");
  const auto& selector = kube::object_at(objects[1], {"spec", "selector"});
  EXPECT_EQ(selector, (json::object{{"instantstart/deployment", "qwen"}}));
  EXPECT_EQ(kube::object_at(objects[0], {"spec", "selector", "matchLabels"}), selector);
  EXPECT_EQ(kube::text_at(objects[0], {"spec", "template", "metadata", "labels", "instantstart/deployment"}),
            "qwen");
  for (const auto& object : objects) EXPECT_EQ(maker_of(object), "op-1");
  // A new operation is no new template: pods stay.
  EXPECT_EQ(kube::object_at(objects[0], {"spec", "template"}),
            kube::object_at(deployment_objects(model(request()), "op-2")[0], {"spec", "template"}));
  EXPECT_EQ(to_text(ref_of(objects[0])), "deployments/default/qwen");
  EXPECT_EQ(parse_object_ref("services/default/qwen"), ref_of(objects[1]));
}

TEST(DeploymentObjects, WhatWasTypedIsNotExpanded) {
  auto asked = request();
  asked.extra_arguments = {{"--seed=$(HF_TOKEN)"}, {"$$"}};
  asked.environment = {{"A", {"$(HF_TOKEN)"}}};
  asked.hf_token_secret = SecretKey{"hub"};
  const auto container = container_of(model(asked));
  const auto& args = container.at("args").as_array();
  EXPECT_EQ(args.at(args.size() - 2), "--seed=$$(HF_TOKEN)");
  EXPECT_EQ(args.back(), "$$$$");
  const auto& env = container.at("env").as_array();
  EXPECT_EQ(env.at(0), (json::object{{"name", "A"}, {"value", "$$(HF_TOKEN)"}}));
  EXPECT_EQ(env.back(),
            (json::object{{"name", "HF_TOKEN"},
                          {"valueFrom", {{"secretKeyRef", {{"name", "hub"}, {"key", "token"}}}}}}));
}

TEST(DeploymentObjects, PodsGetTheDataVolume) {
  auto served = model(request());
  served.data_volume = json::object{{"name", "data"}};
  served.data_mount = json::object{{"name", "data"}, {"mountPath", "/data"}};
  EXPECT_EQ(pod_of(served).at("volumes").as_array().back(), *served.data_volume);
  EXPECT_EQ(container_of(served).at("volumeMounts").as_array().back(), *served.data_mount);
}

TEST(DeploymentView, IsReadBackFromTheDeployment) {
  auto asked = request();
  asked.gpus = 2;
  auto deployment = deployment_objects(model(asked), "op-1").front();
  deployment["status"] = {{"observedGeneration", 1},
                          {"replicas", 1},
                          {"updatedReplicas", 1},
                          {"readyReplicas", 1},
                          {"availableReplicas", 1}};
  const auto view = view_of(deployment);
  ASSERT_TRUE(view);
  EXPECT_EQ(view->state, DeploymentState::ready);
  EXPECT_EQ(view->model, "Qwen/Qwen3-8B");
  EXPECT_EQ(view->gpus, 2);
  EXPECT_EQ(view->url, "http://qwen.default.svc:8000/v1");
  deployment["metadata"].as_object()["annotations"] = json::object();
  EXPECT_FALSE(view_of(deployment));
  EXPECT_FALSE(view_of({}));
}

}  // namespace
}  // namespace instantstart::capabilities
