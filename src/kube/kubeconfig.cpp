#include "kube/kubeconfig.h"

#include "base/digest.h"

namespace instantstart::kube {
namespace {

json::object exec_plugin(const KubeconfigTarget& target) {
  json::array arguments{"--region",       target.region,       "eks",      "get-token",
                        "--cluster-name", target.cluster_name, "--output", "json"};
  json::object exec{{"apiVersion", "client.authentication.k8s.io/v1beta1"},
                    {"command", "aws"},
                    {"args", std::move(arguments)},
                    {"interactiveMode", "Never"},
                    {"provideClusterInfo", false}};
  json::array environment;
  const auto set = [&environment](std::string_view name, const std::optional<std::string>& value) {
    if (value) environment.push_back(json::object{{"name", name}, {"value", *value}});
  };
  set("AWS_PROFILE", target.profile);
  set("AWS_ENDPOINT_URL_STS", target.sts_endpoint);
  if (!environment.empty()) exec["env"] = std::move(environment);
  return exec;
}

}  // namespace

json::value make_kubeconfig(const KubeconfigTarget& target) {
  json::object cluster{{"server", target.server}};
  if (!target.ca_pem.empty()) cluster["certificate-authority-data"] = to_base64(target.ca_pem);
  json::object context{{"cluster", target.context}, {"user", target.context}};
  if (target.space) context["namespace"] = *target.space;
  const auto named = [&](std::string_view what, json::object value) {
    return json::array{json::object{{"name", target.context}, {what, std::move(value)}}};
  };
  return json::object{{"apiVersion", "v1"},
                      {"kind", "Config"},
                      {"current-context", target.context},
                      {"preferences", json::object()},
                      {"clusters", named("cluster", std::move(cluster))},
                      {"contexts", named("context", std::move(context))},
                      {"users", named("user", json::object{{"exec", exec_plugin(target)}})}};
}

}  // namespace instantstart::kube
