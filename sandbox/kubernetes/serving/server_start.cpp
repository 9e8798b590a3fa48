#include "sandbox/kubernetes/serving/server_start.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/cluster/container_environment.h"
#include "sandbox/kubernetes/cluster/workload.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr double k_gib = 1024.0 * 1024 * 1024;
/// CUDA context, graphs, NCCL and activations, GiB of each GPU.
constexpr double k_overhead_gib = 4.5;
constexpr double k_download_gib_a_second = 0.5;
constexpr double k_load_gib_a_second = 1.5;

std::string server_line(std::string_view rest) {
  return fmt::format("{}INFO {{T}} {}", k_server_prefix, rest);
}
std::string engine_line(std::string_view rest) {
  return fmt::format("(EngineCore_DP0 pid=212) INFO {{T}} {}", rest);
}

milliseconds seconds_of(double count) { return milliseconds(std::llround(count * 1000)); }

/// 1234567 as "1,234,567".
std::string grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  for (auto at = static_cast<std::int64_t>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return text;
}

std::string value_of(const ContainerView& container, std::string_view name) {
  const auto found = container.env.find(name);
  return found == container.env.end() ? std::string() : found->second;
}

StartStep failure(milliseconds takes, std::vector<std::string> lines) {
  lines.insert(lines.begin(), "Traceback (most recent call last):");
  for (auto& line : lines) line.insert(0, k_server_prefix);
  return {.takes = takes, .lines = std::move(lines), .fails = true};
}

StartStep invalid_config(std::string_view part, std::string message) {
  return failure(
      seconds(6),
      {fmt::format("pydantic_core._pydantic_core.ValidationError: 1 validation error for {}", part),
       fmt::format("  Value error, {}", message)});
}

/// What it finds wrong before it loads anything.
std::optional<StartStep> early_failure(const ContainerView& container, const ServerArguments& arguments,
                                       const ModelFacts& facts, const ServerPlace& place) {
  const std::string port = value_of(container, "VLLM_PORT");
  if (port.find("://") != port.npos) {
    return failure(
        seconds(4),
        {fmt::format("ValueError: VLLM_PORT '{}' appears to be a URI. This may be caused by a Kubernetes "
                     "service discovery issue,check the warning in: "
                     "https://docs.vllm.ai/en/stable/serving/env_vars.html",
                     port)});
  }
  const std::string& model = arguments.model;
  if (place.model_is_path && !place.path_is_there) {
    return failure(seconds(6),
                   {fmt::format("huggingface_hub.errors.HFValidationError: Repo id must be in the form "
                                "'repo_name' or 'namespace/repo_name': '{}'. Use `repo_type` argument if "
                                "needed.",
                                model),
                    fmt::format("OSError: Incorrect path_or_model_id: '{}'. Please provide either the "
                                "path to a local folder or the repo_id of a model on the Hub.",
                                model)});
  }
  if (place.model_is_path && !place.path_has_config) {
    return failure(
        seconds(6),
        {fmt::format("ValueError: Invalid repository ID or local directory specified: '{}'.", model),
         "Please verify the following requirements:", "1. Provide a valid Hugging Face repository ID.",
         "2. Specify a local directory that contains a recognized configuration file.",
         "   - For Hugging Face models: ensure the presence of a 'config.json'."});
  }
  const bool has_token =
      !value_of(container, "HF_TOKEN").empty() || !value_of(container, "HUGGING_FACE_HUB_TOKEN").empty();
  if (!place.model_is_path && is_gated(model) && !has_token) {
    return failure(
        seconds(8),
        {"huggingface_hub.errors.GatedRepoError: 401 Client Error.",
         fmt::format("Cannot access gated repo for url https://huggingface.co/{}/resolve/main/config.json.",
                     model),
         fmt::format(
             "Access to model {} is restricted. You must have access to it and be authenticated to access "
             "it. Please log in.",
             model),
         fmt::format("OSError: You are trying to access a gated repo. Make sure to have access to it at "
                     "https://huggingface.co/{}.",
                     model)});
  }
  if (place.gpus == 0) {
    return failure(seconds(8),
                   {"RuntimeError: Failed to infer device type, please set the environment variable "
                    "`VLLM_LOGGING_LEVEL=DEBUG` to turn on verbose logging to help debug the issue."});
  }
  const std::int64_t size = arguments.tensor_parallel * arguments.pipeline_parallel;
  if (size > place.gpus * arguments.nodes) {
    return invalid_config(
        "ParallelConfig",
        fmt::format(
            "World size ({}) is larger than the number of available GPUs ({}) in this node. If this is "
            "intentional and you are using: - ray, set '--distributed-executor-backend ray'. - "
            "multiprocessing, set '--nnodes' appropriately.",
            size, place.gpus));
  }
  if (facts.heads > 0 && facts.heads % arguments.tensor_parallel != 0) {
    return invalid_config(
        "VllmConfig", fmt::format("Total number of attention heads ({}) must be divisible by tensor parallel "
                                  "size ({}).",
                                  facts.heads, arguments.tensor_parallel));
  }
  if (arguments.max_model_len > facts.max_len && facts.heads > 0) {
    return invalid_config(
        "ModelConfig",
        fmt::format("User-specified max_model_len ({}) is greater than the derived max_model_len "
                    "(max_position_embeddings={} or model_max_length=None in model's config.json). To allow "
                    "overriding this maximum, set the env var VLLM_ALLOW_LONG_MAX_MODEL_LEN=1.",
                    arguments.max_model_len, facts.max_len));
  }
  return std::nullopt;
}

