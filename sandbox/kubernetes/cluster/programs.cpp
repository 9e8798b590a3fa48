#include "sandbox/kubernetes/cluster/programs.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr seconds k_small_pull{2};
constexpr seconds k_usual_pull{6};
constexpr seconds k_large_pull{90};  // 10 GB and more: frameworks with CUDA

bool ends_with_any(std::string_view text, std::initializer_list<std::string_view> ends) {
  return std::ranges::any_of(ends, [text](std::string_view end) { return text.ends_with(end); });
}

bool contains_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(parts, [text](std::string_view part) { return text.find(part) != text.npos; });
}

/// "registry.example:5000" of an image name; empty: the default one.
std::string_view host_of(std::string_view image) {
  const auto slash = image.find('/');
  if (slash == std::string_view::npos) return {};
  const auto first = image.substr(0, slash);
  const bool host = first.find('.') != first.npos || first.find(':') != first.npos || first == "localhost";
  return host ? first : std::string_view();
}

}  // namespace

boost::asio::awaitable<net::Response> Program::answer(net::Request) {
  co_return net::Response{.status = 404, .headers = {{"Content-Type", "text/plain"}}, .body = "not found\n"};
}

std::unique_ptr<Program> ProgramCatalog::make(const ContainerView& container) const {
  for (const auto& recognise : recognisers_) {
    if (auto program = recognise(container)) return program;
  }
  if (auto program = recognise_small_program(container)) return program;
  return std::make_unique<Program>();
}

ImagePull pull_of(std::string_view image) {
  const auto host = host_of(image);
  const auto bare_host = host.substr(0, host.find(':'));
  if (ends_with_any(bare_host, {".invalid", ".example", ".test"})) {
    return {
        .takes = k_small_pull,
        .error = fmt::format("failed to pull and unpack image \"{0}\": failed to resolve reference \"{0}\": "
                             "failed to do request: Head \"https://{1}/v2/\": dial tcp: lookup {2}: no such "
                             "host",
                             image, host, bare_host)};
  }
  if (image.find("does-not-exist") != image.npos) {
    return {
        .takes = k_small_pull,
        .error = fmt::format("failed to pull and unpack image \"{0}\": failed to resolve reference \"{0}\": "
                             "{0}: not found",
                             image)};
  }
  const std::string name = to_lower(image);
  if (contains_any(name, {"pytorch", "vllm", "sglang", "nemo", "tensorrt", "huggingface", "djl-", "megatron",
                          "cuda", "ray-ml", "training", "inference"})) {
    return {.takes = k_large_pull, .error = {}};
  }
  if (contains_any(name, {"busybox", "alpine", "pause"})) return {.takes = k_small_pull, .error = {}};
  return {.takes = k_usual_pull, .error = {}};
}

}  // namespace instantstart::sandbox::kubernetes
