#include "sandbox/kubernetes/api/addons.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "sandbox/core/cidr.h"
#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/api/training_job_schema.h"

namespace instantstart::sandbox::kubernetes {
namespace {

struct WorkloadRow {
  std::string_view name;
  int replicas;  ///< 0: a DaemonSet.
};

struct DefinitionRow {
  std::string_view group;
  std::string_view version;
  std::string_view kind;
  std::string_view plural;
  bool namespaced;
  json::object (*schema)() = nullptr;  ///< Without one its fields are left to whoever writes the objects.
  json::array (*columns)() = nullptr;
};

struct AddonRow {
  std::string_view name;
  std::string_view namespace_name;
  std::string_view service_account;
  std::vector<WorkloadRow> workloads;
  std::string_view csi_driver = {};
  std::vector<DefinitionRow> definitions = {};
};

const std::vector<AddonRow>& rows() {
  static const std::vector<AddonRow> table{
      {"vpc-cni",
       "kube-system",
       "aws-node",
       {{"aws-node", 0}},
       {},
       {{"crd.k8s.amazonaws.com", "v1alpha1", "ENIConfig", "eniconfigs", false},
        {"networking.k8s.aws", "v1alpha1", "PolicyEndpoint", "policyendpoints", true}}},
      {"kube-proxy", "kube-system", "kube-proxy", {{"kube-proxy", 0}}},
      {"coredns", "kube-system", "coredns", {{"coredns", 2}}},
      {"eks-pod-identity-agent", "kube-system", "eks-pod-identity-agent", {{"eks-pod-identity-agent", 0}}},
      {"eks-node-monitoring-agent",
       "kube-system",
       "eks-node-monitoring-agent",
       {{"eks-node-monitoring-agent", 0}}},
      {"metrics-server", "kube-system", "metrics-server", {{"metrics-server", 2}}},
      {"aws-ebs-csi-driver",
       "kube-system",
       "ebs-csi-controller-sa",
       {{"ebs-csi-controller", 2}, {"ebs-csi-node", 0}},
       "ebs.csi.aws.com"},
      {"aws-efs-csi-driver",
       "kube-system",
       "efs-csi-controller-sa",
       {{"efs-csi-controller", 2}, {"efs-csi-node", 0}},
       "efs.csi.aws.com"},
      {"aws-fsx-csi-driver",
       "kube-system",
       "fsx-csi-controller-sa",
       {{"fsx-csi-controller", 2}, {"fsx-csi-node", 0}},
       "fsx.csi.aws.com"},
      {"aws-mountpoint-s3-csi-driver",
       "kube-system",
       "s3-csi-driver-sa",
       {{"s3-csi-node", 0}},
       "s3.csi.aws.com"},
      {"cert-manager",
       "cert-manager",
       "cert-manager",
       {{"cert-manager", 1}, {"cert-manager-cainjector", 1}, {"cert-manager-webhook", 1}},
       {},
       {{"cert-manager.io", "v1", "Certificate", "certificates", true},
        {"cert-manager.io", "v1", "Issuer", "issuers", true},
        {"cert-manager.io", "v1", "ClusterIssuer", "clusterissuers", false}}},
      {"amazon-cloudwatch-observability",
       "amazon-cloudwatch",
       "cloudwatch-agent",
       {{"amazon-cloudwatch-observability-controller-manager", 1},
        {"cloudwatch-agent", 0},
        {"fluent-bit", 0}}},
      {"amazon-sagemaker-hyperpod-taskgovernance",
       "kueue-system",
       "kueue-controller-manager",
       {{"kueue-controller-manager", 1}},
       {},
       {{"kueue.x-k8s.io", "v1beta1", "ClusterQueue", "clusterqueues", false},
        {"kueue.x-k8s.io", "v1beta1", "LocalQueue", "localqueues", true},
        {"kueue.x-k8s.io", "v1beta1", "ResourceFlavor", "resourceflavors", false},
        {"kueue.x-k8s.io", "v1beta1", "Workload", "workloads", true},
        {"kueue.x-k8s.io", "v1beta1", "WorkloadPriorityClass", "workloadpriorityclasses", false}}},
      {"amazon-sagemaker-hyperpod-training-operator",
       "aws-hyperpod",
       "hp-training-operator-controller-manager",
       {{"hp-training-operator-controller-manager", 1}},
       {},
       {{"sagemaker.amazonaws.com", "v1", "HyperPodPyTorchJob", "hyperpodpytorchjobs", true,
         &training_job_schema, &training_job_columns}}},
      {"amazon-sagemaker-hyperpod-observability",
       "hyperpod-observability",
       "hyperpod-observability-operator-otel-collector",
       {{"hyperpod-observability-central-collector", 1}, {"hyperpod-node-collector", 0}}},
      {"snapshot-controller", "kube-system", "snapshot-controller", {{"snapshot-controller", 2}}},
  };
  return table;
}

const AddonRow* find_row(std::string_view name) {
  const auto found = std::ranges::find(rows(), name, &AddonRow::name);
  return found == rows().end() ? nullptr : &*found;
}

json::object labels_of(const AddonRow& row, std::string_view component) {
  return {{"app.kubernetes.io/name", component},
          {"app.kubernetes.io/instance", row.name},
          {"app.kubernetes.io/managed-by", "EKS"}};
}

json::object object_of(std::string_view api_version, std::string_view kind, std::string_view namespace_name,
                       std::string_view name, json::object labels) {
  json::object metadata{{"name", name}};
  if (!namespace_name.empty()) metadata["namespace"] = namespace_name;
  metadata["labels"] = std::move(labels);
  return {{"apiVersion", api_version}, {"kind", kind}, {"metadata", std::move(metadata)}};
}

json::object workload(const AddonRow& row, const WorkloadRow& one, const AddonRef& addon,
                      std::string_view region) {
  const json::object match{{"app.kubernetes.io/name", one.name}, {"app.kubernetes.io/instance", row.name}};
  const std::string image = fmt::format("602401143452.dkr.ecr.{}.amazonaws.com/eks/{}:{}", region, one.name,
                                        addon.version.empty() ? "latest" : addon.version);
  json::object pod{
      {"serviceAccountName", row.service_account},
      {"priorityClassName", one.replicas == 0 ? "system-node-critical" : "system-cluster-critical"},
      {"tolerations", json::array{json::object{{"operator", "Exists"}}}},
      {"containers",
       json::array{json::object{{"name", one.name},
                                {"image", image},
                                {"resources", json::object{{"requests", json::object{{"cpu", "25m"}}}}}}}}};
  json::object spec{
      {"selector", json::object{{"matchLabels", match}}},
      {"template", json::object{{"metadata", json::object{{"labels", match}}}, {"spec", std::move(pod)}}}};
  const bool daemon = one.replicas == 0;
  if (!daemon) spec["replicas"] = one.replicas;
  json::object object = object_of("apps/v1", daemon ? "DaemonSet" : "Deployment", row.namespace_name,
                                  one.name, labels_of(row, one.name));
  object["spec"] = std::move(spec);
  return object;
}

/// Where its fields are left open, that is enough for lists, watches and deletions.
json::object definition(const AddonRow& row, const DefinitionRow& one) {
  json::object object = object_of("apiextensions.k8s.io/v1", "CustomResourceDefinition", "",
                                  fmt::format("{}.{}", one.plural, one.group), labels_of(row, row.name));
  const json::object open{{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}};
  const json::object schema =
      one.schema
          ? one.schema()
          : json::object{{"type", "object"}, {"properties", json::object{{"spec", open}, {"status", open}}}};
  json::object version{{"name", one.version},
                       {"served", true},
                       {"storage", true},
                       {"schema", json::object{{"openAPIV3Schema", schema}}},
                       {"subresources", json::object{{"status", json::object{}}}}};
  if (one.columns) version["additionalPrinterColumns"] = one.columns();
  object["spec"] = json::object{{"group", one.group},
                                {"names", json::object{{"kind", one.kind},
                                                       {"plural", one.plural},
                                                       {"singular", to_lower(one.kind)},
                                                       {"listKind", fmt::format("{}List", one.kind)}}},
                                {"scope", one.namespaced ? "Namespaced" : "Cluster"},
                                {"versions", json::array{std::move(version)}}};
  return object;
}

json::object dns_service(const AddonRow& row, std::string_view service_cidr) {
  json::object labels = labels_of(row, "kube-dns");
  labels["k8s-app"] = "kube-dns";
  labels["kubernetes.io/cluster-service"] = "true";
  json::object object = object_of("v1", "Service", row.namespace_name, "kube-dns", std::move(labels));
  const auto range = Cidr::parse(service_cidr);
  const json::object match{{"app.kubernetes.io/name", "coredns"}, {"app.kubernetes.io/instance", row.name}};
  json::object spec{
      {"selector", match},
      {"ports",
       json::array{
           json::object{{"name", "dns"}, {"port", 53}, {"protocol", "UDP"}, {"targetPort", 53}},
           json::object{{"name", "dns-tcp"}, {"port", 53}, {"protocol", "TCP"}, {"targetPort", 53}}}}};
  if (range) spec["clusterIP"] = ipv4_text(range->network + 10);
  object["spec"] = std::move(spec);
  return object;
}

}  // namespace

std::vector<json::object> addon_objects(const AddonRef& addon, std::string_view region,
                                        std::string_view service_cidr) {
  std::vector<json::object> objects;
  const AddonRow* row = find_row(addon.name);
  if (!row) return objects;
  if (row->namespace_name != "kube-system") {
    // Somebody else may have made it: its labels are theirs.
    objects.push_back(object_of("v1", "Namespace", "", row->namespace_name, {}));
  }
  for (const auto& one : row->definitions) objects.push_back(definition(*row, one));
  json::object account = object_of("v1", "ServiceAccount", row->namespace_name, row->service_account,
                                   labels_of(*row, row->service_account));
  if (!addon.service_account_role_arn.empty()) {
    metadata_of(account)["annotations"] =
        json::object{{"eks.amazonaws.com/role-arn", addon.service_account_role_arn}};
  }
  objects.push_back(std::move(account));
  if (!row->csi_driver.empty()) {
    json::object driver =
        object_of("storage.k8s.io/v1", "CSIDriver", "", row->csi_driver, labels_of(*row, row->name));
    driver["spec"] = json::object{{"attachRequired", row->csi_driver == "ebs.csi.aws.com"}};
    objects.push_back(std::move(driver));
  }
  if (row->name == "coredns") objects.push_back(dns_service(*row, service_cidr));
  for (const auto& one : row->workloads) objects.push_back(workload(*row, one, addon, region));
  return objects;
}

AddonHealth addon_health(const ObjectStore& store, std::string_view cluster, std::string_view addon_name) {
  const AddonRow* row = find_row(addon_name);
  if (!row) return {.healthy = true};
  const auto number = [](const json::object& object, std::string_view member) -> std::int64_t {
    const auto* value = object.if_contains(member);
    return value && value->is_int64() ? value->get_int64() : 0;
  };
  for (const auto& one : row->workloads) {
    const bool daemon = one.replicas == 0;
    const json::object* found =
        store.find({std::string(cluster), "apps", daemon ? "daemonsets" : "deployments",
                    std::string(row->namespace_name), std::string(one.name)});
    const json::object nothing;
    const json::object& status = found ? member_object(*found, "status") : nothing;
    const bool enough =
        found &&
        (daemon ? number(status, "numberAvailable") >= number(status, "desiredNumberScheduled")
                : number(status, "availableReplicas") >= number(member_object(*found, "spec"), "replicas"));
    if (enough) continue;
    return {.healthy = false,
            .code = "InsufficientNumberOfReplicas",
            .message = "The add-on is unhealthy because it doesn't have the desired number of replicas."};
  }
  return {.healthy = true};
}

void remove_addon_objects(ClusterObjects& objects, std::string_view addon_name) {
  const AddonRow* row = find_row(addon_name);
  if (!row) return;
  // What somebody deleted by hand already is gone as it should be.
  for (const auto& one : row->workloads) {
    std::ignore = objects.remove("apps", one.replicas == 0 ? "daemonsets" : "deployments",
                                 row->namespace_name, one.name, {.propagation = "Background"});
  }
  if (row->name == "coredns") std::ignore = objects.remove("", "services", row->namespace_name, "kube-dns");
  if (!row->csi_driver.empty())
    std::ignore = objects.remove("storage.k8s.io", "csidrivers", "", row->csi_driver);
  std::ignore = objects.remove("", "serviceaccounts", row->namespace_name, row->service_account);
}

}  // namespace instantstart::sandbox::kubernetes
