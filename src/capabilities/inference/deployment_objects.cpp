#include "capabilities/inference/deployment_objects.h"

#include <charconv>
#include <utility>

#include <fmt/core.h>

#include "base/text.h"
#include "capabilities/dependencies/object_parts.h"
#include "capabilities/inference/deployment_state.h"
#include "kube/json_access.h"

namespace instantstart::capabilities {
namespace {

constexpr std::string_view k_port_name = "http";
constexpr std::string_view k_cache_path = "/cache";
/// Tensor parallelism shares memory between processes; only what is used counts.
constexpr std::string_view k_shared_memory = "16Gi";
constexpr std::int64_t k_probe_seconds = 10;
/// Requests that run may end.
constexpr std::int64_t k_grace_seconds = 120;
constexpr std::size_t k_longest_text = 500;

/// Kubernetes replaces $(NAME) in arguments and values, and $$ by $ (expansion.Expand): what was typed stays
/// as it was typed.
std::string unexpanded(std::string_view text) {
  std::string kept;
  for (const char c : text) {
    if (c == '$') kept += '$';
    kept += c;
  }
  return kept;
}

json::object labels_of(const ServedModel& model) {
  return {{"app.kubernetes.io/managed-by", "instantstart"},
          {k_component_label, k_inference_component},
          {k_deployment_label, model.name}};
}

json::object metadata_of(const ServedModel& model, std::string_view operation_id) {
  return {{"name", model.name},
          {"namespace", model.space},
          {"labels", labels_of(model)},
          {"annotations",
           {{k_operation_annotation, operation_id},
            {k_model_annotation, model.model},
            {k_served_name_annotation, model.served_name}}}};
}

json::array environment_of(const ServedModel& model) {
  std::map<std::string, std::string> values{
      {"HF_HOME", fmt::format("{}/huggingface", k_cache_path)},
      {"VLLM_CACHE_ROOT", fmt::format("{}/vllm", k_cache_path)},
      // Its own limit of 600 s would end it before the startup probe gives up.
      {"VLLM_ENGINE_READY_TIMEOUT_S", std::to_string(k_startup_seconds)}};
  for (const auto& [name, value] : model.environment) values[name] = unexpanded(value);
  json::array list;
  for (const auto& [name, value] : values) list.push_back(env(name, value));
  if (model.hf_token_secret) {
    json::object key{{"name", model.hf_token_secret->name}, {"key", model.hf_token_secret->key}};
    list.push_back(json::object{{"name", "HF_TOKEN"}, {"valueFrom", {{"secretKeyRef", std::move(key)}}}});
  }
  return list;
}

json::object probe(std::int64_t failures) {
  return {{"httpGet", {{"path", "/health"}, {"port", k_port_name}}},
          {"periodSeconds", k_probe_seconds},
          {"timeoutSeconds", 5},
          {"failureThreshold", failures}};
}

json::object container_of(const ServedModel& model) {
  json::array arguments;
  for (const auto& word : server_arguments(model)) arguments.emplace_back(json::string(unexpanded(word)));
  const json::object gpus{{k_gpu_resource, std::to_string(model.gpus())}};
  json::array mounts{mount("shm", "/dev/shm"), mount("cache", k_cache_path)};
  if (model.data_mount) mounts.push_back(*model.data_mount);
  return {{"name", k_model_container},
          {"image", model.image},
          {"args", std::move(arguments)},
          {"env", environment_of(model)},
          {"ports", json::array{json::object{{"name", k_port_name}, {"containerPort", k_model_port}}}},
          {"resources", {{"limits", gpus}, {"requests", gpus}}},
          {"startupProbe", probe(k_startup_seconds / k_probe_seconds)},
          {"readinessProbe", probe(3)},
          {"livenessProbe", probe(6)},
          // What the server said last is in the pod's status then, not in its log alone.
          {"terminationMessagePolicy", "FallbackToLogsOnError"},
          {"securityContext", {{"allowPrivilegeEscalation", false}}},
          {"volumeMounts", std::move(mounts)}};
}

json::object pod_spec_of(const ServedModel& model) {
  json::array volumes{
      json::object{{"name", "shm"}, {"emptyDir", {{"medium", "Memory"}, {"sizeLimit", k_shared_memory}}}},
      // A server that is started again in its pod finds the weights that it has loaded before.
      json::object{{"name", "cache"}, {"emptyDir", json::object()}}};
  if (model.data_volume) volumes.push_back(*model.data_volume);
  json::object spec{{"containers", json::array{container_of(model)}},
                    {"volumes", std::move(volumes)},
                    // A Service called vllm would set VLLM_PORT to a URL, and the server would not start.
                    {"enableServiceLinks", false},
                    {"automountServiceAccountToken", false},
                    {"terminationGracePeriodSeconds", k_grace_seconds},
                    {"tolerations", json::array{tolerates(k_gpu_resource, "NoSchedule")}}};
  if (model.instance_type) {
    spec["nodeSelector"] = json::object{{k_instance_type_label, *model.instance_type}};
  }
  return spec;
}

json::object deployment_of(const ServedModel& model, std::string_view operation_id) {
  const ObjectRef ref = deployment_ref(model.space, model.name);
  json::object spec{
      {"replicas", model.replicas},
      {"selector", {{"matchLabels", {{k_deployment_label, model.name}}}}},
      // Nodes are full: there is no room for a newer pod beside the one that it replaces.
      {"strategy", {{"type", "RollingUpdate"}, {"rollingUpdate", {{"maxSurge", 0}, {"maxUnavailable", 1}}}}},
      {"progressDeadlineSeconds", k_startup_seconds + 600},
      {"template", {{"metadata", {{"labels", labels_of(model)}}}, {"spec", pod_spec_of(model)}}}};
  return {{"apiVersion", ref.api_version},
          {"kind", ref.kind},
          {"metadata", metadata_of(model, operation_id)},
          {"spec", std::move(spec)}};
}

json::object service_of(const ServedModel& model, std::string_view operation_id) {
  const ObjectRef ref = service_ref(model.space, model.name);
  json::object port{{"name", k_port_name}, {"port", k_model_port}, {"targetPort", k_port_name}};
  return {{"apiVersion", ref.api_version},
          {"kind", ref.kind},
          {"metadata", metadata_of(model, operation_id)},
          {"spec",
           {{"type", "ClusterIP"},
            {"selector", {{k_deployment_label, model.name}}},
            {"ports", json::array{std::move(port)}}}}};
}

std::string bounded(std::string_view text) { return shortened(without_controls(text), k_longest_text); }

std::string served_name_of(const ModelDeploy& request) {
  if (request.served_model_name) return request.served_model_name->value;
  const std::string& model = request.model.value;
  return model.starts_with('/') ? model.substr(model.rfind('/') + 1) : model;
}

std::int64_t gpus_of(const json::object& container) {
  const auto text = kube::text_at(container, {"resources", "limits", k_gpu_resource});
  std::int64_t gpus = 0;
  std::from_chars(text.data(), text.data() + text.size(), gpus);
  return gpus;
}

DeploymentState state_of(const json::object& deployment) {
  if (!kube::text_at(deployment, {"metadata", "deletionTimestamp"}).empty()) return DeploymentState::going;
  const kube::ObjectView view(deployment);
  const auto progressing = view.condition("Progressing");
  if (is_complete(rollout_seen_of(deployment))) return DeploymentState::ready;
  return progressing && progressing->status == "False" ? DeploymentState::failing : DeploymentState::starting;
}

}  // namespace

Type describe(ServedModel*) {
  return object_type<ServedModel>(
      "ServedModel", "What a model server is made of.",
      {field<&ServedModel::cluster>("cluster", "The cluster."),
       field<&ServedModel::name>("name", "Its name."),
       field<&ServedModel::space>("namespace", "Its namespace."),
       field<&ServedModel::model>("model", "The model."),
       field<&ServedModel::served_name>("served_name", "Its name in requests."),
       field<&ServedModel::image>("image", "The server's image."),
       field<&ServedModel::replicas>("replicas", "Servers."),
       field<&ServedModel::tensor_parallel>("tensor_parallel", "GPUs that share a layer."),
       field<&ServedModel::pipeline_parallel>("pipeline_parallel", "GPUs that share the layers."),
       field<&ServedModel::instance_type>("instance_type", "The nodes' type."),
       field<&ServedModel::max_model_len>("max_model_len", "Tokens of prompt and answer."),
       field<&ServedModel::arguments>("arguments", "More arguments."),
       field<&ServedModel::environment>("environment", "Variables."),
       field<&ServedModel::hf_token_secret>("hf_token_secret", "The Secret with the Hub's token."),
       field<&ServedModel::data_volume>("data_volume", "The volume at /data."),
       field<&ServedModel::data_mount>("data_mount", "Its mount.")});
}

ServedModel model_of(const ModelDeploy& request, ClusterTarget cluster) {
  ServedModel model{.cluster = std::move(cluster),
                    .name = request.name.value,
                    .space = request.space.value,
                    .model = request.model.value,
                    .served_name = served_name_of(request),
                    .image = request.image ? request.image->value : std::string(k_default_image),
                    .replicas = request.replicas,
                    .pipeline_parallel = request.pipeline_parallel,
                    .max_model_len = request.max_model_len,
                    .hf_token_secret = request.hf_token_secret};
  model.tensor_parallel =
      request.tensor_parallel.value_or(request.gpus ? *request.gpus / request.pipeline_parallel : 1);
  if (request.instance_type) {
    model.instance_type = domain::sagemaker_name(domain::ec2_name(*request.instance_type));
  }
  for (const auto& argument : request.extra_arguments) model.arguments.push_back(argument.value);
  for (const auto& [name, value] : request.environment) model.environment[name] = value.value;
  return model;
}

ObjectRef deployment_ref(std::string_view space, std::string_view name) {
  return {"apps/v1", "Deployment", std::string(space), std::string(name)};
}

ObjectRef service_ref(std::string_view space, std::string_view name) {
  return {"v1", "Service", std::string(space), std::string(name)};
}

std::string url_of(std::string_view space, std::string_view name) {
  return fmt::format("http://{}.{}.svc:{}/v1", name, space, k_model_port);
}

std::vector<std::string> server_arguments(const ServedModel& model) {
  std::vector<std::string> words{model.model,
                                 "--served-model-name",
                                 model.served_name,
                                 "--port",
                                 std::to_string(k_model_port),
                                 "--tensor-parallel-size",
                                 std::to_string(model.tensor_parallel),
                                 "--pipeline-parallel-size",
                                 std::to_string(model.pipeline_parallel)};
  if (model.max_model_len) {
    words.insert(words.end(), {"--max-model-len", std::to_string(*model.max_model_len)});
  }
  words.insert(words.end(), model.arguments.begin(), model.arguments.end());
  return words;
}

std::vector<json::object> deployment_objects(const ServedModel& model, std::string_view operation_id) {
  std::vector<json::object> objects;
  objects.push_back(deployment_of(model, operation_id));
  objects.push_back(service_of(model, operation_id));
  return objects;
}

std::optional<DeploymentView> view_of(const json::object& deployment) {
  const kube::ObjectView object(deployment);
  if (!maker_of(deployment) || object.label(k_component_label) != k_inference_component) return std::nullopt;
  const auto& pod = kube::object_at(deployment, {"spec", "template", "spec"});
  const auto& containers = kube::array_at(pod, {"containers"});
  const json::object& container = containers.empty() ? json::object() : kube::as_object(containers.front());
  DeploymentView view{.name = bounded(object.name()),
                      .space = bounded(object.space()),
                      .state = state_of(deployment),
                      .model = bounded(object.annotation(k_model_annotation).value_or("")),
                      .served_model_name = bounded(object.annotation(k_served_name_annotation).value_or("")),
                      .image = bounded(kube::text_at(container, {"image"})),
                      .replicas = kube::integer_at(deployment, {"spec", "replicas"}).value_or(0),
                      .ready = kube::integer_at(deployment, {"status", "readyReplicas"}).value_or(0),
                      .gpus = gpus_of(container),
                      .url = url_of(object.space(), object.name())};
  const auto type = kube::text_at(pod, {"nodeSelector", k_instance_type_label});
  if (!type.empty()) view.instance_type = bounded(type);
  const auto created = kube::text_at(deployment, {"metadata", "creationTimestamp"});
  if (!created.empty()) view.created_at = bounded(created);
  return view;
}

}  // namespace instantstart::capabilities
