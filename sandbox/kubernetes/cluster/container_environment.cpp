#include "sandbox/kubernetes/cluster/container_environment.h"

#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/cluster/pod_files.h"
#include "sandbox/kubernetes/cluster/workload.h"

namespace instantstart::sandbox::kubernetes {
namespace {

using Environment = std::map<std::string, std::string, std::less<>>;
using Value = std::expected<std::optional<std::string>, std::string>;

std::string quoted_part(std::string_view path, std::string_view prefix) {
  auto rest = path.substr(prefix.size());
  if (rest.starts_with("['") && rest.ends_with("']")) rest = rest.substr(2, rest.size() - 4);
  return std::string(rest);
}

std::string field_value(const PodRun& run, const json::object& pod, const NodeRecord*,
                        std::string_view path) {
  if (path == "metadata.name") return run.name;
  if (path == "metadata.namespace") return run.namespace_name;
  if (path == "metadata.uid") return run.uid;
  if (path == "spec.nodeName") return run.node;
  if (path == "spec.serviceAccountName") {
    return std::string(member_text(member_object(pod, "spec"), "serviceAccountName"));
  }
  if (path == "status.podIP" || path == "status.podIPs") return run.ip;
  if (path == "status.hostIP" || path == "status.hostIPs") {
    return std::string(member_text(member_object(pod, "status"), "hostIP"));
  }
  for (const std::string_view map : {"metadata.labels", "metadata.annotations"}) {
    if (!path.starts_with(map)) continue;
    const auto key = quoted_part(path, map);
    return std::string(map.ends_with("labels") ? label_of(pod, key) : annotation_of(pod, key));
  }
  return {};
}

/// One key of a ConfigMap or Secret.
Value key_value(const ClusterAccess& access, const PodRun& run, const json::object& reference, bool secret) {
  const std::string name(member_text(reference, "name"));
  const auto key = member_text(reference, "key");
  const bool optional = is_true_at(reference, "optional");
  const json::object* object =
      access.find({run.cluster, "", secret ? "secrets" : "configmaps", run.namespace_name, name});
  if (!object) {
    if (optional) return std::nullopt;
    return std::unexpected(fmt::format("{} \"{}\" not found", secret ? "secret" : "configmap", name));
  }
  const json::object& data = member_object(*object, "data");
  if (!data.contains(key)) {
    if (optional) return std::nullopt;
    return std::unexpected(fmt::format("couldn't find key {} in {} {}/{}", key,
                                       secret ? "Secret" : "ConfigMap", run.namespace_name, name));
  }
  const std::string text(member_text(data, key));
  return secret ? from_base64(text) : std::optional(text);
}

Value value_of(const ClusterAccess& access, const PodRun& run, const json::object& pod,
               const json::object& container, const json::object& source) {
  if (source.contains("configMapKeyRef"))
    return key_value(access, run, member_object(source, "configMapKeyRef"), false);
  if (source.contains("secretKeyRef"))
    return key_value(access, run, member_object(source, "secretKeyRef"), true);
  if (source.contains("resourceFieldRef")) {
    const auto path = member_text(member_object(source, "resourceFieldRef"), "resource");
    const auto dot = path.find('.');
    if (dot == path.npos) return std::nullopt;
    const json::object& list = member_object(member_object(container, "resources"), path.substr(0, dot));
    return std::string(member_text(list, path.substr(dot + 1)));
  }
  return field_value(run, pod, nullptr, member_text(member_object(source, "fieldRef"), "fieldPath"));
}

/// $(NAME); $$ is one $; what isn't known stays.
std::string expanded(std::string_view text, const Environment& env) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$' || i + 1 == text.size()) {
      result += text[i];
      continue;
    }
    if (text[i + 1] == '$') {
      result += '$';
      ++i;
      continue;
    }
    const auto close = text[i + 1] == '(' ? text.find(')', i) : text.npos;
    const auto found = close == text.npos ? env.end() : env.find(text.substr(i + 2, close - i - 2));
    if (found == env.end()) {
      result += text[i];
      continue;
    }
    result += found->second;
    i = close;
  }
  return result;
}

