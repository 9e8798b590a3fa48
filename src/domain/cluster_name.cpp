#include "domain/cluster_name.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/decode.h"
#include "base/digest.h"

namespace instantstart::domain {
namespace {

constexpr std::size_t k_digest_length = 6;
constexpr std::size_t k_stack_name_length = 128;
constexpr std::size_t k_role_name_length = 64;
constexpr std::size_t k_hyperpod_name_length = 63;

/// Without "_" and without "-" at the end, still one for each name.
std::string without_underscores(const std::string& name) {
  if (name.find('_') == std::string::npos && !name.ends_with('-')) return name;
  std::string plain = name;
  std::ranges::replace(plain, '_', '-');
  while (plain.ends_with('-')) plain.pop_back();
  return fmt::format("{}-{}", plain, to_hex(sha256(name)).substr(0, k_digest_length));
}

Result<std::string> within_budget(const ClusterName& cluster, std::string derived, std::size_t most,
                                  std::string_view what) {
  if (derived.size() <= most) return derived;
  const std::size_t over = derived.size() - most;
  const std::size_t length = cluster.value.size();
  FieldProblem problem{.pointer = "/name",
                       .rule = "max_length",
                       .message = {},
                       .value = to_text(json::value(json::string(cluster.value))),
                       .nearest = std::nullopt};
  if (over >= length) {
    problem.message = fmt::format("leaves no room in {}, which may have {} characters", what, most);
    return fail(invalid_request({std::move(problem)}));
  }
  problem.message = fmt::format("must be at most {} characters long: {} is made of it, and may have {}",
                                length - over, what, most);
  std::string shorter = cluster.value.substr(0, length - over);
  while (shorter.ends_with('-') || shorter.ends_with('_')) shorter.pop_back();
  problem.nearest = std::move(shorter);
  return fail(invalid_request({std::move(problem)}));
}

}  // namespace

Result<std::string> stack_name(const ClusterName& cluster) {
  return within_budget(cluster, "instantstart-" + without_underscores(cluster.value), k_stack_name_length,
                       "the name of its CloudFormation stack");
}

Result<std::string> role_name(const ClusterName& cluster, std::string_view region, std::string_view purpose) {
  return within_budget(cluster, fmt::format("{}-{}-{}", cluster.value, region, purpose), k_role_name_length,
                       "the name of its IAM roles");
}

Result<std::string> hyperpod_name(const ClusterName& cluster) {
  return within_budget(cluster, without_underscores(cluster.value), k_hyperpod_name_length,
                       "the name of its HyperPod cluster");
}

std::vector<FieldProblem> name_problems(const ClusterName& cluster, std::string_view region) {
  std::vector<FieldProblem> problems;
  for (auto& derived :
       {stack_name(cluster), role_name(cluster, region, k_longest_role_purpose), hyperpod_name(cluster)}) {
    if (derived) continue;
    for (const auto& problem : derived.error().problems) problems.push_back(problem);
  }
  return problems;
}

Type describe(ClusterName*) {
  return text_type<ClusterName>(
      "ClusterName", "The name of an EKS cluster, unique in its account and region.",
      {.min = 1, .max = 100, .pattern = Pattern("^[0-9A-Za-z][A-Za-z0-9_-]{0,99}$")}, {"demo"});
}

}  // namespace instantstart::domain
