#include "capabilities/training/training.h"

#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "base/json.h"
#include "base/untrusted_pattern.h"

namespace instantstart::capabilities {
namespace {

constexpr std::string_view k_space_doc = "The Kubernetes namespace of the job.";
/// A month; the agent holds these numbers as seconds.
constexpr double k_most_seconds = 31 * 86'400;

FieldProblem problem(std::string pointer, std::string rule, std::string message,
                     json::value value = nullptr) {
  return {.pointer = std::move(pointer),
          .rule = std::move(rule),
          .message = std::move(message),
          .value = value.is_null() ? "" : to_text(value),
          .nearest = std::nullopt};
}

std::optional<std::string> no_path(std::string_view path) {
  if (path.contains("//") || path.contains("/../") || path.ends_with("/..") || path.ends_with('/')) {
    return "must be the absolute path of a file in its shortest form";
  }
  return std::nullopt;
}

std::optional<std::string> no_argument(std::string_view text) {
  if (text.contains('\0')) return "must not contain a NUL";
  return std::nullopt;
}

void check_pattern(const std::string& text, std::string_view member, bool groups_allowed,
                   std::vector<FieldProblem>& problems) {
  const auto pattern = UntrustedPattern::compile(text);
  const std::string pointer = fmt::format("/{}", member);
  const json::value value{json::string(text)};
  if (!pattern) {
    problems.push_back(
        problem(pointer, "pattern", "is no regular expression: " + pattern.error().message, value));
  } else if (pattern->groups() > (groups_allowed ? 1 : 0)) {
    problems.push_back(problem(
        pointer, "pattern",
        groups_allowed ? "must have at most one capture group" : "must have no capture group; write (?:…)",
        value));
  }
}

/// What the agent would drop with a line in its own log only is refused here.
void check_rule(const LogRule& rule, std::vector<FieldProblem>& problems) {
  check_pattern(rule.pattern, "pattern", true, problems);
  if (rule.stop_pattern) check_pattern(*rule.stop_pattern, "stop_pattern", false, problems);
  if (rule.condition.has_value() != rule.threshold.has_value()) {
    problems.push_back(problem(rule.condition ? "/threshold" : "/condition", "required",
                               "is needed: a condition compares with a threshold"));
  } else if (rule.condition) {
    const auto pattern = UntrustedPattern::compile(rule.pattern);
    if (pattern && pattern->groups() == 0) {
      problems.push_back(problem("/pattern", "pattern",
                                 "must have a capture group: its number is compared with the threshold",
                                 json::string(rule.pattern)));
    }
  } else if (rule.data_points) {
    problems.push_back(problem("/data_points", "value", "belongs to a condition"));
  }
  if (!rule.condition && !rule.expected_start_seconds && !rule.expected_recurring_seconds) {
    problems.push_back(
        problem("", "required",
                "must expect something: expected_start_seconds, expected_recurring_seconds or a "
                "condition with its threshold"));
  }
}

bool is_env_name(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && name.size() <= 256 && letter(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

void check_submit(const TrainingSubmit& request, std::vector<FieldProblem>& problems) {
  for (const auto& [name, value] : request.env) {
    const std::string pointer = join_pointer("/env", name);
    if (!is_env_name(name)) {
      problems.push_back(problem(pointer, "pattern", "must be a name of letters, digits and underscores"));
    }
    if (value.size() > 32'768) problems.push_back(problem(pointer, "max_length", "must be shorter"));
    if (value.contains('\0')) problems.push_back(problem(pointer, "value", "must not contain a NUL"));
  }
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < request.log_monitoring.size(); ++i) {
    const auto& name = request.log_monitoring[i].name;
    if (names.insert(name).second) continue;
    problems.push_back(problem(fmt::format("/log_monitoring/{}/name", i), "value",
                               "must differ from the names of the other rules", json::string(name)));
  }
}

}  // namespace

Type describe(JobName*) {
  return text_type<JobName>("JobName", "The name of a training job.",
                            {.min = 1, .max = 57, .pattern = Pattern("^[a-z]([a-z0-9-]*[a-z0-9])?$")},
                            {"llama-sft"});
}

Type describe(ImageName*) {
  return text_type<ImageName>(
      "ImageName",
      "A container image that holds hyperpodrun (the package hyperpod-elastic-agent) and PyTorch.",
      {.min = 1, .max = 500, .pattern = Pattern("^[a-zA-Z0-9][a-zA-Z0-9._/:@-]*[a-zA-Z0-9]$")},
      {"763104351884.dkr.ecr.us-west-2.amazonaws.com/pytorch-training:2.7.1"});
}

Type describe(ScriptPath*) {
  return text_type<ScriptPath>(
      "ScriptPath", "An absolute path in the container.",
      {.min = 2, .max = 500, .pattern = Pattern("^/[^\\x00-\\x1f\\x7f]+$"), .check = no_path},
      {"/data/train.py"});
}

Type describe(ScriptArgument*) {
  return text_type<ScriptArgument>("ScriptArgument", "One argument, as it is: no shell looks at it.",
                                   {.max = 8'192, .check = no_argument}, {"--epochs=3"});
}

Type describe(ResourceAmount*) {
  return text_type<ResourceAmount>(
      "ResourceAmount", "An amount as Kubernetes writes it: cores (\"8\", \"500m\") or bytes (\"64Gi\").",
      {.min = 1, .max = 30, .pattern = Pattern("^[0-9]+([.][0-9]+)?(m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?$")},
      {"64Gi"});
}

Type describe(LogCondition*) {
  return enum_type<LogCondition>("LogCondition", "How a number compares with the threshold when it is bad.",
                                 {{LogCondition::gt, {"gt", "It is greater."}},
                                  {LogCondition::lt, {"lt", "It is less."}},
                                  {LogCondition::eq, {"eq", "It is equal."}},
                                  {LogCondition::gteq, {"gteq", "It is greater or equal."}},
                                  {LogCondition::lteq, {"lteq", "It is less or equal."}}});
}

Type describe(LogRule*) {
  const Rule span{.min = 1, .max = k_most_seconds};
  return object_type<LogRule>(
      "LogRule",
      "What is expected in the standard output of local rank 0 of each pod; else the operator restarts the "
      "ranks, which counts against the budget.",
      {field<&LogRule::name>(
           "name", "The name; a hang is told as LogHang_<name>.",
           {.rule = {.min = 1, .max = 63, .pattern = Pattern("^[A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?$")}}),
       field<&LogRule::pattern>("pattern",
                                "A regular expression that lines begin with (begin it with .* to find it "
                                "anywhere), with at most one capture group, whose number is compared.",
                                {.rule = {.min = 1, .max = 1'000}}),
       field<&LogRule::stop_pattern>("stop_pattern", "A line with this ends the rule.",
                                     {.rule = {.min = 1, .max = 1'000}}),
       field<&LogRule::expected_start_seconds>("expected_start_seconds",
                                               "A first line must come within this time.", {.rule = span}),
       field<&LogRule::expected_recurring_seconds>(
           "expected_recurring_seconds",
           "Between two lines; more than an evaluation with its checkpoint takes.", {.rule = span}),
       field<&LogRule::condition>("condition", "The bad case."),
       field<&LogRule::threshold>("threshold", "A whole number.",
                                  {.rule = {.min = -2147483648.0, .max = 2147483647.0}}),
       field<&LogRule::data_points>("data_points", "So many bad lines in a row count; 1 when left out.",
                                    {.rule = {.min = 1, .max = 10'000}})},
      check_rule);
}

Type describe(RestartPolicy*) {
  return object_type<RestartPolicy>(
      "RestartPolicy", "Limits of restarts within windows of time.",
      {field<&RestartPolicy::window_seconds>("window_seconds", "The length of a window.",
                                             {.defaulted = true, .rule = {.min = 1, .max = k_most_seconds}}),
       field<&RestartPolicy::restarts_before_full>(
           "restarts_before_full", "So many restarts of ranks, and the next one is of the whole job.",
           {.rule = {.min = 0, .max = 10'000}}),
       field<&RestartPolicy::max_full_restarts>("max_full_restarts",
                                                "So many restarts of the whole job, and then it fails.",
                                                {.rule = {.min = 0, .max = 10'000}})});
}

Type describe(TrainingSubmit*) {
  using Submit = TrainingSubmit;
  return object_type<Submit>(
      "TrainingSubmit", "A PyTorch script as a job on the nodes of one instance type.",
      {field<&Submit::cluster>("cluster", "The cluster."), field<&Submit::name>("name", "What it is called."),
       field<&Submit::space>("namespace", k_space_doc, {.defaulted = true}),
       field<&Submit::image>("image", "The container image of the pods."),
       field<&Submit::script>("script",
                              "The Python script, by its path in the pods: what was copied to the "
                              "shared bucket is below /data."),
       field<&Submit::arguments>("script_arguments", "Arguments of the script, one an element.",
                                 {.defaulted = true, .rule = {.max = 500}}),
       field<&Submit::nodes>("nodes", "Pods, one a node.",
                             {.defaulted = true, .rule = {.min = 1, .max = 1'000}}),
       field<&Submit::gpus_per_node>("gpus_per_node",
                                     "GPUs and processes of each pod; all that the type has when left out.",
                                     {.rule = {.min = 0, .max = 128}}),
       field<&Submit::instance_type>("instance_type",
                                     "Of the nodes; that of the first group with GPUs when left out."),
       field<&Submit::env>("env",
                           "Environment variables. They stand in the job for everybody to read who may read "
                           "it: nothing secret.",
                           {.defaulted = true, .rule = {.max = 500}}),
       field<&Submit::cpu>("cpu", "Cores of each pod, reserved."),
       field<&Submit::memory>("memory",
                              "Memory of each pod, reserved and not exceeded; /dev/shm counts too."),
       field<&Submit::max_restarts>("max_restarts",
                                    "The budget: how often ranks may be restarted before the job fails.",
                                    {.defaulted = true, .rule = {.min = 0, .max = 10'000}}),
       field<&Submit::restart_policy>("restart_policy", "Limits within windows of time besides."),
       field<&Submit::log_monitoring>("log_monitoring", "Rules that find hangs and slow runs in the output.",
                                      {.defaulted = true, .rule = {.max = 20}})},
      check_submit);
}

Type describe(JobList*) {
  return object_type<JobList>("JobList", "Whose jobs.",
                              {field<&JobList::cluster>("cluster", "The cluster."),
                               field<&JobList::space>("namespace", "Only those in this namespace.")});
}

Type describe(JobGet*) {
  return object_type<JobGet>(
      "JobGet", "Which job.",
      {field<&JobGet::cluster>("cluster", "The cluster."), field<&JobGet::name>("name", "The job."),
       field<&JobGet::space>("namespace", k_space_doc, {.defaulted = true})});
}

Type describe(JobDelete*) {
  return object_type<JobDelete>(
      "JobDelete", "Which job shall go.",
      {field<&JobDelete::cluster>("cluster", "The cluster."), field<&JobDelete::name>("name", "The job."),
       field<&JobDelete::space>("namespace", k_space_doc, {.defaulted = true}),
       field<&JobDelete::foreign>("foreign", "Also a job that was not submitted here.",
                                  {.defaulted = true})});
}

Type describe(JobState*) {
  return enum_type<JobState>(
      "JobState", "How a job is.",
      {{JobState::pending, {"pending", "Some of its pods are not there or not started."}},
       {JobState::starting, {"starting", "Its pods run, its ranks don't yet."}},
       {JobState::running, {"running", "It trains."}},
       {JobState::restarting, {"restarting", "A rank failed; the operator brings the ranks back."}},
       {JobState::succeeded, {"succeeded", "It ended well."}},
       {JobState::failed, {"failed", "It ended badly; the reasons say why."}},
       {JobState::suspended, {"suspended", "It is held back by a queue or a person."}},
       {JobState::stopping, {"stopping", "It is being deleted."}}});
}

Type describe(JobPodState*) {
  return enum_type<JobPodState>("JobPodState", "How a pod is.",
                                {{JobPodState::pending, {"pending", "Not started."}},
                                 {JobPodState::running, {"running", "Started."}},
                                 {JobPodState::succeeded, {"succeeded", "Ended well."}},
                                 {JobPodState::failed, {"failed", "Ended badly."}},
                                 {JobPodState::unknown, {"unknown", "Its node doesn't answer."}}});
}

Type describe(JobPodView*) {
  using View = JobPodView;
  return object_type<View>(
      "JobPodView", "One pod of a job.",
      {field<&View::name>("name", "Its name."),
       field<&View::node_rank>("node_rank", "Its number among the job's pods."),
       field<&View::state>("state", "How it is."), field<&View::node>("node", "Where it runs."),
       field<&View::container_restarts>("container_restarts", "How often its container started anew."),
       field<&View::reason>("reason", "Why it is not running.")});
}

Type describe(RestartBudget*) {
  using Budget = RestartBudget;
  return object_type<Budget>(
      "RestartBudget", "How often a job may be restarted, and how often it was.",
      {field<&Budget::limit>("limit", "Restarts that it may have; absent where the job sets none."),
       field<&Budget::used>("used", "Restarts that it had."),
       field<&Budget::left>("left", "What is left of them; when it is 0 the next failure ends the job."),
       field<&Budget::window_seconds>("window_seconds", "The length of a window."),
       field<&Budget::window_limit>("window_limit", "Restarts in a window before one of the whole job."),
       field<&Budget::window_used>("window_used", "Restarts in this window."),
       field<&Budget::full_limit>("full_limit", "Restarts of the whole job that it may have."),
       field<&Budget::full_used>("full_used", "Restarts of the whole job that it had.")});
}

Type describe(FaultView*) {
  return object_type<FaultView>(
      "FaultView", "What failed last.",
      {field<&FaultView::restart_type>("restart_type", "How the operator brought it back."),
       field<&FaultView::ranks>("ranks", "Ranks that failed."),
       field<&FaultView::pods>("pods", "Their pods."),
       field<&FaultView::instances>("instances", "Their instances.")});
}

Type describe(LogFinding*) {
  return object_type<LogFinding>(
      "LogFinding", "What a rule of log_monitoring found.",
      {field<&LogFinding::kind>("kind", "hang (nothing was printed), slow or fault."),
       field<&LogFinding::rule>("rule", "The rule's name.")});
}

Type describe(JobSummary*) {
  using Summary = JobSummary;
  return object_type<Summary>(
      "JobSummary", "A job in a list.",
      {field<&Summary::name>("name", "Its name."), field<&Summary::space>("namespace", "Its namespace."),
       field<&Summary::state>("state", "How it is, as the operator says."),
       field<&Summary::owner>("owner", "Who made it: instantstart or other."),
       field<&Summary::nodes>("nodes", "Its pods."), field<&Summary::gpus>("gpus", "GPUs of all of them."),
       field<&Summary::instance_type>("instance_type", "Of its nodes."),
       field<&Summary::restarts>("restarts", "Restarts that it had."),
       field<&Summary::reason>("reason", "Why it failed or is held back."),
       field<&Summary::created_at>("created_at", "When it was made."),
       field<&Summary::ended_at>("ended_at", "When it ended.")});
}

Type describe(JobListAnswer*) {
  return object_type<JobListAnswer>(
      "JobListAnswer", "The training jobs of a cluster, by namespace and name.",
      {field<&JobListAnswer::cluster>("cluster", "The cluster, by key."),
       field<&JobListAnswer::jobs>("jobs", "Jobs of this page."),
       field<&JobListAnswer::next_cursor>("next_cursor", "For the next page; absent at the end.")});
}

Type describe(JobView*) {
  return object_type<JobView>(
      "JobView", "A training job.",
      {field<&JobView::name>("name", "Its name."),
       field<&JobView::space>("namespace", "Its namespace."),
       field<&JobView::state>("state", "How it is."),
       field<&JobView::reasons>("reasons", "Why it is not running, in words."),
       field<&JobView::owner>("owner", "Who made it: instantstart or other."),
       field<&JobView::operation_id>("operation_id", "The operation that submitted it."),
       field<&JobView::nodes>("nodes", "Its pods, one a node."),
       field<&JobView::gpus_per_node>("gpus_per_node", "GPUs of each."),
       field<&JobView::instance_type>("instance_type", "Of its nodes."),
       field<&JobView::image>("image", "The image of its pods."),
       field<&JobView::command>("command", "What each pod runs, as an argv."),
       field<&JobView::pods>("pods", "Its pods, by rank."),
       field<&JobView::pods_running>("pods_running", "How many of them run."),
       field<&JobView::restarts>("restarts", "The budget of restarts."),
       field<&JobView::failure>("failure", "Why it failed."),
       field<&JobView::log_finding>("log_finding", "What log_monitoring found last."),
       field<&JobView::latest_fault>("latest_fault", "What failed last."),
       field<&JobView::progress>("progress", "How far it is, as its output says."),
       field<&JobView::created_at>("created_at", "When it was made."),
       field<&JobView::started_at>("started_at", "When the first of its pods started."),
       field<&JobView::ended_at>("ended_at", "When it ended.")});
}

Type describe(JobGetAnswer*) {
  return object_type<JobGetAnswer>("JobGetAnswer", "One job, and what to do next.",
                                   {field<&JobGetAnswer::cluster>("cluster", "The cluster, by key."),
                                    field<&JobGetAnswer::job>("job", "The job."),
                                    field<&JobGetAnswer::next>("next", "Calls that are of use now.")});
}

}  // namespace instantstart::capabilities