/// "MY_APP" of a service's name.
std::string link_name(std::string_view service) {
  std::string name(service);
  for (char& letter : name) {
    letter = letter == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return name;
}

/// Service links: of the services that were there when the container was started. RFC 3339 times of whole
/// seconds in UTC compare as text.
void add_service_links(const ClusterAccess& access, const PodRun& run, const json::object& pod,
                       std::string_view started, Environment& env) {
  const auto* wanted = member_object(pod, "spec").if_contains("enableServiceLinks");
  if (wanted && wanted->is_bool() && !wanted->get_bool()) return;
  for (const auto* stored : access.store().list(run.cluster, "", "services", run.namespace_name)) {
    const json::object& service = stored->body;
    const json::object& spec = member_object(service, "spec");
    const auto address = member_text(spec, "clusterIP");
    const auto made = member_text(metadata_of(service), "creationTimestamp");
    if (address.empty() || address == "None" || (!started.empty() && made > started)) continue;
    const std::string name = link_name(stored->name);
    bool first = true;
    for (const auto& value : member_array(spec, "ports")) {
      if (!value.is_object()) continue;
      const json::object& port = value.get_object();
      const auto number = number_at(port, "port");
      const auto protocol = member_text(port, "protocol");
      const std::string kind = protocol.empty() ? "TCP" : std::string(protocol);
      const std::string url = fmt::format("{}://{}:{}", to_lower(kind), address, number);
      if (std::exchange(first, false)) {
        env[name + "_SERVICE_HOST"] = address;
        env[name + "_SERVICE_PORT"] = std::to_string(number);
        env[name + "_PORT"] = url;
      }
      const std::string link = fmt::format("{}_PORT_{}_{}", name, number, kind);
      env[link] = url;
      env[link + "_PROTO"] = to_lower(kind);
      env[link + "_PORT"] = std::to_string(number);
      env[link + "_ADDR"] = address;
    }
  }
}

std::expected<Environment, std::string> environment_of(const ClusterAccess& access, const PodRun& run,
                                                       const json::object& pod, std::string_view started,
                                                       const json::object& container) {
  const auto host = member_text(member_object(pod, "spec"), "hostname");
  Environment env{{"HOSTNAME", host.empty() ? run.name : std::string(host)},
                  {"KUBERNETES_SERVICE_PORT", "443"}};
  add_service_links(access, run, pod, started, env);
  for (const auto& value : member_array(container, "envFrom")) {
    if (!value.is_object()) continue;
    const bool secret = value.get_object().contains("secretRef");
    const json::object& reference = member_object(value.get_object(), secret ? "secretRef" : "configMapRef");
    const std::string name(member_text(reference, "name"));
    const json::object* object =
        access.find({run.cluster, "", secret ? "secrets" : "configmaps", run.namespace_name, name});
    if (!object && is_true_at(reference, "optional")) continue;
    if (!object)
      return std::unexpected(fmt::format("{} \"{}\" not found", secret ? "secret" : "configmap", name));
    const auto prefix = member_text(value.get_object(), "prefix");
    for (const auto& [key, text] : member_object(*object, "data")) {
      if (!text.is_string()) continue;
      const std::string raw(text.get_string());
      env[fmt::format("{}{}", prefix, std::string_view(key))] = secret ? from_base64(raw).value_or("") : raw;
    }
  }
  for (const auto& value : member_array(container, "env")) {
    if (!value.is_object()) continue;
    const json::object& one = value.get_object();
    const std::string name(member_text(one, "name"));
    if (!one.contains("valueFrom")) {
      env[name] = expanded(member_text(one, "value"), env);
      continue;
    }
    auto found = value_of(access, run, pod, container, member_object(one, "valueFrom"));
    if (!found) return std::unexpected(std::move(found.error()));
    if (*found) env[name] = std::move(**found);
  }
  return env;
}

BucketMount bucket_mount(const ClusterAccess& access, const PodRun& run, const json::object& pod,
                         const BucketVolume& volume) {
  BucketMount mount{.cluster = run.cluster,
                    .bucket = volume.bucket,
                    .prefix = volume.prefix,
                    .namespace_name = volume.as_pod ? run.namespace_name : "kube-system",
                    .service_account = "s3-csi-driver-sa",
                    .role_arn = {},
                    .of_pod = volume.as_pod};
  if (volume.as_pod) {
    const auto name = member_text(member_object(pod, "spec"), "serviceAccountName");
    mount.service_account = name.empty() ? std::string_view("default") : name;
  }
  const json::object* account =
      access.find({run.cluster, "", "serviceaccounts", mount.namespace_name, mount.service_account});
  if (account) mount.role_arn = annotation_of(*account, "eks.amazonaws.com/role-arn");
  return mount;
}

/// What the CSI driver of a persistent volume says, or the kubelet where there is no such driver.
std::optional<std::string> driver_problem(const ClusterAccess& access, const BucketStore* buckets,
                                          const PodRun& run, const json::object& pod,
                                          const json::object& volume) {
  const json::object* persistent = persistent_volume_of(access, run.cluster, run.namespace_name, volume);
  if (!persistent) return std::nullopt;
  const std::string driver(member_text(member_object(member_object(*persistent, "spec"), "csi"), "driver"));
  if (driver.empty()) return std::nullopt;
  const auto name = name_of(*persistent);
  if (!access.find({run.cluster, "storage.k8s.io", "csidrivers", "", driver})) {
    return fmt::format(
        "MountVolume.SetUp failed for volume \"{}\" : kubernetes.io/csi: mounter.SetUpAt failed to get CSI "
        "client: driver name {} not found in the list of registered CSI drivers",
        name, driver);
  }
  const auto bucket = bucket_volume_of(*persistent);
  if (!bucket || !buckets) return std::nullopt;
  const auto refusal = buckets->mount_refusal(bucket_mount(access, run, pod, *bucket));
  if (!refusal) return std::nullopt;
  return fmt::format(
      "MountVolume.SetUp failed for volume \"{0}\" : rpc error: code = Internal desc = Could not mount "
      "\"{1}\" at \"/var/lib/kubelet/pods/{2}/volumes/kubernetes.io~csi/{0}/mount\": Mount failed: Error: "
      "Failed to create S3 client Caused by: initial ListObjectsV2 failed for bucket {1}: {3}",
      name, bucket->bucket, run.uid, *refusal);
}

}  // namespace

