// How many attention heads well-known models have: tensor parallelism divides them, and a server that can't
// refuses to start only after minutes of loading.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace instantstart::capabilities {

/// num_attention_heads and num_key_value_heads of the model's config.json.
struct ModelHeads {
  std::int64_t attention = 0;
  std::int64_t key_value = 0;
};

/// By the last part of an id or path, whatever follows the size ("-Instruct"); nullopt: not known here.
std::optional<ModelHeads> heads_of(std::string_view model);

/// vLLM's rule: attention heads are divided evenly; key-value heads are divided, or repeated, evenly.
bool divides(const ModelHeads& heads, std::int64_t tensor_parallel);

}  // namespace instantstart::capabilities
