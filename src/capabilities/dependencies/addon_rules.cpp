#include "capabilities/dependencies/addon_rules.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/core.h>

#include "base/text.h"

namespace instantstart::capabilities {
namespace {

constexpr std::string_view k_no_replicas = "InsufficientNumberOfReplicas";

// EKS API reference, AddonIssue, `code`.
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> k_issue_words{{
    {"AccessDenied", "EKS has no right to change the cluster for it"},
    {"InternalFailure", "EKS failed inside"},
    {"ClusterUnreachable", "EKS does not reach the cluster's API"},
    {k_no_replicas, "Its pods do not run"},
    {"ConfigurationConflict", "Its objects exist already with other values"},
    {"AdmissionRequestDenied", "An admission webhook of the cluster refused its objects"},
    {"UnsupportedAddonModification", "Its objects were changed in a way that it does not allow"},
    {"K8sResourceNotFound", "One of its objects is missing"},
    {"AddonSubscriptionNeeded", "It needs a subscription in AWS Marketplace"},
    {"AddonPermissionFailure", "Its IAM role lacks a permission"},
}};

bool only_replicas_lack(const AddonSeen& seen) {
  return std::ranges::all_of(seen.issues, [](const IssueSeen& issue) { return issue.code == k_no_replicas; });
}

/// The numbers of a version, in order.
std::vector<long> numbers_of(std::string_view version) {
  std::vector<long> numbers;
  for (std::size_t i = 0; i < version.size();) {
    long number = 0;
    const auto [end, problem] = std::from_chars(version.data() + i, version.data() + version.size(), number);
    if (problem == std::errc() && version[i] != '-') {
      numbers.push_back(number);
      i = static_cast<std::size_t>(end - version.data());
    } else {
      ++i;
    }
  }
  return numbers;
}

}  // namespace

AddonCondition condition_of(const AddonSeen& seen) {
  if (!seen.exists) return AddonCondition::absent;
  if (seen.status == "ACTIVE") return AddonCondition::ready;
  if (seen.status == "DELETING") return AddonCondition::going;
  if (seen.status == "DEGRADED") {
    if (!only_replicas_lack(seen)) return AddonCondition::degraded;
    return seen.nodes ? AddonCondition::short_of_replicas : AddonCondition::waiting_for_nodes;
  }
  if (seen.status == "CREATING" || seen.status == "UPDATING") {
    return seen.nodes ? AddonCondition::progressing : AddonCondition::waiting_for_nodes;
  }
  // Without nodes EKS may give up on what only lacks them.
  if (seen.status == "CREATE_FAILED" && !seen.nodes && !seen.issues.empty() && only_replicas_lack(seen)) {
    return AddonCondition::waiting_for_nodes;
  }
  return AddonCondition::failed;
}

std::vector<std::string> words_of(const AddonSeen& seen) {
  std::vector<std::string> words;
  for (const auto& issue : seen.issues) {
    const auto* known =
        std::ranges::find(k_issue_words, issue.code, &std::pair<std::string_view, std::string_view>::first);
    const std::string_view ours = known == k_issue_words.end() ? std::string_view(issue.code) : known->second;
    words.push_back(issue.message.empty() ? fmt::format("{}.", ours)
                                          : fmt::format("{}: {}", ours, shortened(issue.message, 300)));
  }
  return words;
}

std::strong_ordering compare_addon_versions(std::string_view a, std::string_view b) {
  const auto left = numbers_of(a);
  const auto right = numbers_of(b);
  return std::lexicographical_compare_three_way(left.begin(), left.end(), right.begin(), right.end());
}

}  // namespace instantstart::capabilities
