#include "capabilities/training/job_state.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include <fmt/core.h>

#include "base/text.h"
#include "capabilities/dependencies/owned_object.h"
#include "capabilities/training/job_object.h"
#include "kube/json_access.h"

namespace instantstart::capabilities {
namespace {

constexpr std::size_t k_longest_text = 500;
constexpr std::size_t k_most_faulty = 50;
constexpr std::size_t k_most_arguments = 600;

std::string bounded(std::string_view text) { return shortened(without_controls(text), k_longest_text); }

std::optional<std::string> some(std::string_view text) {
  if (text.empty()) return std::nullopt;
  return bounded(text);
}

std::string_view text_in(const json::value& value, std::string_view member) {
  return kube::text_at(kube::as_object(value), {member});
}

bool is_true(const json::value& condition) { return text_in(condition, "status") == "True"; }

/// The operator's words differ between its versions.
std::optional<JobState> state_of(std::string_view type) {
  static const std::map<std::string, JobState, std::less<>> states{
      {"succeeded", JobState::succeeded},   {"completed", JobState::succeeded},
      {"complete", JobState::succeeded},    {"failed", JobState::failed},
      {"suspended", JobState::suspended},   {"restarting", JobState::restarting},
      {"fault", JobState::restarting},      {"faulted", JobState::restarting},
      {"recovering", JobState::restarting}, {"running", JobState::running},
      {"starting", JobState::starting},     {"podsrunning", JobState::starting},
      {"initialized", JobState::starting},  {"created", JobState::pending},
      {"pending", JobState::pending},       {"queued", JobState::pending}};
  const auto found = states.find(to_lower(type));
  return found == states.end() ? std::nullopt : std::optional(found->second);
}

/// The newest condition that holds and says a state; RFC 3339 in UTC compares as text. Of equals, the last.
const json::value* newest(const json::array& conditions, bool (*wanted)(JobState)) {
  const json::value* found = nullptr;
  for (const auto& condition : conditions) {
    const auto state = state_of(text_in(condition, "type"));
    if (!is_true(condition) || !state || !wanted(*state)) continue;
    if (!found || text_in(condition, "lastTransitionTime") >= text_in(*found, "lastTransitionTime")) {
      found = &condition;
    }
  }
  return found;
}

bool is_end(JobState state) { return state == JobState::succeeded || state == JobState::failed; }

const json::array& conditions_of(const json::object& job) {
  return kube::array_at(job, {"status", "conditions"});
}

JobState state_of(const json::object& job) {
  const auto& conditions = conditions_of(job);
  if (const auto* end = newest(conditions, is_end)) return *state_of(text_in(*end, "type"));
  if (!kube::text_at(job, {"metadata", "deletionTimestamp"}).empty()) return JobState::stopping;
  if (kube::flag_at(job, {"spec", "runPolicy", "suspend"})) return JobState::suspended;
  const auto* condition = newest(conditions, [](JobState) { return true; });
  return condition ? *state_of(text_in(*condition, "type")) : JobState::pending;
}

const json::object& first_of(const json::array& array) {
  static const json::value nothing = json::object();
  return kube::as_object(array.empty() ? nothing : array.front());
}

const json::object& pod_spec_of(const json::object& job) {
  return kube::object_at(first_of(kube::array_at(job, {"spec", "replicaSpecs"})), {"template", "spec"});
}

/// Written as a number or as text.
std::int64_t count_in(const json::object& amounts, std::string_view name) {
  const auto* value = kube::value_at(amounts, {name});
  if (!value) return 0;
  if (value->is_int64()) return value->get_int64();
  std::int64_t count = 0;
  const auto text = kube::as_text(*value);
  std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

std::int64_t gpus_of(const json::object& job) {
  const auto& container = first_of(kube::array_at(pod_spec_of(job), {"containers"}));
  const auto of_limits = count_in(kube::object_at(container, {"resources", "limits"}), k_gpu_resource);
  return of_limits > 0 ? of_limits
                       : count_in(kube::object_at(container, {"resources", "requests"}), k_gpu_resource);
}

std::int64_t nodes_of(const json::object& job) {
  std::int64_t nodes = 0;
  for (const auto& replica : kube::array_at(job, {"spec", "replicaSpecs"})) {
    nodes += std::max<std::int64_t>(0, kube::integer_at(kube::as_object(replica), {"replicas"}).value_or(0));
  }
  return nodes;
}

std::optional<std::string> instance_type_of(const json::object& job) {
  const auto& selector = kube::object_at(pod_spec_of(job), {"nodeSelector"});
  if (auto type = some(kube::text_at(selector, {k_instance_type_label}))) return type;
  return some(kube::text_at(selector, {"beta.kubernetes.io/instance-type"}));
}

std::int64_t restarts_of(const json::object& job) {
  if (const auto total = kube::integer_at(job, {"status", "restartCount"})) return *total;
  return kube::integer_at(job, {"status", "restartStatus", "restartCount"}).value_or(0);
}

std::string owner_of(const json::object& job) { return maker_of(job) ? "instantstart" : "other"; }

/// "MaxRetriesExceeded: …"; what says nothing more is left out.
std::string words_of(const json::value& condition) {
  const auto reason = text_in(condition, "reason");
  const auto message = text_in(condition, "message");
  if (message.empty()) return bounded(reason);
  if (reason.empty() || message.contains(reason)) return bounded(message);
  return bounded(fmt::format("{}: {}", reason, message));
}

std::optional<std::string> ended_at(const json::object& job) {
  const auto* end = newest(conditions_of(job), is_end);
  if (!end) return std::nullopt;
  if (auto time = some(kube::text_at(job, {"status", "completionTime"}))) return time;
  return some(text_in(*end, "lastTransitionTime"));
}

// --- log_monitoring ----------------------------------------------------------------------------------------

bool is_name_part(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/// Agents tell "LogHang_<rule>" as the reason of a fault.
std::optional<LogFinding> finding_in(std::string_view text) {
  constexpr std::pair<std::string_view, std::string_view> k_marks[] = {
      {"LogHang_", "hang"}, {"LogFault_", "fault"}, {"LogSlow_", "slow"}};
  for (const auto& [mark, kind] : k_marks) {
    const auto at = text.find(mark);
    if (at == std::string_view::npos) continue;
    auto rest = text.substr(at + mark.size());
    const auto end = std::ranges::find_if_not(rest, is_name_part) - rest.begin();
    rest = rest.substr(0, static_cast<std::size_t>(end));
    if (!rest.empty()) return LogFinding{std::string(kind), bounded(rest)};
  }
  return std::nullopt;
}

std::optional<LogFinding> finding_of(const json::object& job, const std::vector<json::object>& events) {
  // The newest condition that names a rule; of equals, the last.
  std::optional<LogFinding> latest;
  std::string_view latest_time;
  for (const auto& condition : conditions_of(job)) {
    auto finding = finding_in(text_in(condition, "reason"));
    if (!finding) finding = finding_in(text_in(condition, "message"));
    const auto time = text_in(condition, "lastTransitionTime");
    if (!finding || (latest && time < latest_time)) continue;
    latest = std::move(finding);
    latest_time = time;
  }
  if (latest) return latest;
  for (const char* member : {"latestFaultyPodInstanceList", "podManagerStatuses", "managerPods"}) {
    const auto* value = kube::value_at(job, {"status", member});
    if (!value) continue;
    if (auto finding = finding_in(instantstart::to_text(*value))) return finding;
  }
  for (const auto& event : events) {
    auto finding = finding_in(kube::text_at(event, {"message"}));
    const auto time = kube::text_at(event, {"lastTimestamp"});
    if (!finding || (latest && time < latest_time)) continue;
    latest = std::move(finding);
    latest_time = time;
  }
  return latest;
}

std::string words_of(const LogFinding& finding) {
  if (finding.kind == "hang")
    return fmt::format("The rule {} waited in vain for its lines: it hangs.", finding.rule);
  if (finding.kind == "slow") return fmt::format("The rule {} found it too slow.", finding.rule);
  return fmt::format("The rule {} found a fault in the output.", finding.rule);
}

// --- pods --------------------------------------------------------------------------------------------------

std::string_view name_of(const json::object& pod) { return kube::text_at(pod, {"metadata", "name"}); }

/// The number at the end of its name.
std::optional<std::int64_t> rank_of(std::string_view name) {
  const auto dash = name.rfind('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto digits = name.substr(dash + 1);
  std::int64_t rank = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
  if (error != std::errc{} || end != digits.data() + digits.size() || rank < 0) return std::nullopt;
  return rank;
}

JobPodState pod_state_of(const json::object& pod) {
  const auto phase = kube::text_at(pod, {"status", "phase"});
  if (phase == "Running") return JobPodState::running;
  if (phase == "Succeeded") return JobPodState::succeeded;
  if (phase == "Failed") return JobPodState::failed;
  return phase == "Pending" || phase.empty() ? JobPodState::pending : JobPodState::unknown;
}

/// Of "0/2 nodes are available: 2 Insufficient nvidia.com/gpu, 1 node(s) …. preemption: …" the reasons,
/// without the counts, which differ from pod to pod.
std::string scheduling_in_words(std::string_view message) {
  constexpr std::string_view k_mark = "nodes are available: ";
  const auto at = message.find(k_mark);
  if (at == std::string_view::npos) return bounded(message);
  message.remove_prefix(at + k_mark.size());
  if (const auto end = message.find(". "); end != std::string_view::npos) message = message.substr(0, end);
  if (message.ends_with('.')) message.remove_suffix(1);
  std::vector<std::string> parts;
  for (auto part : split(message, ',')) {
    part = trim(part);
    const auto digits = std::min(part.find_first_not_of("0123456789"), part.size());
    if (digits > 0 && digits < part.size() && part[digits] == ' ') part.remove_prefix(digits + 1);
    if (!part.empty()) parts.emplace_back(part);
  }
  return bounded(join(parts, ", "));
}

std::optional<std::string> waiting_in_words(const json::object& pod) {
  for (const char* list : {"initContainerStatuses", "containerStatuses"}) {
    for (const auto& status : kube::array_at(pod, {"status", list})) {
      const auto& waiting = kube::object_at(kube::as_object(status), {"state", "waiting"});
      const auto reason = kube::text_at(waiting, {"reason"});
      if (reason.empty()) continue;
      const auto message = kube::text_at(waiting, {"message"});
      return message.empty() ? bounded(reason) : bounded(fmt::format("{}: {}", reason, message));
    }
  }
  return std::nullopt;
}

std::optional<std::string> ending_in_words(const json::object& pod) {
  for (const auto& status : kube::array_at(pod, {"status", "containerStatuses"})) {
    const auto& ended = kube::object_at(kube::as_object(status), {"state", "terminated"});
    const auto code = kube::integer_at(ended, {"exitCode"});
    if (!code || *code == 0) continue;
    const auto reason = kube::text_at(ended, {"reason"});
    return bounded(fmt::format("{}exit code {}", reason.empty() ? "" : fmt::format("{}: ", reason), *code));
  }
  return some(kube::text_at(pod, {"status", "message"}));
}

std::optional<std::string> reason_of(const json::object& pod, JobPodState state) {
  if (state == JobPodState::failed) return ending_in_words(pod);
  if (state != JobPodState::pending) return waiting_in_words(pod);
  for (const auto& condition : kube::array_at(pod, {"status", "conditions"})) {
    if (text_in(condition, "type") != "PodScheduled" || text_in(condition, "status") != "False") continue;
    return scheduling_in_words(text_in(condition, "message"));
  }
  if (auto waiting = waiting_in_words(pod)) return waiting;
  return some(kube::text_at(pod, {"status", "message"}));
}

JobPodView pod_view(const json::object& pod) {
  JobPodView view{
      .name = bounded(name_of(pod)), .node_rank = rank_of(name_of(pod)), .state = pod_state_of(pod)};
  view.node = some(kube::text_at(pod, {"spec", "nodeName"}));
  for (const auto& status : kube::array_at(pod, {"status", "containerStatuses"})) {
    view.container_restarts += kube::integer_at(kube::as_object(status), {"restartCount"}).value_or(0);
  }
  view.reason = reason_of(pod, view.state);
  return view;
}

// --- the whole ---------------------------------------------------------------------------------------------

RestartBudget budget_of(const json::object& job) {
  const auto number = [&](kube::JsonPath path) { return kube::integer_at(job, path); };
  RestartBudget budget{.limit = number({"spec", "runPolicy", "jobMaxRetryCount"}), .used = restarts_of(job)};
  if (budget.limit) budget.left = std::max<std::int64_t>(0, *budget.limit - budget.used);
  budget.window_seconds = number({"spec", "runPolicy", "restartPolicy", "evalPeriodSeconds"});
  budget.window_limit = number({"spec", "runPolicy", "restartPolicy", "numRestartBeforeFullJobRestart"});
  budget.full_limit = number({"spec", "runPolicy", "restartPolicy", "maxFullJobRestarts"});
  budget.window_used = number({"status", "restartStatus", "restartCount"}).value_or(0);
  budget.full_used = number({"status", "restartStatus", "fullJobRestartCount"}).value_or(0);
  return budget;
}

std::vector<std::string> texts_of(const json::array& array) {
  std::vector<std::string> texts;
  for (const auto& value : array) {
    if (texts.size() == k_most_faulty) break;
    if (value.is_string()) texts.push_back(bounded(value.get_string()));
  }
  return texts;
}

std::optional<FaultView> fault_of(const json::object& job) {
  const auto& list = kube::object_at(job, {"status", "latestFaultyPodInstanceList"});
  if (list.empty()) return std::nullopt;
  FaultView fault{.restart_type = some(kube::text_at(list, {"restartType"})),
                  .pods = texts_of(kube::array_at(list, {"faultyPodList"})),
                  .instances = texts_of(kube::array_at(list, {"faultyInstanceIdList"}))};
  for (const auto& rank : kube::array_at(list, {"faultyRankList"})) {
    if (fault.ranks.size() == k_most_faulty) break;
    if (rank.is_int64()) fault.ranks.push_back(rank.get_int64());
    std::int64_t number = 0;
    const auto text = kube::as_text(rank);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc{} && end == text.data() + text.size()) fault.ranks.push_back(number);
  }
  return fault;
}

/// Of its pods, while there are any: the conditions that say that ranks run tell of their end once they are
/// False.
std::optional<std::string> started_at(const json::object& job, const std::vector<json::object>& pods) {
  std::string_view earliest;
  const auto take = [&earliest](std::string_view time) {
    if (!time.empty() && (earliest.empty() || time < earliest)) earliest = time;
  };
  for (const auto& pod : pods) take(kube::text_at(pod, {"status", "startTime"}));
  for (const auto& condition : conditions_of(job)) {
    const auto state = state_of(text_in(condition, "type"));
    const bool runs = state == JobState::running || state == JobState::starting;
    if (runs && text_in(condition, "status") == "True") take(text_in(condition, "lastTransitionTime"));
  }
  return some(earliest);
}

std::vector<std::string> command_of(const json::object& job) {
  const auto& container = first_of(kube::array_at(pod_spec_of(job), {"containers"}));
  std::vector<std::string> argv;
  for (const char* member : {"command", "args"}) {
    for (const auto& argument : kube::array_at(container, {member})) {
      if (argv.size() == k_most_arguments) return argv;
      argv.push_back(bounded(kube::as_text(argument)));
    }
  }
  return argv;
}

std::string exhausted(const RestartBudget& budget) {
  return fmt::format("The budget is used up: {} of {} restarts.", budget.used, *budget.limit);
}

void explain(const json::object& job, const std::vector<json::object>& pods, JobView& view) {
  const auto& conditions = conditions_of(job);
  if (view.state == JobState::succeeded || view.state == JobState::running) return;
  if (view.state == JobState::failed) {
    const auto* end = newest(conditions, is_end);
    view.failure = end ? words_of(*end) : "";
    if (view.failure->empty()) view.failure = "The operator gives no reason.";
    view.reasons.push_back(*view.failure);
    if (view.log_finding) view.reasons.push_back(words_of(*view.log_finding));
    if (view.restarts.left == 0 && view.restarts.used > 0) view.reasons.push_back(exhausted(view.restarts));
    return;
  }
  if (view.state == JobState::pending || view.state == JobState::starting) {
    view.reasons = pending_in_words(pods, view.nodes);
    if (view.state == JobState::starting && view.reasons.empty()) {
      view.reasons.emplace_back("All pods run; the operator is about to start the ranks.");
    }
    return;
  }
  const auto* condition = newest(conditions, [](JobState) { return true; });
  if (condition && !words_of(*condition).empty()) view.reasons.push_back(words_of(*condition));
  if (view.state == JobState::restarting && view.log_finding)
    view.reasons.push_back(words_of(*view.log_finding));
  if (view.state == JobState::restarting) {
    for (auto& words : pending_in_words(pods, view.nodes)) view.reasons.push_back(std::move(words));
  }
}

}  // namespace

bool is_pod_of(const json::object& pod, const json::object& job) {
  const auto name = kube::text_at(job, {"metadata", "name"});
  const auto uid = kube::text_at(job, {"metadata", "uid"});
  if (kube::text_at(pod, {"metadata", "namespace"}) != kube::text_at(job, {"metadata", "namespace"}))
    return false;
  const auto& owners = kube::array_at(pod, {"metadata", "ownerReferences"});
  if (!uid.empty() &&
      std::ranges::any_of(owners, [&](const auto& owner) { return text_in(owner, "uid") == uid; })) {
    return true;
  }
  if (kube::text_at(pod, {"metadata", "labels", k_job_label}) == name) return true;
  for (const auto& replica : kube::array_at(job, {"spec", "replicaSpecs"})) {
    const auto start = fmt::format("{}-{}-", name, text_in(replica, "name"));
    if (owners.empty() || !name_of(pod).starts_with(start)) continue;
    if (rank_of(name_of(pod)) && name_of(pod).rfind('-') == start.size() - 1) return true;
  }
  return false;
}

JobView job_view(const json::object& job, const std::vector<json::object>& pods,
                 const std::vector<json::object>& events) {
  JobView view{.name = bounded(kube::text_at(job, {"metadata", "name"})),
               .space = bounded(kube::text_at(job, {"metadata", "namespace"})),
               .state = state_of(job),
               .owner = owner_of(job),
               .operation_id = maker_of(job),
               .nodes = nodes_of(job),
               .gpus_per_node = gpus_of(job),
               .instance_type = instance_type_of(job)};
  view.image = bounded(text_in(first_of(kube::array_at(pod_spec_of(job), {"containers"})), "image"));
  view.command = command_of(job);
  for (const auto& pod : pods) view.pods.push_back(pod_view(pod));
  std::ranges::sort(view.pods, {}, [](const JobPodView& pod) { return std::tie(pod.node_rank, pod.name); });
  view.pods_running = std::ranges::count(view.pods, JobPodState::running, &JobPodView::state);
  if (view.state == JobState::pending || view.state == JobState::starting) {
    view.state = view.nodes > 0 && view.pods_running >= view.nodes ? JobState::starting : JobState::pending;
  }
  view.restarts = budget_of(job);
  view.log_finding = finding_of(job, events);
  view.latest_fault = fault_of(job);
  view.created_at = some(kube::text_at(job, {"metadata", "creationTimestamp"}));
  view.started_at = started_at(job, pods);
  view.ended_at = ended_at(job);
  explain(job, pods, view);
  if (view.pods.size() > k_most_pods_shown) view.pods.resize(k_most_pods_shown);
  return view;
}

JobSummary job_summary(const json::object& job) {
  JobSummary summary{.name = bounded(kube::text_at(job, {"metadata", "name"})),
                     .space = bounded(kube::text_at(job, {"metadata", "namespace"})),
                     .state = state_of(job),
                     .owner = owner_of(job),
                     .nodes = nodes_of(job),
                     .gpus = nodes_of(job) * gpus_of(job),
                     .instance_type = instance_type_of(job),
                     .restarts = restarts_of(job),
                     .created_at = some(kube::text_at(job, {"metadata", "creationTimestamp"})),
                     .ended_at = ended_at(job)};
  if (summary.state == JobState::failed || summary.state == JobState::suspended) {
    const auto* condition = newest(conditions_of(job), [](JobState) { return true; });
    if (condition) summary.reason = some(words_of(*condition));
  }
  return summary;
}

bool has_run(const json::object& job, const std::vector<json::object>& pods) {
  if (restarts_of(job) > 0) return true;
  const auto ran = [](const json::value& condition) {
    return state_of(text_in(condition, "type")) == JobState::running;
  };
  if (std::ranges::any_of(conditions_of(job), ran)) return true;
  return std::ranges::any_of(pods, [](const json::object& pod) {
    return std::ranges::any_of(
        kube::array_at(pod, {"status", "containerStatuses"}), [](const json::value& status) {
          const auto& state = kube::object_at(kube::as_object(status), {"state"});
          return state.contains("running") || state.contains("terminated") ||
                 kube::integer_at(kube::as_object(status), {"restartCount"}).value_or(0) > 0;
        });
  });
}

std::vector<std::string> pending_in_words(const std::vector<json::object>& pods, std::int64_t wanted) {
  std::map<std::string, std::int64_t> counts;
  for (const auto& pod : pods) {
    if (pod_state_of(pod) != JobPodState::pending) continue;
    ++counts[reason_of(pod, JobPodState::pending).value_or("not scheduled yet")];
  }
  std::vector<std::pair<std::string, std::int64_t>> sorted(counts.begin(), counts.end());
  std::ranges::sort(
      sorted, {}, [](const auto& entry) { return std::pair(-entry.second, std::string_view(entry.first)); });
  std::vector<std::string> words;
  for (const auto& [reason, count] : sorted) {
    words.push_back(fmt::format("{} {} pending: {}", count, count == 1 ? "pod" : "pods", reason));
  }
  const auto missing = wanted - std::ssize(pods);
  if (missing > 0) {
    words.push_back(fmt::format("{} {} not made yet by the training operator.", missing,
                                missing == 1 ? "pod is" : "pods are"));
  }
  return words;
}

}  // namespace instantstart::capabilities
