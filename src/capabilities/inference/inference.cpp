#include "capabilities/inference/inference.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "base/decode.h"

namespace instantstart::capabilities {
namespace {

constexpr std::string_view k_space_doc = "The Kubernetes namespace.";
constexpr double k_most_gpus = 16;  // of one node, whatever its type
constexpr double k_most_replicas = 256;
constexpr std::size_t k_most_chat_characters = 512 * 1024;

/// Flags of `vllm serve` that have a member of their own, or would take the server out of our reach.
struct KeptFlag {
  std::string_view flag;
  std::string_view instead;
};
constexpr std::array k_kept_flags{
    KeptFlag{"model", "model"},
    KeptFlag{"served-model-name", "served_model_name"},
    KeptFlag{"tensor-parallel-size", "tensor_parallel"},
    KeptFlag{"tp", "tensor_parallel"},
    KeptFlag{"pipeline-parallel-size", "pipeline_parallel"},
    KeptFlag{"pp", "pipeline_parallel"},
    KeptFlag{"max-model-len", "max_model_len"},
    KeptFlag{"data-parallel-size", "replicas"},
    KeptFlag{"dp", "replicas"},
    KeptFlag{"hf-token", "hf_token_secret"},
    KeptFlag{"host", ""},
    KeptFlag{"port", ""},
    KeptFlag{"uds", ""},
    KeptFlag{"root-path", ""},
    KeptFlag{"api-key", ""},
    KeptFlag{"ssl-keyfile", ""},
    KeptFlag{"ssl-certfile", ""},
    KeptFlag{"config", ""},
    KeptFlag{"headless", ""},
    KeptFlag{"nnodes", ""},
    KeptFlag{"node-rank", ""},
};

/// "--tensor_parallel_size=2" and "-tp" by one name; nullopt: no flag.
std::optional<std::string> flag_of(std::string_view argument) {
  if (!argument.starts_with('-') || argument.size() < 2) return std::nullopt;
  argument.remove_prefix(argument.starts_with("--") ? 2 : 1);
  std::string flag(argument.substr(0, argument.find('=')));
  std::ranges::replace(flag, '_', '-');
  return flag;
}

void check_arguments(const ModelDeploy& request, std::vector<FieldProblem>& problems) {
  for (std::size_t i = 0; i < request.extra_arguments.size(); ++i) {
    const std::string& argument = request.extra_arguments[i].value;
    const std::string pointer = join_pointer("/extra_arguments", i);
    const std::string shown = to_text(json::value(json::string(argument)));
    const auto flag = flag_of(argument);
    if (i == 0 && !flag) {
      problems.push_back({pointer, "value", "must be a flag: the model is there already", shown, {}});
    }
    if (!flag) continue;
    const auto* kept = std::ranges::find(k_kept_flags, std::string_view(*flag), &KeptFlag::flag);
    if (kept == k_kept_flags.end()) continue;
    problems.push_back({pointer, "reserved",
                        kept->instead.empty() ? std::string("can't be set: the deployment depends on it")
                                              : fmt::format("is set by {}: use that", kept->instead),
                        shown,
                        kept->instead.empty() ? std::nullopt : std::optional(std::string(kept->instead))});
  }
}

void check_environment(const ModelDeploy& request, std::vector<FieldProblem>& problems) {
  static const Pattern k_name("^[A-Za-z_][A-Za-z0-9_]{0,199}$");
  for (const auto& [name, value] : request.environment) {
    const std::string pointer = join_pointer("/environment", name);
    if (!k_name.matches(name)) {
      problems.push_back({pointer, "pattern", "must be named in letters, digits and _", "", {}});
    } else if (name == "HF_TOKEN" || name == "HUGGING_FACE_HUB_TOKEN") {
      problems.push_back({pointer, "reserved", "must come from a Secret: use hf_token_secret", "[secret]",
                          "hf_token_secret"});
    } else if (name == "VLLM_API_KEY" || name == "VLLM_PORT") {
      problems.push_back({pointer, "reserved", "can't be set: the deployment depends on it", "", {}});
    }
  }
}

void check_deploy(const ModelDeploy& request, std::vector<FieldProblem>& problems) {
  if (request.gpus) {
    const std::int64_t tensor = request.tensor_parallel.value_or(*request.gpus / request.pipeline_parallel);
    if (tensor * request.pipeline_parallel != *request.gpus) {
      problems.push_back({"/gpus",
                          "value",
                          "must be tensor_parallel times pipeline_parallel",
                          std::to_string(*request.gpus),
                          {}});
    }
  }
  check_arguments(request, problems);
  check_environment(request, problems);
}

void check_call(const ModelCall& call, std::vector<FieldProblem>& problems) {
  if (call.prompt.has_value() == !call.messages.empty()) {
    problems.push_back({"", "value", "must have either prompt or messages", "", {}});
  }
  std::size_t total = call.prompt.value_or("").size();
  for (const auto& message : call.messages) total += message.content.size();
  if (total > k_most_chat_characters) {
    problems.push_back({"", "max_length", "must have at most 512 KB of text", "", {}});
  }
}

std::optional<std::string> no_model(std::string_view model) {
  if (model.contains("//") || model.contains("/../") || model.ends_with("/..") || model.ends_with('/')) {
    return "must be a path in its shortest form, or an id of the Hub";
  }
  return std::nullopt;
}

std::optional<std::string> with_controls(std::string_view text) {
  if (std::ranges::any_of(text, [](unsigned char c) { return c == 0; })) return "must not hold a NUL";
  return std::nullopt;
}

Rule between(double min, double max) { return {.min = min, .max = max}; }

}  // namespace

Type describe(DeploymentName*) {
  return text_type<DeploymentName>("DeploymentName", "The name of a deployment and of its Service.",
                                   {.min = 1, .max = 50, .pattern = Pattern("^[a-z]([a-z0-9-]*[a-z0-9])?$")},
                                   {"qwen"});
}

Type describe(ModelReference*) {
  return text_type<ModelReference>(
      "ModelReference", "A model of the Hugging Face Hub, or a folder as pods see it.",
      {.min = 1,
       .max = 300,
       .pattern = Pattern("^(/[A-Za-z0-9._/-]+|[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)?)$"),
       .check = no_model},
      {"Qwen/Qwen3-8B", "/data/models/qwen3-8b"});
}

Type describe(ServedModelName*) {
  return text_type<ServedModelName>(
      "ServedModelName", "The model's name in requests.",
      {.min = 1, .max = 200, .pattern = Pattern("^[A-Za-z0-9][A-Za-z0-9._/:-]*$")}, {"qwen3"});
}

Type describe(Argument*) {
  return text_type<Argument>("Argument", "One word of a command line; nothing in it is expanded.",
                             {.min = 1, .max = 8'000, .check = with_controls}, {"--enable-prefix-caching"});
}

Type describe(EnvironmentValue*) {
  return text_type<EnvironmentValue>("EnvironmentValue",
                                     "The value of a variable; nothing in it is expanded.",
                                     {.max = 8'000, .check = with_controls}, {"INFO"});
}

Type describe(SecretKey*) {
  return object_type<SecretKey>(
      "SecretKey", "A key of a Kubernetes Secret that is there already, in the same namespace.",
      {field<&SecretKey::name>("name", "The Secret.",
                               {.rule = {.min = 1, .max = 253, .pattern = Pattern("^[a-z0-9][a-z0-9.-]*$")},
                                .examples = {"hugging-face"}}),
       field<&SecretKey::key>(
           "key", "The key in it.",
           {.defaulted = true, .rule = {.min = 1, .max = 253, .pattern = Pattern("^[A-Za-z0-9._-]+$")}})});
}

Type describe(ModelDeploy*) {
  return object_type<ModelDeploy>(
      "ModelDeploy", "A model to serve.",
      {field<&ModelDeploy::cluster>("cluster", "The cluster."),
       field<&ModelDeploy::name>("name", "What the deployment is called."),
       field<&ModelDeploy::space>("namespace", k_space_doc, {.defaulted = true}),
       field<&ModelDeploy::model>("model", "The model: its id on the Hub, or its folder below /data."),
       field<&ModelDeploy::image>("image",
                                  "A vLLM server whose entry point is `vllm serve`; the official one when "
                                  "left out."),
       field<&ModelDeploy::served_model_name>(
           "served_model_name", "Its name in requests; the id, or the folder's name, when left out."),
       field<&ModelDeploy::replicas>("replicas", "How many servers share the requests.",
                                     {.defaulted = true, .rule = between(1, k_most_replicas)}),
       field<&ModelDeploy::gpus>("gpus", "Of one replica: tensor_parallel times pipeline_parallel.",
                                 {.rule = between(1, k_most_gpus)}),
       field<&ModelDeploy::tensor_parallel>(
           "tensor_parallel", "GPUs that share each layer; what gpus leaves when left out, else 1.",
           {.rule = between(1, k_most_gpus)}),
       field<&ModelDeploy::pipeline_parallel>("pipeline_parallel",
                                              "GPUs that share the layers one after the other.",
                                              {.defaulted = true, .rule = between(1, k_most_gpus)}),
       field<&ModelDeploy::instance_type>("instance_type", "Run on nodes of this type only."),
       field<&ModelDeploy::max_model_len>(
           "max_model_len", "Longest prompt with its answer, in tokens; the model's own when left out.",
           {.rule = between(1, 16'777'216)}),
       field<&ModelDeploy::extra_arguments>("extra_arguments",
                                            "More arguments of `vllm serve`, one word an element.",
                                            {.defaulted = true, .rule = {.max = 100}}),
       field<&ModelDeploy::environment>("environment", "Variables of the server.",
                                        {.defaulted = true, .rule = {.max = 100}}),
       field<&ModelDeploy::hf_token_secret>("hf_token_secret",
                                            "The Secret with the Hub's token, for gated models.")},
      check_deploy);
}

Type describe(DeploymentList*) {
  return object_type<DeploymentList>(
      "DeploymentList", "Which deployments to list.",
      {field<&DeploymentList::cluster>("cluster", "The cluster."),
       field<&DeploymentList::space>("namespace", "Of this namespace; of all when left out.")});
}

Type describe(DeploymentGet*) {
  return object_type<DeploymentGet>(
      "DeploymentGet", "Which deployment to look at.",
      {field<&DeploymentGet::cluster>("cluster", "The cluster."),
       field<&DeploymentGet::name>("name", "The deployment."),
       field<&DeploymentGet::space>("namespace", k_space_doc, {.defaulted = true})});
}

Type describe(DeploymentDelete*) {
  return object_type<DeploymentDelete>(
      "DeploymentDelete", "Which deployment to delete.",
      {field<&DeploymentDelete::cluster>("cluster", "The cluster."),
       field<&DeploymentDelete::name>("name", "The deployment."),
       field<&DeploymentDelete::space>("namespace", k_space_doc, {.defaulted = true})});
}

Type describe(ChatRole*) {
  return enum_type<ChatRole>("ChatRole", "Who speaks.",
                             {{ChatRole::system, {"system", "Who sets the frame."}},
                              {ChatRole::user, {"user", "Who asks."}},
                              {ChatRole::assistant, {"assistant", "The model."}}});
}

Type describe(ChatMessage*) {
  return object_type<ChatMessage>("ChatMessage", "One message of a chat.",
                                  {field<&ChatMessage::role>("role", "Who speaks."),
                                   field<&ChatMessage::content>("content", "What is said.")});
}

Type describe(ModelCall*) {
  return object_type<ModelCall>(
      "ModelCall", "What a model is asked.",
      {field<&ModelCall::cluster>("cluster", "The cluster."),
       field<&ModelCall::deployment>("deployment", "The deployment."),
       field<&ModelCall::space>("namespace", k_space_doc, {.defaulted = true}),
       field<&ModelCall::prompt>("prompt", "One message of the user, in place of messages.",
                                 {.rule = {.min = 1}, .examples = {"What is a quark?"}}),
       field<&ModelCall::messages>("messages", "The chat so far.",
                                   {.defaulted = true, .rule = {.max = 1'000}}),
       field<&ModelCall::max_tokens>("max_tokens", "Longest answer, in tokens.",
                                     {.rule = between(1, 1'048'576)}),
       field<&ModelCall::temperature>("temperature", "0 is the likeliest answer; more is freer.",
                                      {.rule = between(0, 2)})},
      check_call);
}

Type describe(DeploymentState*) {
  return enum_type<DeploymentState>(
      "DeploymentState", "How a deployment is.",
      {{DeploymentState::ready, {"ready", "Every replica answers."}},
       {DeploymentState::starting, {"starting", "Replicas wait for a node, pull, load, or are replaced."}},
       {DeploymentState::failing, {"failing", "Replicas can't come up as they are."}},
       {DeploymentState::going, {"going", "It is being deleted."}}});
}

Type describe(DeploymentView*) {
  return object_type<DeploymentView>(
      "DeploymentView", "A served model.",
      {field<&DeploymentView::name>("name", "The deployment."),
       field<&DeploymentView::space>("namespace", k_space_doc),
       field<&DeploymentView::state>("state", "How it is."),
       field<&DeploymentView::model>("model", "The model."),
       field<&DeploymentView::served_model_name>("served_model_name", "The model's name in requests."),
       field<&DeploymentView::image>("image", "The server's image."),
       field<&DeploymentView::replicas>("replicas", "Servers that are wanted."),
       field<&DeploymentView::ready>("ready", "Servers that answer."),
       field<&DeploymentView::gpus>("gpus", "GPUs of one replica."),
       field<&DeploymentView::instance_type>("instance_type", "The nodes' type, where one is wanted."),
       field<&DeploymentView::url>("url", "Where pods of the cluster reach it."),
       field<&DeploymentView::created_at>("created_at", "When it was made.",
                                          {.rule = {.format = "date-time"}})});
}

Type describe(DeploymentPodView*) {
  return object_type<DeploymentPodView>(
      "DeploymentPodView", "A pod of a deployment.",
      {field<&DeploymentPodView::name>("name", "The pod."),
       field<&DeploymentPodView::node>("node", "Its node, once it has one."),
       field<&DeploymentPodView::ready>("ready", "It answers."),
       field<&DeploymentPodView::restarts>("restarts", "How often its server was started again."),
       field<&DeploymentPodView::says>("says", "What it does, or why it can't.")});
}

Type describe(DeploymentListAnswer*) {
  return object_type<DeploymentListAnswer>(
      "DeploymentListAnswer", "The deployments of a cluster, by namespace and name.",
      {field<&DeploymentListAnswer::cluster>("cluster", "The cluster, by key."),
       field<&DeploymentListAnswer::deployments>("deployments", "Deployments of this page."),
       field<&DeploymentListAnswer::next_cursor>("next_cursor", "For the next page; absent at the end.")});
}

Type describe(DeploymentGetAnswer*) {
  return object_type<DeploymentGetAnswer>(
      "DeploymentGetAnswer", "One deployment and its pods.",
      {field<&DeploymentGetAnswer::cluster>("cluster", "The cluster, by key."),
       field<&DeploymentGetAnswer::deployment>("deployment", "The deployment."),
       field<&DeploymentGetAnswer::pods>("pods", "Its pods, the first of them."),
       field<&DeploymentGetAnswer::reasons>("reasons", "Why it is not ready."),
       field<&DeploymentGetAnswer::next>("next", "What can be done now.")});
}

Type describe(TokenUsage*) {
  return object_type<TokenUsage>(
      "TokenUsage", "Tokens of a call.",
      {field<&TokenUsage::prompt_tokens>("prompt_tokens", "Of what was asked."),
       field<&TokenUsage::completion_tokens>("completion_tokens", "Of the answer."),
       field<&TokenUsage::total_tokens>("total_tokens", "Both.")});
}

Type describe(ModelCallAnswer*) {
  return object_type<ModelCallAnswer>(
      "ModelCallAnswer", "What a model answered.",
      {field<&ModelCallAnswer::cluster>("cluster", "The cluster, by key."),
       field<&ModelCallAnswer::deployment>("deployment", "The deployment."),
       field<&ModelCallAnswer::model>("model", "The model, as its server calls it."),
       field<&ModelCallAnswer::text>("text", "The answer; untrusted text."),
       field<&ModelCallAnswer::finish_reason>("finish_reason", "Why it ends: stop, or length."),
       field<&ModelCallAnswer::usage>("usage", "Tokens, where the server counts them."),
       field<&ModelCallAnswer::latency_ms>("latency_ms", "From the call to the last token.")});
}

}  // namespace instantstart::capabilities
