#include "capabilities/dependencies/hyperpod_objects.h"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "capabilities/dependencies/component.h"
#include "capabilities/dependencies/hyperpod_tables.h"
#include "capabilities/dependencies/owned_object.h"
#include "kube/json_access.h"

namespace instantstart::capabilities {
namespace {

const ObjectScope k_scope{.region = "us-west-2", .release = "hyperpod-dependencies"};

Objects all_objects() {
  Objects all;
  for (const auto& component : components()) {
    if (!component.objects) continue;
    for (auto& object : component.objects(k_scope)) all.push_back(std::move(object));
  }
  return all;
}

json::object find(std::string_view ref) {
  for (auto& object : all_objects()) {
    if (to_text(ref_of(object)) == ref) return object;
  }
  ADD_FAILURE() << "no object " << ref;
  return {};
}

json::object pod_of(std::string_view ref) { return kube::object_at(find(ref), {"spec", "template", "spec"}); }

json::object container_of(const json::object& pod) {
  const auto& containers = kube::array_at(pod, {"containers"});
  EXPECT_EQ(containers.size(), 1U);
  return containers.empty() ? json::object() : kube::as_object(containers.front());
}

std::vector<std::string> types_of(const json::object& pod) {
  const auto& terms = kube::array_at(
      pod,
      {"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"});
  EXPECT_EQ(terms.size(), 1U);
  const auto& expression =
      kube::as_object(kube::array_at(kube::as_object(terms.front()), {"matchExpressions"}).front());
  EXPECT_EQ(kube::text_at(expression, {"key"}), "node.kubernetes.io/instance-type");
  EXPECT_EQ(kube::text_at(expression, {"operator"}), "In");
  std::vector<std::string> types;
  for (const auto& value : kube::array_at(expression, {"values"})) types.emplace_back(value.as_string());
  return types;
}

/// "groups / resources / verbs", one rule a line.
std::vector<std::string> rules_of(std::string_view role) {
  std::vector<std::string> lines;
  for (const auto& rule : kube::array_at(find(role), {"rules"})) {
    std::string line;
    for (const auto* member : {"apiGroups", "resources", "verbs"}) {
      if (!line.empty()) line += " /";
      for (const auto& word : kube::array_at(kube::as_object(rule), {member})) {
        line += " ";
        line += word.as_string().empty() ? "core" : std::string(word.as_string());
      }
    }
    lines.push_back(line);
  }
  return lines;
}

std::string tolerations_of(const json::object& pod) {
  std::string text;
  for (const auto& item : kube::array_at(pod, {"tolerations"})) {
    const auto& toleration = kube::as_object(item);
    text += std::string(kube::text_at(toleration, {"key"})) + " " +
            std::string(kube::text_at(toleration, {"operator"})) + " " +
            std::string(kube::text_at(toleration, {"value"})) + " " +
            std::string(kube::text_at(toleration, {"effect"})) + "\n";
  }
  return text;
}

constexpr std::string_view k_health_checks =
    "sagemaker.amazonaws.com/node-health-status Equal Unschedulable NoSchedule\n";

TEST(HyperpodObjects, NoObjectIsThereTwiceAndEachCanBeAddressed) {
  std::set<std::string> seen;
  for (const auto& object : all_objects()) {
    const auto ref = ref_of(object);
    EXPECT_TRUE(seen.insert(to_text(ref)).second) << to_text(ref);
    EXPECT_EQ(parse_object_ref(to_text(ref)), ref) << to_text(ref);
  }
  EXPECT_EQ(seen.size(), 21U);
}

TEST(HyperpodObjects, EveryBindingNamesARoleOfItsOwnComponentAndAnAccountThatIsMade) {
  std::set<std::string> made;
  for (const auto& object : all_objects()) made.insert(to_text(ref_of(object)));
  int bindings = 0;
  for (const auto& object : all_objects()) {
    if (ref_of(object).kind != "ClusterRoleBinding") continue;
    ++bindings;
    EXPECT_TRUE(made.contains("clusterroles/" + std::string(kube::text_at(object, {"roleRef", "name"}))));
    const auto& subjects = kube::array_at(object, {"subjects"});
    ASSERT_EQ(subjects.size(), 1U);
    const auto& subject = kube::as_object(subjects.front());
    if (kube::text_at(subject, {"kind"}) == "User") {
      EXPECT_EQ(kube::text_at(subject, {"name"}), "hyperpod-service-linked-role");
    } else {
      EXPECT_TRUE(made.contains("serviceaccounts/" + std::string(kube::text_at(subject, {"namespace"})) +
                                "/" + std::string(kube::text_at(subject, {"name"}))));
    }
  }
  EXPECT_EQ(bindings, 5);
}

TEST(HyperpodObjects, RolesHoldExactlyTheListedRules) {
  const std::map<std::string_view, std::vector<std::string>> expected{
      {"clusterroles/health-monitoring-agent",
       {" core / nodes / get", " core / nodes nodes/status / patch",
        " core events.k8s.io / events / create patch update"}},
      {"clusterroles/deep-health-check-service-account-role",
       {" core / nodes / get list", " core / pods / get list patch"}},
      {"clusterroles/job-auto-restart",
       {" core / nodes nodes/status pods pods/status / get list watch",
        " core / pods / delete deletecollection", " core / nodes nodes/status / patch",
        " core events.k8s.io / events / create",
        " kubeflow.org / pytorchjobs pytorchjobs/status / get list watch delete patch update describe",
        " coordination.k8s.io / leases / get create update delete"}},
      {"clusterroles/hyperpod-patching", {" core / pods / list", " core / pods/eviction / create"}},
      {"clusterroles/neuron-device-plugin",
       {" core / nodes / get list watch", " core / events / create patch",
        " core / pods / update patch get list watch", " core / nodes/status / patch update"}},
  };
  std::size_t roles = 0;
  for (const auto& object : all_objects()) roles += ref_of(object).kind == "ClusterRole" ? 1 : 0;
  EXPECT_EQ(roles, expected.size()) << "a role without listed rules";
  for (const auto& [role, rules] : expected) EXPECT_EQ(rules_of(role), rules) << role;
}

TEST(HyperpodObjects, TheNamespaceCarriesTheChartsLabel) {
  const auto space = find("namespaces/aws-hyperpod");
  EXPECT_EQ(kube::text_at(space, {"metadata", "labels", "name"}), "aws-hyperpod");
}

TEST(HyperpodObjects, TheHealthAgentRunsOnTheChartsTypesAndToleratesEverything) {
  const auto pod = pod_of("daemonsets/aws-hyperpod/health-monitoring-agent");
  EXPECT_EQ(types_of(pod), health_agent_nvidia_types());
  EXPECT_EQ(tolerations_of(pod), " Exists  NoSchedule\n Exists  NoExecute\n");
  EXPECT_EQ(kube::text_at(pod, {"serviceAccountName"}), "health-monitoring-agent");
  const auto container = container_of(pod);
  EXPECT_EQ(
      kube::text_at(container, {"image"}),
      "905418368575.dkr.ecr.us-west-2.amazonaws.com/hyperpod-health-monitoring-agent:1.0.1892.0_1.0.424.0");
  EXPECT_EQ(kube::integer_at(container, {"securityContext", "runAsUser"}), 1000);
  EXPECT_EQ(kube::integer_at(container, {"securityContext", "runAsGroup"}), 2000);
  EXPECT_FALSE(container.contains("args"));
  EXPECT_EQ(instantstart::to_text(json::value(kube::object_at(container, {"resources"}))),
            R"({"requests":{"cpu":"500m","memory":"512Mi"},"limits":{"cpu":"500m","memory":"512Mi"}})");
}

TEST(HyperpodObjects, TheNeuronAgentKeepsNvidiasRuntimeOut) {
  const auto pod = pod_of("daemonsets/aws-hyperpod/health-monitoring-agent-non-nvidia");
  EXPECT_EQ(types_of(pod), health_agent_neuron_types());
  const auto container = container_of(pod);
  EXPECT_EQ(
      instantstart::to_text(json::value(kube::array_at(container, {"args"}))),
      R"(["--enable-k8s-exporter=false","--config.system-log-monitor=/config/system-message-monitor.json"])");
  const auto& env = kube::array_at(container, {"env"});
  ASSERT_EQ(env.size(), 4U);
  EXPECT_EQ(kube::text_at(kube::as_object(env[2]), {"value"}), "void");
}

TEST(HyperpodObjects, NvidiasPluginRunsAlsoOnTheTypesThatTheChartForgot) {
  constexpr std::string_view plugin = "daemonsets/kube-system/hyperpod-dependencies-nvidia-device-plugin";
  constexpr std::string_view mps =
      "daemonsets/kube-system/hyperpod-dependencies-nvidia-device-plugin-mps-control-daemon";
  for (const auto ref : {plugin, mps}) {
    const auto pod = pod_of(ref);
    EXPECT_EQ(types_of(pod).size(), 53U);
    EXPECT_EQ(tolerations_of(pod), "nvidia.com/gpu Exists  NoSchedule\n" + std::string(k_health_checks));
    EXPECT_EQ(kube::text_at(pod, {"priorityClassName"}), "system-node-critical");
    EXPECT_EQ(kube::text_at(container_of(pod), {"image"}), "nvcr.io/nvidia/k8s-device-plugin:v0.16.1");
  }
  EXPECT_EQ(kube::text_at(pod_of(mps), {"nodeSelector", "nvidia.com/mps.capable"}), "true");
  EXPECT_TRUE(kube::object_at(pod_of(plugin), {"nodeSelector"}).empty());
  EXPECT_EQ(kube::text_at(find(plugin), {"metadata", "labels", "helm.sh/chart"}),
            "nvidia-device-plugin-0.16.1");
}

TEST(HyperpodObjects, TheEfaPluginToleratesAcceleratorTaints) {
  const auto pod = pod_of("daemonsets/kube-system/hyperpod-dependencies-aws-efa-k8s-device-plugin");
  EXPECT_EQ(types_of(pod).size(), 46U);
  EXPECT_EQ(tolerations_of(pod),
            "CriticalAddonsOnly Exists  \naws.amazon.com/efa Exists  NoSchedule\n" +
                std::string(k_health_checks) +
                "nvidia.com/gpu Exists  NoSchedule\naws.amazon.com/neuron Exists  NoSchedule\n");
  EXPECT_TRUE(kube::flag_at(pod, {"hostNetwork"}));
  EXPECT_TRUE(kube::flag_at(container_of(pod), {"securityContext", "privileged"}));
  EXPECT_EQ(kube::text_at(container_of(pod), {"image"}),
            "602401143452.dkr.ecr.us-west-2.amazonaws.com/eks/aws-efa-k8s-device-plugin:v0.5.13");
}

TEST(HyperpodObjects, TheNeuronPluginRunsOnPlainAndHyperpodNodes) {
  const auto pod = pod_of("daemonsets/kube-system/neuron-device-plugin-daemonset");
  const auto types = types_of(pod);
  EXPECT_EQ(types.size(), 20U);
  for (const auto* type : {"trn1.32xlarge", "ml.trn1.32xlarge", "ml.trn2.3xlarge"}) {
    EXPECT_NE(std::ranges::find(types, type), types.end()) << type;
  }
  EXPECT_EQ(kube::text_at(pod, {"serviceAccountName"}), "neuron-device-plugin");
  EXPECT_FALSE(pod.contains("serviceAccount"));
  EXPECT_EQ(kube::text_at(container_of(pod), {"imagePullPolicy"}), "Always");
}

TEST(HyperpodTables, ListsHaveTheChartsLengthsAndNoTypeTwice) {
  const std::vector<std::pair<std::vector<std::string>, std::size_t>> lists{{health_agent_nvidia_types(), 41},
                                                                            {health_agent_neuron_types(), 8},
                                                                            {nvidia_plugin_types(), 53},
                                                                            {efa_plugin_types(), 46},
                                                                            {neuron_plugin_types(), 20}};
  for (const auto& [types, length] : lists) {
    EXPECT_EQ(types.size(), length);
    EXPECT_EQ(std::set<std::string>(types.begin(), types.end()).size(), length);
  }
}

TEST(HyperpodTables, ARegionWithoutAgentImageUsesThatOfUsEast1) {
  EXPECT_EQ(health_agent_image("ap-southeast-4").substr(0, 45),
            "084375568333.dkr.ecr.ap-southeast-4.amazonaws");
  EXPECT_FALSE(has_health_agent_image("eu-west-3"));
  EXPECT_EQ(health_agent_image("eu-west-3"), health_agent_image("us-east-1"));
}

TEST(HyperpodObjects, VolumesAndMountsNameEachOther) {
  for (const auto& object : all_objects()) {
    if (ref_of(object).kind != "DaemonSet") continue;
    const auto& pod = kube::object_at(object, {"spec", "template", "spec"});
    std::set<std::string> volumes;
    std::set<std::string> mounted;
    for (const auto& volume : kube::array_at(pod, {"volumes"})) {
      volumes.emplace(kube::text_at(kube::as_object(volume), {"name"}));
    }
    for (const auto* list : {"containers", "initContainers"}) {
      for (const auto& container : kube::array_at(pod, {list})) {
        for (const auto& mount : kube::array_at(kube::as_object(container), {"volumeMounts"})) {
          mounted.emplace(kube::text_at(kube::as_object(mount), {"name"}));
        }
      }
    }
    EXPECT_EQ(volumes, mounted) << to_text(ref_of(object));
    EXPECT_EQ(kube::object_at(object, {"spec", "selector", "matchLabels"}),
              kube::object_at(object, {"spec", "template", "metadata", "labels"}));
  }
}

}  // namespace
}  // namespace instantstart::capabilities