const json::object* find_container(const json::object& pod, std::string_view name) {
  for (const auto list : {"containers", "initContainers"}) {
    for (const auto& value : member_array(member_object(pod, "spec"), list)) {
      if (value.is_object() && member_text(value.get_object(), "name") == name) return &value.get_object();
    }
  }
  return nullptr;
}

std::expected<ContainerView, std::string> container_view(const ClusterAccess& access, const PodRun& run,
                                                         const json::object& pod,
                                                         const ContainerRun& container) {
  const json::object* spec = find_container(pod, container.name);
  if (!spec) return std::unexpected(fmt::format("container {} not found", container.name));
  auto env = environment_of(access, run, pod, container.started, *spec);
  if (!env) return std::unexpected(std::move(env.error()));
  ContainerView view{.cluster = run.cluster,
                     .namespace_name = run.namespace_name,
                     .pod = run.name,
                     .pod_uid = run.uid,
                     .node = run.node,
                     .pod_ip = run.ip,
                     .name = container.name,
                     .image = std::string(member_text(*spec, "image")),
                     .argv = {},
                     .env = std::move(*env),
                     .attempt = container.attempt};
  for (const auto list : {"command", "args"}) {
    for (const auto& value : member_array(*spec, list)) {
      if (value.is_string()) view.argv.push_back(expanded(value.get_string(), view.env));
    }
  }
  return view;
}

std::optional<std::string> mount_problem(const ClusterAccess& access, const BucketStore* buckets,
                                         const PodRun& run, const json::object& pod) {
  for (const auto& value : member_array(member_object(pod, "spec"), "volumes")) {
    if (!value.is_object()) continue;
    const json::object& volume = value.get_object();
    const auto missing = [&](std::string_view resource, std::string_view name) {
      return !access.find({run.cluster, "", std::string(resource), run.namespace_name, std::string(name)});
    };
    const json::object& map = member_object(volume, "configMap");
    const json::object& secret = member_object(volume, "secret");
    const auto map_name = member_text(map, "name");
    const auto secret_name = member_text(secret, "secretName");
    if (!map_name.empty() && !is_true_at(map, "optional") && missing("configmaps", map_name)) {
      return fmt::format("MountVolume.SetUp failed for volume \"{}\" : configmap \"{}\" not found",
                         member_text(volume, "name"), map_name);
    }
    if (!secret_name.empty() && !is_true_at(secret, "optional") && missing("secrets", secret_name)) {
      return fmt::format("MountVolume.SetUp failed for volume \"{}\" : secret \"{}\" not found",
                         member_text(volume, "name"), secret_name);
    }
    const auto claim_name = member_text(member_object(volume, "persistentVolumeClaim"), "claimName");
    if (claim_name.empty()) continue;
    const json::object* claim =
        access.find({run.cluster, "", "persistentvolumeclaims", run.namespace_name, std::string(claim_name)});
    if (!claim || phase_of(*claim) != "Bound") {
      return fmt::format(
          "Unable to attach or mount volumes: unmounted volumes=[{}]: persistentvolumeclaim \"{}\" "
          "is not bound",
          member_text(volume, "name"), claim_name);
    }
    if (auto problem = driver_problem(access, buckets, run, pod, volume)) return problem;
  }
  return std::nullopt;
}

}  // namespace instantstart::sandbox::kubernetes
