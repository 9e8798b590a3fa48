#include "sandbox/kubernetes/api/bootstrap.h"

#include <utility>
#include <vector>

#include "sandbox/kubernetes/api/bootstrap_roles.h"
#include "sandbox/kubernetes/api/service_addresses.h"

namespace instantstart::sandbox::kubernetes {
namespace {

json::object object_of(std::string_view api_version, std::string_view kind, std::string_view name) {
  return {{"apiVersion", api_version}, {"kind", kind}, {"metadata", json::object{{"name", name}}}};
}

json::object bootstrap_metadata(std::string_view name) {
  return {{"name", name},
          {"labels", json::object{{"kubernetes.io/bootstrapping", "rbac-defaults"}}},
          {"annotations", json::object{{"rbac.authorization.kubernetes.io/autoupdate", "true"}}}};
}

void add_roles(std::vector<json::object>& objects) {
  constexpr std::string_view k_rbac = "rbac.authorization.k8s.io";
  for (const auto& role : bootstrap_roles()) {
    json::object object = object_of("rbac.authorization.k8s.io/v1", "ClusterRole", role.name);
    object["metadata"] = bootstrap_metadata(role.name);
    object["rules"] = to_json(role.rules);
    objects.push_back(std::move(object));
  }
  for (const auto& binding : bootstrap_bindings()) {
    json::object object = object_of("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", binding.role);
    object["metadata"] = bootstrap_metadata(binding.role);
    object["roleRef"] = json::object{{"apiGroup", k_rbac}, {"kind", "ClusterRole"}, {"name", binding.role}};
    json::array subjects;
    for (const auto group : binding.groups) {
      subjects.emplace_back(json::object{{"apiGroup", k_rbac}, {"kind", "Group"}, {"name", group}});
    }
    object["subjects"] = std::move(subjects);
    objects.push_back(std::move(object));
  }
}

json::object priority_class(std::string_view name, std::int64_t value, std::string_view description) {
  json::object object = object_of("scheduling.k8s.io/v1", "PriorityClass", name);
  object["value"] = value;
  object["description"] = description;
  return object;
}

json::object storage_class() {
  json::object object = object_of("storage.k8s.io/v1", "StorageClass", "gp2");
  object["provisioner"] = "kubernetes.io/aws-ebs";
  object["parameters"] = json::object{{"type", "gp2"}, {"fsType", "ext4"}};
  object["reclaimPolicy"] = "Delete";
  object["volumeBindingMode"] = "WaitForFirstConsumer";
  return object;
}

json::object kubernetes_service(std::string_view service_cidr) {
  json::object object = object_of("v1", "Service", "kubernetes");
  object["metadata"] =
      json::object{{"name", "kubernetes"},
                   {"namespace", "default"},
                   {"labels", json::object{{"component", "apiserver"}, {"provider", "kubernetes"}}}};
  const json::object port{{"name", "https"}, {"port", 443}, {"protocol", "TCP"}, {"targetPort", 443}};
  object["spec"] = json::object{{"clusterIP", first_service_address(service_cidr)},
                                {"type", "ClusterIP"},
                                {"sessionAffinity", "None"},
                                {"ports", json::array{port}}};
  return object;
}

}  // namespace

Outcome<> furnish_cluster(ClusterObjects& objects, std::string_view service_cidr) {
  std::vector<json::object> all;
  for (const auto name : {"default", "kube-system", "kube-public", "kube-node-lease"}) {
    all.push_back(object_of("v1", "Namespace", name));
  }
  add_roles(all);
  all.push_back(priority_class("system-cluster-critical", 2'000'000'000,
                               "Used for system critical pods that must run in the cluster, but can be "
                               "moved to another node if necessary."));
  all.push_back(priority_class("system-node-critical", 2'000'001'000,
                               "Used for system critical pods that must not be moved from their current "
                               "node."));
  all.push_back(storage_class());
  all.push_back(kubernetes_service(service_cidr));
  for (auto& object : all) {
    auto made = objects.create(std::move(object));
    if (!made) return std::unexpected(std::move(made.error()));
  }
  return {};
}

}  // namespace instantstart::sandbox::kubernetes