struct Memory {
  double weights_gib;  ///< Of each GPU.
  double cache_gib;
  std::int64_t tokens;
  std::int64_t max_len;
  double needed_gib;  ///< For one request of max_len.
};

Memory memory_of(const ServerArguments& arguments, const ModelFacts& facts, const ServerPlace& place) {
  const auto ways = static_cast<double>(arguments.tensor_parallel * arguments.pipeline_parallel);
  const double weights = facts.weight_gib() / ways;
  const double token = facts.kv_bytes(arguments.tensor_parallel, arguments.pipeline_parallel) / k_gib;
  const double room = arguments.memory_utilization * place.gpu_gib - weights - k_overhead_gib;
  const std::int64_t longest = arguments.max_model_len > 0 ? arguments.max_model_len : facts.max_len;
  return {.weights_gib = weights,
          .cache_gib = room,
          .tokens = room > 0 ? static_cast<std::int64_t>(room / token) / 16 * 16 : 0,
          .max_len = longest,
          .needed_gib = static_cast<double>(longest) * token};
}

std::optional<StartStep> memory_failure(const Memory& memory) {
  if (memory.cache_gib <= 0) {
    return failure(seconds(20), {"ValueError: No available memory for the cache blocks. Try increasing "
                                 "`gpu_memory_utilization` when initializing the engine.",
                                 "RuntimeError: Engine core initialization failed. See root cause above."});
  }
  if (memory.tokens >= memory.max_len) return std::nullopt;
  return failure(
      seconds(20),
      {fmt::format(
           "ValueError: To serve at least one request with the model's max seq len ({}), ({:.2f} GiB KV "
           "cache is needed, which is larger than the available KV cache memory ({:.2f} GiB). Based on the "
           "available memory, the estimated maximum model length is {}. Try increasing "
           "`gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine.",
           memory.max_len, memory.needed_gib, memory.cache_gib, memory.tokens),
       "RuntimeError: Engine core initialization failed. See root cause above."});
}

std::vector<std::string> serving_lines(const ServerArguments& arguments) {
  std::vector<std::string> lines{
      server_line(fmt::format("[api_server.py:1912] Starting vLLM API server 0 on http://0.0.0.0:{}",
                              arguments.port)),
      server_line("[launcher.py:34] Available routes are:")};
  for (const auto* route :
       {"/health, Methods: GET", "/load, Methods: GET", "/ping, Methods: POST", "/ping, Methods: GET",
        "/version, Methods: GET", "/v1/models, Methods: GET", "/v1/chat/completions, Methods: POST",
        "/v1/completions, Methods: POST", "/metrics, Methods: GET"}) {
    lines.push_back(server_line(fmt::format("[launcher.py:42] Route: {}", route)));
  }
  for (const auto* line :
       {"Started server process [1]", "Waiting for application startup.", "Application startup complete."}) {
    lines.push_back(fmt::format("{}INFO:     {}", k_server_prefix, line));
  }
  return lines;
}

void add_load(std::vector<StartStep>& steps, const ServerArguments& arguments, const ModelFacts& facts,
              const ServerPlace& place, const Memory& memory) {
  if (!place.model_is_path) {
    const double took = facts.weight_gib() / k_download_gib_a_second;
    steps.push_back(
        {seconds_of(took),
         {engine_line(fmt::format("[weight_utils.py:413] Time spent downloading weights for {}: {:.6f} "
                                  "seconds",
                                  arguments.model, took))}});
  }
  const double load = std::max(2.0, facts.weight_gib() / k_load_gib_a_second);
  const auto shards = std::max<std::int64_t>(1, std::llround(facts.weight_gib() / 4.6));
  steps.push_back(
      {seconds_of(load),
       {fmt::format(
            "(EngineCore_DP0 pid=212) Loading safetensors checkpoint shards: 100% Completed | {0}/{0} "
            "[{1:02}:{2:02}<00:00,  {3:.2f}s/it]",
            shards, std::llround(load) / 60, std::llround(load) % 60, load / static_cast<double>(shards)),
        engine_line(fmt::format("[default_loader.py:314] Loading weights took {:.2f} seconds", load)),
        engine_line(
            fmt::format("[gpu_model_runner.py:3659] Model loading took {:.4f} GiB memory and {:.6f} seconds",
                        memory.weights_gib, load + 1.5))}});
}

}  // namespace

