// What a server finds out of a model and its GPUs before it serves: sizes, and whether they fit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace instantstart::sandbox::kubernetes {

/// By its published configuration, or guessed from the size in its name ("…-7B").
struct ModelFacts {
  std::string architecture;  ///< "LlamaForCausalLM"
  double billions = 7;       ///< Parameters.
  double bytes_each = 2;     ///< Of a parameter: bfloat16, or less when the name tells a quantisation.
  std::int64_t layers = 32;
  std::int64_t heads = 0;  ///< 0: not known, and then not looked at.
  std::int64_t kv_heads = 8;
  std::int64_t head_dim = 128;
  std::int64_t max_len = 32768;

  double weight_gib() const;
  /// Of one token on one GPU, in bytes (bfloat16).
  double kv_bytes(std::int64_t tensor_parallel, std::int64_t pipeline_parallel) const;
};

/// By the last part of a repository's name or a path.
ModelFacts model_facts(std::string_view model);
/// Whether Hugging Face gives its files only to who has accepted its licence.
bool is_gated(std::string_view model);
/// Memory of one GPU in GiB, by the machine's type ("ml.p5.48xlarge").
double gpu_gib(std::string_view instance_type);

}  // namespace instantstart::sandbox::kubernetes
