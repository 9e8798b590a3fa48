#include "sandbox/kubernetes/serving/model_facts.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr double k_gib = 1024.0 * 1024 * 1024;

struct ModelRow {
  std::string_view part;  ///< Of the name, in lower case.
  std::string_view architecture;
  double billions;
  std::int64_t layers, heads, kv_heads, head_dim, max_len;
};

/// config.json of the models on Hugging Face.
constexpr ModelRow k_models[] = {
    {"llama-3.3-70b", "LlamaForCausalLM", 70.6, 80, 64, 8, 128, 131072},
    {"llama-3.1-405b", "LlamaForCausalLM", 405.9, 126, 128, 8, 128, 131072},
    {"llama-3.1-70b", "LlamaForCausalLM", 70.6, 80, 64, 8, 128, 131072},
    {"llama-3.1-8b", "LlamaForCausalLM", 8.03, 32, 32, 8, 128, 131072},
    {"llama-3.2-1b", "LlamaForCausalLM", 1.24, 16, 32, 8, 64, 131072},
    {"llama-3.2-3b", "LlamaForCausalLM", 3.21, 28, 24, 8, 128, 131072},
    {"llama-2-7b", "LlamaForCausalLM", 6.74, 32, 32, 32, 128, 4096},
    {"tinyllama-1.1b", "LlamaForCausalLM", 1.1, 22, 32, 4, 64, 2048},
    {"mistral-7b", "MistralForCausalLM", 7.25, 32, 32, 8, 128, 32768},
    {"qwen2.5-0.5b", "Qwen2ForCausalLM", 0.49, 24, 14, 2, 64, 32768},
    {"qwen2.5-1.5b", "Qwen2ForCausalLM", 1.54, 28, 12, 2, 128, 32768},
    {"qwen2.5-3b", "Qwen2ForCausalLM", 3.09, 36, 16, 2, 128, 32768},
    {"qwen2.5-7b", "Qwen2ForCausalLM", 7.62, 28, 28, 4, 128, 32768},
    {"qwen2.5-14b", "Qwen2ForCausalLM", 14.8, 48, 40, 8, 128, 32768},
    {"qwen2.5-32b", "Qwen2ForCausalLM", 32.8, 64, 40, 8, 128, 32768},
    {"qwen2.5-72b", "Qwen2ForCausalLM", 72.7, 80, 64, 8, 128, 32768},
    {"qwen3-0.6b", "Qwen3ForCausalLM", 0.6, 28, 16, 8, 128, 40960},
    {"qwen3-8b", "Qwen3ForCausalLM", 8.19, 36, 32, 8, 128, 40960},
    {"qwen3-32b", "Qwen3ForCausalLM", 32.8, 64, 64, 8, 128, 40960},
    {"opt-125m", "OPTForCausalLM", 0.125, 12, 12, 12, 64, 2048},
    {"gpt2", "GPT2LMHeadModel", 0.124, 12, 12, 12, 64, 1024},
};

/// GiB of one GPU, as Karpenter's data tells; families in lower case.
constexpr std::pair<std::string_view, double> k_gpus[] = {
    {"g5.", 22.4},    {"g6.", 22.4},   {"gr6.", 22.4},      {"g6e.", 44.7},      {"g7e.", 95.6},
    {"p3.", 16.0},    {"p4d.", 40.0},  {"p4de.", 80.0},     {"p5.", 80.0},       {"p5e.", 141.0},
    {"p5en.", 141.0}, {"g4dn.", 15.0}, {"p6-b200.", 179.0}, {"p6-b300.", 268.0},
};

/// 7 of "mistral-7b-instruct", 0.5 of "x-0.5b"; 7 when it tells none.
double billions_of(std::string_view name) {
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] != 'b' || i == 0 || name[i - 1] < '0' || name[i - 1] > '9') continue;
    std::size_t begin = i;
    while (begin > 0 && ((name[begin - 1] >= '0' && name[begin - 1] <= '9') || name[begin - 1] == '.'))
      --begin;
    double number = 0;
    std::from_chars(name.data() + begin, name.data() + i, number);
    if (number > 0) return number;
  }
  return 7;
}

double bytes_of(std::string_view name) {
  const auto has = [name](std::string_view part) { return name.find(part) != name.npos; };
  if (has("fp8") || has("int8") || has("w8a8")) return 1.02;
  if (has("awq") || has("gptq") || has("int4") || has("4bit") || has("fp4")) return 0.56;
  return 2;
}

}  // namespace

double ModelFacts::weight_gib() const { return billions * 1e9 * bytes_each / k_gib; }

double ModelFacts::kv_bytes(std::int64_t tensor_parallel, std::int64_t pipeline_parallel) const {
  const auto own_layers = static_cast<double>(layers) / static_cast<double>(pipeline_parallel);
  const auto own_heads = std::max<std::int64_t>(1, kv_heads / tensor_parallel);
  return 2 * own_layers * static_cast<double>(own_heads * head_dim) * 2;
}

ModelFacts model_facts(std::string_view model) {
  while (model.ends_with('/')) model.remove_suffix(1);
  const std::string name = to_lower(model.substr(model.rfind('/') + 1));
  const std::string spelled = name.starts_with("meta-llama-") ? name.substr(5) : name;
  for (const auto& row : k_models) {
    if (spelled.find(row.part) == spelled.npos) continue;
    return {.architecture = std::string(row.architecture),
            .billions = row.billions,
            .bytes_each = bytes_of(name),
            .layers = row.layers,
            .heads = row.heads,
            .kv_heads = row.kv_heads,
            .head_dim = row.head_dim,
            .max_len = row.max_len};
  }
  return {.architecture = "LlamaForCausalLM", .billions = billions_of(name), .bytes_each = bytes_of(name)};
}

bool is_gated(std::string_view model) {
  return model.starts_with("meta-llama/") || model.starts_with("google/gemma-");
}

double gpu_gib(std::string_view instance_type) {
  if (instance_type.starts_with("ml.")) instance_type.remove_prefix(3);
  for (const auto& [family, gib] : k_gpus) {
    if (instance_type.starts_with(family)) return gib;
  }
  return 80;
}

}  // namespace instantstart::sandbox::kubernetes
