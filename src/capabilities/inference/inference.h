// Models that a cluster serves: a vLLM server as a Deployment and a Service inside the cluster.
//
// A deployment is made of plain objects of one name in one namespace. Its pods get what is mounted at /data
// (see capabilities/storage/data_volume.h), run on one node each, and answer OpenAI's protocol at the
// Service's address, which model_call reaches through the API server.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "aws/accounts.h"
#include "base/describe.h"
#include "capabilities/storage/storage.h"
#include "contract/action.h"
#include "domain/cluster_key.h"
#include "domain/container_image.h"
#include "domain/names.h"
#include "fleet/fleet.h"
#include "kube/eks_clusters.h"
#include "operations/kind.h"

namespace instantstart::capabilities {

/// Of the Deployment and the Service (RFC 1035 label, since Services want one).
struct DeploymentName : Text<DeploymentName> {};
/// A model of the Hugging Face Hub, "Qwen/Qwen3-8B", or a folder in the pods, "/data/models/qwen3-8b".
struct ModelReference : Text<ModelReference> {};
struct ServedModelName : Text<ServedModelName> {};
using domain::ImageName;
/// One word of a command line; nothing in it is expanded.
struct Argument : Text<Argument> {};
struct EnvironmentValue : Text<EnvironmentValue> {};

/// A Secret that is there already, in the deployment's namespace. Its value never comes here.
struct SecretKey {
  std::string name;
  std::string key = "token";
};

struct ModelDeploy {
  domain::ClusterReference cluster;
  DeploymentName name;
  NamespaceName space{{"default"}};
  ModelReference model;
  std::optional<ImageName> image;
  std::optional<ServedModelName> served_model_name;
  std::int64_t replicas = 1;
  std::optional<std::int64_t> gpus;             ///< Of one replica: tensor × pipeline parallel.
  std::optional<std::int64_t> tensor_parallel;  ///< What `gpus` leaves; 1.
  std::int64_t pipeline_parallel = 1;
  std::optional<domain::InstanceType> instance_type;
  std::optional<std::int64_t> max_model_len;  ///< Tokens.
  std::vector<Argument> extra_arguments;
  std::map<std::string, EnvironmentValue> environment;
  std::optional<SecretKey> hf_token_secret;
};

struct DeploymentList {
  domain::ClusterReference cluster;
  std::optional<NamespaceName> space;
};

struct DeploymentGet {
  domain::ClusterReference cluster;
  DeploymentName name;
  NamespaceName space{{"default"}};
};

struct DeploymentDelete {
  domain::ClusterReference cluster;
  DeploymentName name;
  NamespaceName space{{"default"}};
};

enum class ChatRole { system, user, assistant };

struct ChatMessage {
  ChatRole role = ChatRole::user;
  std::string content;
};

struct ModelCall {
  domain::ClusterReference cluster;
  DeploymentName deployment;
  NamespaceName space{{"default"}};
  std::optional<std::string> prompt;  ///< One message of the user; or else `messages`.
  std::vector<ChatMessage> messages;
  std::optional<std::int64_t> max_tokens;
  std::optional<double> temperature;
};

enum class DeploymentState {
  ready,     ///< Every replica answers.
  starting,  ///< Pods wait, pull or load, or are replaced by newer ones.
  failing,   ///< Pods can't come up as they are.
  going,     ///< It is being deleted.
};

struct DeploymentView {
  std::string name;
  std::string space;
  DeploymentState state = DeploymentState::starting;
  std::string model;
  std::string served_model_name;  ///< As requests name it.
  std::string image;
  std::int64_t replicas = 0;
  std::int64_t ready = 0;
  std::int64_t gpus = 0;  ///< Of one replica.
  std::optional<std::string> instance_type;
  std::string url;  ///< Inside the cluster.
  std::optional<std::string> created_at;
};

struct DeploymentPodView {
  std::string name;
  std::optional<std::string> node;
  bool ready = false;
  std::int64_t restarts = 0;
  std::string says;  ///< What it does, or why it can't.
};

struct DeploymentListAnswer {
  std::string cluster;  ///< By key.
  std::vector<DeploymentView> deployments;
  std::optional<std::string> next_cursor;
};

struct DeploymentGetAnswer {
  std::string cluster;
  DeploymentView deployment;
  std::vector<DeploymentPodView> pods;
  std::vector<std::string> reasons;  ///< Why it is not ready.
  std::vector<NextAction> next;
};

struct TokenUsage {
  std::int64_t prompt_tokens = 0;
  std::int64_t completion_tokens = 0;
  std::int64_t total_tokens = 0;
};

struct ModelCallAnswer {
  std::string cluster;
  std::string deployment;
  std::string model;          ///< As the server calls it.
  std::string text;           ///< Untrusted, without control characters.
  std::string finish_reason;  ///< "stop", "length"
  std::optional<TokenUsage> usage;
  std::int64_t latency_ms = 0;
};

Type describe(DeploymentName*);
Type describe(ModelReference*);
Type describe(ServedModelName*);
Type describe(Argument*);
Type describe(EnvironmentValue*);
Type describe(SecretKey*);
Type describe(ModelDeploy*);
Type describe(DeploymentList*);
Type describe(DeploymentGet*);
Type describe(DeploymentDelete*);
Type describe(ChatRole*);
Type describe(ChatMessage*);
Type describe(ModelCall*);
Type describe(DeploymentState*);
Type describe(DeploymentView*);
Type describe(DeploymentPodView*);
Type describe(DeploymentListAnswer*);
Type describe(DeploymentGetAnswer*);
Type describe(TokenUsage*);
Type describe(ModelCallAnswer*);

/// Operation kinds; equal to the actions that start them.
inline constexpr std::string_view k_model_deploy = "model_deploy";
inline constexpr std::string_view k_deployment_delete = "deployment_delete";

/// The rows of the contract. All outlive the table; null where rows are only read.
std::vector<contract::Action> inference_actions(aws::Accounts* accounts, fleet::Fleet* fleet,
                                                kube::EksClusters* clusters);

/// The operation and step kinds behind them. All outlive the registry's engine.
void add_inference_kinds(operations::KindRegistry& kinds, aws::Accounts& accounts,
                         kube::EksClusters& clusters);

/// The plans, for operations that run these as a part. Nothing is changed.
Task<contract::Plan> plan_model_deploy(aws::Accounts& accounts, fleet::Fleet& fleet,
                                       kube::EksClusters& clusters, contract::Caller caller,
                                       ModelDeploy request);
Task<contract::Plan> plan_deployment_delete(aws::Accounts& accounts, fleet::Fleet& fleet,
                                            kube::EksClusters& clusters, contract::Caller caller,
                                            DeploymentDelete request);

/// What is deployed in a cluster, by namespace and name; for those that sum up.
Task<std::vector<DeploymentView>> list_deployments(aws::Accounts& accounts, kube::EksClusters& clusters,
                                                   fleet::ClusterRecord cluster, net::Deadline deadline);

}  // namespace instantstart::capabilities
