// Deployment and Service of a served model, as values, and back. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "capabilities/dependencies/cluster_target.h"
#include "capabilities/dependencies/owned_object.h"
#include "capabilities/inference/inference.h"

namespace instantstart::capabilities {

inline constexpr std::string_view k_inference_component = "inference";
/// On the Deployment, its pods and the Service; the Service finds the pods by it.
inline constexpr std::string_view k_deployment_label = "instantstart/deployment";
inline constexpr std::string_view k_model_annotation = "instantstart/model";
inline constexpr std::string_view k_served_name_annotation = "instantstart/served-model-name";
inline constexpr std::string_view k_instance_type_label = "node.kubernetes.io/instance-type";
inline constexpr std::string_view k_gpu_resource = "nvidia.com/gpu";
/// The container's name in the pods, and where the server listens.
inline constexpr std::string_view k_model_container = "model";
inline constexpr std::int64_t k_model_port = 8'000;

/// The official server; its entry point is `vllm serve`, so that only arguments are given.
inline constexpr std::string_view k_default_image = "vllm/vllm-openai:v0.33.0";

/// How long a server may take until it answers: a large model from a slow disk, and its compilation.
inline constexpr std::int64_t k_startup_seconds = 3'600;

/// What shall be served, as steps hold it.
struct ServedModel {
  ClusterTarget cluster;
  std::string name;
  std::string space;
  std::string model;
  std::string served_name;
  std::string image;
  std::int64_t replicas = 1;
  std::int64_t tensor_parallel = 1;
  std::int64_t pipeline_parallel = 1;
  std::optional<std::string> instance_type;  ///< As nodes are labelled: "ml.g5.8xlarge".
  std::optional<std::int64_t> max_model_len;
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;
  std::optional<SecretKey> hf_token_secret;
  std::optional<json::object> data_volume;  ///< Elements of the pod's volumes and of the container's mounts,
  std::optional<json::object> data_mount;   ///< see data_volume.h.

  std::int64_t gpus() const { return tensor_parallel * pipeline_parallel; }
};
Type describe(ServedModel*);

/// Without the data volume, which is to be looked for.
ServedModel model_of(const ModelDeploy& request, ClusterTarget cluster);

ObjectRef deployment_ref(std::string_view space, std::string_view name);
ObjectRef service_ref(std::string_view space, std::string_view name);
/// "http://qwen.default.svc:8000/v1"
std::string url_of(std::string_view space, std::string_view name);

/// The words after `vllm serve`.
std::vector<std::string> server_arguments(const ServedModel& model);

/// The Deployment, then the Service, with our labels and annotations; the operation is noted as their maker.
std::vector<json::object> deployment_objects(const ServedModel& model, std::string_view operation_id);

/// Of a Deployment as it is; nullopt: not ours. Its state goes by the Deployment alone.
std::optional<DeploymentView> view_of(const json::object& deployment);

}  // namespace instantstart::capabilities
