// A cluster with two nodes of one GPU each, where the training operator is at work, in virtual time.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/cluster/testing/cluster_fixture.h"
#include "sandbox/kubernetes/cluster/workload.h"
#include "sandbox/kubernetes/training/training.h"

namespace instantstart::sandbox::kubernetes {

class TrainingFixture : public ClusterFixture {
 public:
  static constexpr std::string_view k_group = "sagemaker.amazonaws.com";
  static constexpr std::string_view k_jobs = "hyperpodpytorchjobs";

 protected:
  void SetUp() override {
    start_cluster();
    for (const auto* name : {"n1", "n2"}) join(node(name, {{"nvidia.com/gpu", "1"}}));
    install_operator();
  }
  void TearDown() override {
    end_cluster();
    training.reset();
  }
  void furnish(World& world, ClusterRuntime& runtime) override {
    training = std::make_unique<Training>(world, runtime);
  }
  /// As the add-on does.
  void install_operator() {
    running->servers->apply_addon(k_test_cluster,
                                  {.name = "amazon-sagemaker-hyperpod-training-operator", .version = "v1"});
    pass(seconds(120));
  }
  void scale_operator(std::int64_t replicas) {
    const ObjectKey key{std::string(k_test_cluster), "apps", "deployments", "aws-hyperpod",
                        "hp-training-operator-controller-manager"};
    json::object deployment = *running->servers->store().find(key);
    deployment["spec"].as_object()["replicas"] = replicas;
    ASSERT_TRUE(running->servers->objects(key.cluster, "kubectl").update(std::move(deployment)));
  }
  void submit(std::string_view run_policy = "", std::string_view arguments = "", std::int64_t replicas = 2,
              std::string_view container_rest = "", std::string_view spec_rest = "",
              std::string_view script = "/work/train.py") {
    create(fmt::format(
        R"({{"apiVersion":"sagemaker.amazonaws.com/v1","kind":"HyperPodPyTorchJob","metadata":{{"name":"j"}},)"
        R"("spec":{{"replicaSpecs":[{{"name":"pods","replicas":{},"template":{{"metadata":{{"labels":{{"team":"a"}}}},)"
        R"("spec":{{{}"containers":[{{{}"name":"main","image":"registry/app:1","command":["hyperpodrun"],)"
        R"+("args":["--nnodes=$(NNODES)","--nproc-per-node=1","--tee=3","--log-dir=/tmp/x","{}"{}],)+"
        R"("resources":{{"limits":{{"nvidia.com/gpu":1}}}}}}]}}}}}}],"runPolicy":{{)"
        R"("ttlSecondsAfterFinished":-1,"cleanPodPolicy":"None"{}}}}}}})",
        replicas, spec_rest, container_rest, script, arguments, run_policy));
  }
  const json::object* job() { return find(k_group, k_jobs, "j"); }
  bool holds(std::string_view type) { return job() && is_condition_true(*job(), type); }
  std::string reason(std::string_view type) {
    const auto* condition = find_condition(*job(), type);
    return condition ? std::string(member_text(*condition, "reason")) : "(none)";
  }
  void break_pod(std::string pod, PodFaultKind kind) {
    const auto broken = running->runtime.pods().break_pod({.cluster = std::string(k_test_cluster),
                                                           .pod = std::move(pod),
                                                           .kind = kind,
                                                           .exit_code = 137,
                                                           .lines = {"out of memory"}});
    ASSERT_TRUE(broken) << broken.error().message;
    ASSERT_TRUE(process->run(process->world().commit()));
  }

  std::unique_ptr<Training> training;
};

}  // namespace instantstart::sandbox::kubernetes
