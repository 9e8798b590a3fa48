#include "capabilities/inference/model_heads.h"

#include <array>
#include <cctype>
#include <string>

#include "base/text.h"

namespace instantstart::capabilities {
namespace {

struct Known {
  std::string_view name;  ///< Up to the size; what follows it changes no heads.
  ModelHeads heads;
};

/// Of the models' config.json on the Hub.
constexpr std::array k_known{
    Known{"opt-125m", {12, 12}},    Known{"llama-2-7b", {32, 32}},   Known{"llama-2-13b", {40, 40}},
    Known{"llama-2-70b", {64, 8}},  Known{"llama-3-8b", {32, 8}},    Known{"llama-3-70b", {64, 8}},
    Known{"llama-3.1-8b", {32, 8}}, Known{"llama-3.1-70b", {64, 8}}, Known{"llama-3.1-405b", {128, 8}},
    Known{"llama-3.2-1b", {32, 8}}, Known{"llama-3.2-3b", {24, 8}},  Known{"llama-3.3-70b", {64, 8}},
    Known{"mistral-7b", {32, 8}},   Known{"mixtral-8x7b", {32, 8}},  Known{"mixtral-8x22b", {48, 8}},
    Known{"qwen2.5-0.5b", {14, 2}}, Known{"qwen2.5-1.5b", {12, 2}},  Known{"qwen2.5-3b", {16, 2}},
    Known{"qwen2.5-7b", {28, 4}},   Known{"qwen2.5-14b", {40, 8}},   Known{"qwen2.5-32b", {40, 8}},
    Known{"qwen2.5-72b", {64, 8}},  Known{"qwen3-0.6b", {16, 8}},    Known{"qwen3-1.7b", {16, 8}},
    Known{"qwen3-4b", {32, 8}},     Known{"qwen3-8b", {32, 8}},      Known{"qwen3-14b", {40, 8}},
    Known{"qwen3-32b", {64, 8}},    Known{"qwen3-30b-a3b", {32, 4}}, Known{"qwen3-235b-a22b", {64, 4}},
    Known{"gemma-2-9b", {16, 8}},   Known{"gemma-2-27b", {32, 16}},  Known{"gpt-oss-20b", {64, 8}},
    Known{"gpt-oss-120b", {64, 8}},
};

}  // namespace

std::optional<ModelHeads> heads_of(std::string_view model) {
  std::string name = to_lower(model.substr(model.rfind('/') + 1));  // npos + 1 is 0
  if (name.starts_with("meta-")) name.erase(0, 5);
  for (const auto& known : k_known) {
    if (!name.starts_with(known.name)) continue;
    const std::string_view rest = std::string_view(name).substr(known.name.size());
    if (rest.empty() || std::isalnum(static_cast<unsigned char>(rest.front())) == 0) return known.heads;
  }
  return std::nullopt;
}

bool divides(const ModelHeads& heads, std::int64_t tensor_parallel) {
  if (heads.attention % tensor_parallel != 0) return false;
  return heads.key_value % tensor_parallel == 0 || tensor_parallel % heads.key_value == 0;
}

}  // namespace instantstart::capabilities
