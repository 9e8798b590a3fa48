#include "capabilities/clusters/hyperpod_failure.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include <fmt/core.h>

#include "base/error_codes.h"
#include "base/pattern.h"
#include "base/text.h"

namespace instantstart::capabilities {
namespace {

constexpr std::size_t k_longest_text = 600;
constexpr std::size_t k_most_evidence = 8;

struct Clue {
  std::string_view words;
  std::string_view cause;
};

/// In lower case, most telling first. A message about lifecycle scripts comes last: SageMaker writes it too
/// when an instance could not start at all.
constexpr auto k_clues = std::to_array<Clue>({
    {"required dependencies", "dependencies"},
    {"sufficient capacity", "capacity"},
    {"insufficient capacity", "capacity"},
    {"insufficientinstancecapacity", "capacity"},
    {"capacity is not available", "capacity"},
    {"no capacity", "capacity"},
    {"capacity error", "capacity"},
    {"not offered", "capacity"},
    {"resourcelimitexceeded", "quota"},
    {"account-level service limit", "quota"},
    {"service quota", "quota"},
    {"limit exceeded", "quota"},
    {"not authorized", "permissions"},
    {"access denied", "permissions"},
    {"accessdenied", "permissions"},
    {"unable to assume", "permissions"},
    {"could not assume", "permissions"},
    {"free ip address", "network"},
    {"free addresses", "network"},
    {"insufficientfreeaddresses", "network"},
    {"security group", "network"},
    {"efa health check", "network"},
    {"network connectivity", "network"},
    {"lifecycle", "lifecycle"},
});

std::vector<std::string> checks_for(std::string_view cause) {
  if (cause == "capacity") {
    return {"Ask zone_list with the instance type which other zones offer it.",
            "Use another zone, another type, or a training plan.",
            "With continuous provisioning HyperPod goes on trying: wait, or take the group back."};
  }
  if (cause == "dependencies") {
    return {"Run dependency_reconcile, then retry."};
  }
  if (cause == "quota") {
    return {"Look at the SageMaker quota '<type> for cluster usage': EC2's quotas don't count here.",
            "Look at 'Total number of instances allowed across SageMaker HyperPod clusters' too.",
            "Ask for an increase in Service Quotas, then retry."};
  }
  if (cause == "permissions") {
    return {
        "Look at the trust policy of the execution role: sagemaker.amazonaws.com must be able to assume it.",
        "Look at the role's policies and at service control policies of the organisation.",
        "A role that was just made takes some seconds: retry once."};
  }
  if (cause == "network") {
    return {"Look at the free addresses of the subnet.",
            "The security group must allow all traffic from and to itself; EFA needs both rules.",
            "The subnet needs a route to a NAT gateway."};
  }
  if (cause == "lifecycle") {
    return {"Look at the S3 path of the lifecycle script, and whether the execution role may read it.",
            "Look whether the subnet has a way out (NAT gateway, S3 endpoint).",
            "Look at capacity, zone and type: an instance that never started has no script log either."};
  }
  return {"Look at the cluster's events in SageMaker.", "Look at the log group of the cluster."};
}

std::string_view title_of(std::string_view cause) {
  if (cause == "capacity") return "AWS has no capacity for this type in this zone now";
  if (cause == "dependencies") return "What HyperPod needs in the EKS cluster is not there";
  if (cause == "quota") return "The account's quota is too small";
  if (cause == "permissions") return "A permission is missing";
  if (cause == "network") return "The network does not let the nodes work";
  if (cause == "lifecycle") return "The lifecycle script did not run to its end";
  return "AWS gives no cause that is known here";
}

std::string clean(std::string_view text) { return shortened(without_controls(text), k_longest_text); }

}  // namespace

std::string log_group_of(std::string_view name, std::string_view arn) {
  const auto slash = arn.rfind('/');
  const auto id = slash == std::string_view::npos ? std::string_view() : arn.substr(slash + 1);
  return fmt::format("/aws/sagemaker/Clusters/{}/{}", name, id);
}

std::optional<std::string> instance_in(std::string_view text) {
  for (auto at = text.find("i-"); at != std::string_view::npos; at = text.find("i-", at + 1)) {
    const bool begins = at == 0 || !std::isalnum(static_cast<unsigned char>(text[at - 1]));
    const auto end = text.find_first_not_of("0123456789abcdef", at + 2);
    const auto length = (end == std::string_view::npos ? text.size() : end) - at;
    if (begins && length >= 10) return std::string(text.substr(at, length));
  }
  return std::nullopt;
}

std::string_view cause_of_text(std::string_view text) {
  const std::string lower = to_lower(text);
  for (const auto& clue : k_clues) {
    if (lower.find(clue.words) != std::string::npos) return clue.cause;
  }
  return "unknown";
}

FailureView explain(const FailureFacts& facts) {
  FailureView view{.cause = "unknown"};
  const auto consider = [&](std::string_view text) {
    if (text.empty()) return;
    const auto cause = cause_of_text(text);
    // Lifecycle is what SageMaker says when it knows nothing better: a more telling cause wins.
    const bool better = view.cause == "unknown" || (view.cause == "lifecycle" && cause != "unknown");
    if (better && cause != "unknown") {
      view.cause = cause;
      view.message = clean(text);
    }
    if (!view.instance_id) view.instance_id = instance_in(text);
    if (view.evidence.size() < k_most_evidence && std::ranges::count(view.evidence, clean(text)) == 0) {
      view.evidence.push_back(clean(text));
    }
  };
  consider(facts.failure_message);
  for (const auto& event : facts.events) {
    consider(event.text);
    if (!view.instance_id && !event.instance_id.empty()) view.instance_id = event.instance_id;
  }
  if (view.message.empty()) view.message = view.evidence.empty() ? "" : view.evidence.front();
  if (!facts.log.state.empty()) {
    view.log_group = facts.log.group;
    view.logs = facts.log.state;
  }
  if (view.cause == "lifecycle" && facts.log.state == "absent") {
    view.evidence.emplace_back("No log stream of the lifecycle script exists.");
  }
  const auto& lines = facts.log.last_lines;
  const std::size_t from = lines.size() > 5 ? lines.size() - 5 : 0;
  for (std::size_t i = from; i < lines.size(); ++i) view.evidence.push_back("log: " + clean(lines[i]));
  view.checks = checks_for(view.cause);
  return view;
}

Error to_error(const FailureView& failure, std::string_view what) {
  Error error{.code = std::string(codes::upstream_error)};
  if (failure.cause == "capacity") error.code = codes::capacity_unavailable;
  if (failure.cause == "quota") error.code = codes::quota_exceeded;
  if (failure.cause == "permissions") error.code = codes::access_denied;
  if (failure.cause == "dependencies") error.code = codes::blocked;
  error.message = fmt::format("{}: {}", what, title_of(failure.cause));
  error.message += failure.message.empty() ? "." : fmt::format(": {}", failure.message);
  error.retryable = false;
  error.detail["cause"] = failure.cause;
  if (failure.instance_id) error.detail["instance_id"] = *failure.instance_id;
  if (failure.log_group) error.detail["log_group"] = *failure.log_group;
  if (failure.logs) error.detail["logs"] = *failure.logs;
  json::array evidence;
  for (const auto& text : failure.evidence) evidence.emplace_back(text);
  error.detail["evidence"] = std::move(evidence);
  json::array checks;
  for (const auto& text : failure.checks) checks.emplace_back(text);
  error.detail["checks"] = std::move(checks);
  return error;
}

Type describe(ClusterEvent*) {
  using Event = ClusterEvent;
  return object_type<Event>(
      "ClusterEvent", "An event of a HyperPod cluster.",
      {field<&Event::at>("at", "When.", {.defaulted = true}),
       field<&Event::level>("level", "How bad.", {.defaulted = true}),
       field<&Event::group>("group", "Of which group.", {.defaulted = true}),
       field<&Event::instance_id>("instance_id", "Of which instance.", {.defaulted = true}),
       field<&Event::text>("text", "In AWS's words.", {.defaulted = true})});
}

Type describe(LifecycleLog*) {
  using Log = LifecycleLog;
  return object_type<Log>("LifecycleLog", "The log of the lifecycle script.",
                          {field<&Log::group>("group", "Its log group.", {.defaulted = true}),
                           field<&Log::state>("state", "Whether it is there.", {.defaulted = true}),
                           field<&Log::stream>("stream", "The stream.", {.defaulted = true}),
                           field<&Log::last_lines>("last_lines", "Its end.", {.defaulted = true})});
}

}  // namespace instantstart::capabilities