std::string line_time(WallTime time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<seconds>(time - day));
  return fmt::format("{:02}-{:02} {:02}:{:02}:{:02}", static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()), clock.hours().count(), clock.minutes().count(),
                     clock.seconds().count());
}

ServerPlace server_place(const ProgramSite& site, const ServerArguments& arguments) {
  const ContainerView& container = site.container;
  ServerPlace place{.model_is_path = arguments.model.starts_with('/')};
  const json::object* pod =
      site.store.find({container.cluster, "", "pods", container.namespace_name, container.pod});
  const json::object* spec = pod ? find_container(*pod, container.name) : nullptr;
  if (spec) {
    const auto limit =
        member_text(member_object(member_object(*spec, "resources"), "limits"), "nvidia.com/gpu");
    std::from_chars(limit.data(), limit.data() + limit.size(), place.gpus);
  }
  if (const json::object* node = site.store.find({container.cluster, "", "nodes", "", container.node})) {
    place.gpu_gib = gpu_gib(label_of(*node, "node.kubernetes.io/instance-type"));
  }
  if (!place.model_is_path) return place;
  // Of other kinds of volumes nothing is known: then the model counts as there.
  const bool known = site.files && site.files->knows(arguments.model);
  place.path_is_there = !known || !site.files->list(arguments.model).empty();
  place.path_has_config = !known || site.files->read(arguments.model + "/config.json").has_value();
  return place;
}

std::vector<StartStep> server_start(const ContainerView& container, const ServerArguments& arguments,
                                    const ModelFacts& facts, const ServerPlace& place) {
  std::vector<StartStep> steps;
  steps.push_back(
      {seconds(12),
       {server_line(fmt::format("[api_server.py:1839] vLLM API server version {}", k_server_version)),
        server_line(fmt::format("[utils.py:253] non-default args: {{{}}}", arguments.given))}});
  if (auto failed = early_failure(container, arguments, facts, place)) {
    steps.push_back(std::move(*failed));
    return steps;
  }
  const Memory memory = memory_of(arguments, facts, place);
  steps.push_back(
      {seconds(15),
       {server_line(fmt::format("[model.py:637] Resolved architecture: {}", facts.architecture)),
        server_line(fmt::format("[model.py:1750] Using max model len {}", memory.max_len)),
        engine_line(fmt::format("[core.py:93] Initializing a V1 LLM engine (v{}) with config: model='{}', "
                                "dtype=torch.bfloat16, max_seq_len={}, tensor_parallel_size={}, "
                                "pipeline_parallel_size={}, data_parallel_size={}",
                                k_server_version, arguments.model, memory.max_len, arguments.tensor_parallel,
                                arguments.pipeline_parallel, arguments.data_parallel)),
        engine_line(
            fmt::format("[gpu_model_runner.py:3569] Starting to load model {}...", arguments.model))}});
  add_load(steps, arguments, facts, place, memory);
  if (auto failed = memory_failure(memory)) {
    steps.push_back(std::move(*failed));
    return steps;
  }
  steps.push_back(
      {seconds(45),
       {engine_line("[backends.py:643] Dynamo bytecode transform time: 8.71 s"),
        engine_line("[monitor.py:34] torch.compile takes 36.20 s in total"),
        engine_line(
            fmt::format("[gpu_worker.py:375] Available KV cache memory: {:.2f} GiB", memory.cache_gib)),
        engine_line(
            fmt::format("[kv_cache_utils.py:1291] GPU KV cache size: {} tokens", grouped(memory.tokens))),
        engine_line(fmt::format("[kv_cache_utils.py:1296] Maximum concurrency for {} tokens per "
                                "request: {:.2f}x",
                                grouped(memory.max_len),
                                static_cast<double>(memory.tokens) / static_cast<double>(memory.max_len)))}});
  steps.push_back(
      {seconds(25),
       {engine_line("[gpu_model_runner.py:4587] Graph capturing finished in 17 secs, took 0.64 GiB"),
        engine_line("[core.py:259] init engine (profile, create kv cache, warmup model) took 78.42 "
                    "seconds")}});
  steps.push_back({seconds(25), arguments.headless ? std::vector<std::string>{} : serving_lines(arguments)});
  return steps;
}

}  // namespace instantstart::sandbox::kubernetes
