#include "sandbox/kubernetes/serving/server_arguments.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace instantstart::sandbox::kubernetes {
namespace {

using Words = std::span<const std::string>;

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool is_server_image(std::string_view image) {
  return image.find("vllm-openai") != image.npos || image.find("vllm/vllm") != image.npos;
}

/// The words after the program's name; nullopt when it is another program.
std::optional<Words> words_of_server(const ContainerView& container) {
  const Words words(container.argv);
  const auto is = [&](std::size_t index, std::string_view word) {
    return index < words.size() && words[index] == word;
  };
  if (!words.empty() && base_name(words[0]) == "vllm") {
    return is(1, "serve") ? std::optional(words.subspan(2)) : std::nullopt;
  }
  if (!words.empty() && base_name(words[0]).starts_with("python")) {
    const bool server = is(1, "-m") && is(2, "vllm.entrypoints.openai.api_server");
    return server ? std::optional(words.subspan(3)) : std::nullopt;
  }
  // Arguments alone, for the image's own entry point.
  const bool bare = words.empty() || words[0].starts_with('-') || words[0].find('/') != std::string::npos;
  if (!is_server_image(container.image) || !bare) return std::nullopt;
  if (!words.empty() && words[0].starts_with('/') && words[0].find("/bin/") != std::string::npos) {
    return std::nullopt;
  }
  return words;
}

std::int64_t number_of(std::string_view text, std::int64_t fallback) {
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc()) return fallback;
  // "32k" is thousands, "32K" is 1024ths.
  const std::string_view unit(read.ptr, static_cast<std::size_t>(text.data() + text.size() - read.ptr));
  if (unit == "k") return number * 1000;
  if (unit == "K") return number * 1024;
  return unit.empty() ? number : fallback;
}

double fraction_of(std::string_view text, double fallback) {
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && number > 0 && number <= 1 ? number : fallback;
}

/// "--tensor_parallel-size" and "-tp" are one name.
std::string even_name(std::string_view option) {
  constexpr std::pair<std::string_view, std::string_view> k_short[] = {{"-tp", "tensor-parallel-size"},
                                                                       {"-pp", "pipeline-parallel-size"},
                                                                       {"-dp", "data-parallel-size"},
                                                                       {"-q", "quantization"},
                                                                       {"-n", "nnodes"},
                                                                       {"-r", "node-rank"}};
  for (const auto& [brief, full] : k_short) {
    if (option == brief) return std::string(full);
  }
  while (option.starts_with('-')) option.remove_prefix(1);
  std::string name(option);
  std::ranges::replace(name, '_', '-');
  return name;
}

struct Option {
  std::string name;
  std::vector<std::string> values;
  std::string value() const { return values.empty() ? std::string() : values.front(); }
};

std::vector<Option> options_of(Words words) {
  std::vector<Option> options;
  for (const auto& word : words) {
    const bool is_option = word.starts_with('-') && word.size() > 1 && !(word[1] >= '0' && word[1] <= '9');
    if (!is_option) {
      if (options.empty()) options.push_back({.name = "model-tag", .values = {}});
      options.back().values.push_back(word);
      continue;
    }
    const auto equals = word.find('=');
    options.push_back({.name = even_name(word.substr(0, equals)), .values = {}});
    if (equals != word.npos) options.back().values.push_back(word.substr(equals + 1));
  }
  return options;
}

void take(ServerArguments& arguments, const Option& option) {
  const std::string value = option.value();
  if (option.name == "model-tag" || option.name == "model") arguments.model = value;
  if (option.name == "served-model-name") arguments.served_names = option.values;
  if (option.name == "port") arguments.port = number_of(value, arguments.port);
  if (option.name == "api-key") arguments.api_key = value;
  if (option.name == "tensor-parallel-size")
    arguments.tensor_parallel = std::max<std::int64_t>(1, number_of(value, 1));
  if (option.name == "pipeline-parallel-size") {
    arguments.pipeline_parallel = std::max<std::int64_t>(1, number_of(value, 1));
  }
  if (option.name == "data-parallel-size")
    arguments.data_parallel = std::max<std::int64_t>(1, number_of(value, 1));
  if (option.name == "nnodes") arguments.nodes = std::max<std::int64_t>(1, number_of(value, 1));
  if (option.name == "max-model-len") arguments.max_model_len = number_of(value, 0);
  if (option.name == "gpu-memory-utilization") {
    arguments.memory_utilization = fraction_of(value, arguments.memory_utilization);
  }
  if (option.name == "load-format") arguments.load_format = value;
  if (option.name == "headless") arguments.headless = true;
}

}  // namespace

std::optional<ServerArguments> server_arguments(const ContainerView& container) {
  const auto words = words_of_server(container);
  if (!words) return std::nullopt;
  ServerArguments arguments;
  if (const auto key = container.env.find("VLLM_API_KEY"); key != container.env.end()) {
    arguments.api_key = key->second;
  }
  for (auto& option : options_of(*words)) {
    // What stands behind an option without values, or before all of them, is the model.
    if (option.name == "headless" && !option.values.empty()) arguments.model = option.value();
    take(arguments, option);
    std::ranges::replace(option.name, '-', '_');
    const std::string shown = option.name == "api_key" ? "***" : option.value();
    arguments.given += fmt::format("{}'{}': '{}'", arguments.given.empty() ? "" : ", ", option.name,
                                   shown.empty() ? "True" : shown);
  }
  if (arguments.served_names.empty()) arguments.served_names = {arguments.model};
  return arguments;
}

}  // namespace instantstart::sandbox::kubernetes
