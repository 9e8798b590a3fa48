#include "sandbox/kubernetes/cluster/jobs.h"

#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/cluster/workload.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::string_view k_component = "job-controller";
constexpr std::string_view k_index = "batch.kubernetes.io/job-completion-index";
constexpr std::string_view k_deadline = "deadline";
constexpr std::string_view k_expiry = "ttl";
constexpr std::string_view k_backoff = "backoff";
constexpr seconds k_first_backoff{10};
constexpr seconds k_longest_backoff{600};

const json::object& spec_of(const json::object& job) { return member_object(job, "spec"); }

bool is_indexed(const json::object& job) { return member_text(spec_of(job), "completionMode") == "Indexed"; }

bool is_finished(const json::object& job) {
  return is_condition_true(job, "Complete") || is_condition_true(job, "Failed");
}

/// -1: a queue of work, done when one succeeds and all have ended.
std::int64_t completions_of(const json::object& job) { return number_at(spec_of(job), "completions", -1); }

std::int64_t parallelism_of(const json::object& job) { return number_at(spec_of(job), "parallelism", 1); }

std::int64_t index_of(const json::object& pod) {
  const auto text = annotation_of(pod, k_index);
  std::int64_t index = -1;
  std::from_chars(text.data(), text.data() + text.size(), index);
  return index;
}

/// "0-2,5"
std::string ranges_of(std::vector<std::int64_t> indexes) {
  std::ranges::sort(indexes);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < indexes.size();) {
    std::size_t last = i;
    while (last + 1 < indexes.size() && indexes[last + 1] == indexes[last] + 1) ++last;
    parts.push_back(last == i ? std::to_string(indexes[i])
                              : fmt::format("{}{}{}", indexes[i], last == i + 1 ? "," : "-", indexes[last]));
    i = last + 1;
  }
  return join(parts, ",");
}

/// 10 s, doubled with each failure.
milliseconds backoff_after(std::int64_t failed) {
  if (failed <= 0) return milliseconds::zero();
  return std::min<milliseconds>(k_longest_backoff,
                                k_first_backoff * (1LL << std::min<std::int64_t>(failed - 1, 6)));
}

/// When the last of its containers ended, "" when none has.
std::string end_of(const json::object& pod) {
  std::string last;
  for (const auto& value : member_array(member_object(pod, "status"), "containerStatuses")) {
    if (!value.is_object()) continue;
    const auto end =
        member_text(member_object(member_object(value.get_object(), "state"), "terminated"), "finishedAt");
    last = std::max(last, std::string(end));
  }
  return last;
}

json::object status_of(const json::object& job) { return member_object(job, "status"); }

/// The environment variable that indexed pods get.
void name_index(json::object& spec) {
  for (const auto list : {"initContainers", "containers"}) {
    auto* containers = spec.if_contains(list);
    if (!containers || !containers->is_array()) continue;
    for (auto& value : containers->get_array()) {
      if (!value.is_object()) continue;
      json::value& env = value.get_object()["env"];
      if (!env.is_array()) env.emplace_array();
      env.get_array().emplace_back(json::object{
          {"name", "JOB_COMPLETION_INDEX"},
          {"valueFrom",
           json::object{
               {"fieldRef", json::object{{"apiVersion", "v1"},
                                         {"fieldPath", fmt::format("metadata.labels['{}']", k_index)}}}}}});
    }
  }
}

}  // namespace

void Jobs::notice(const Change& change) {
  if (change.key.group == "batch" && change.key.resource == "jobs") mark(change.key);
  if (change.key.group.empty() && change.key.resource == "pods")
    mark_controller(change, "Job", "batch", "jobs");
}

void Jobs::due(const ObjectKey& key, std::string_view purpose) {
  if (purpose == k_expiry) return expire(key);
  const json::object* job = access().find(key);
  if (purpose == k_deadline && job && !is_finished(*job) && !is_true_at(spec_of(*job), "suspend")) {
    const json::object copy = *job;
    return finish(key, copy, status_of(copy), false, "DeadlineExceeded",
                  "Job was active longer than specified deadline");
  }
  mark(key);
}

Jobs::Count Jobs::count(const ObjectKey& key, const json::object& job) {
  Count now;
  for (const auto* pod : owned_objects(store(), key, uid_of(job), "", "pods")) {
    const auto phase = phase_of(*pod);
    for (const auto& value : member_array(member_object(*pod, "status"), "containerStatuses")) {
      if (value.is_object()) now.restarts += number_at(value.get_object(), "restartCount");
    }
    if (phase == "Succeeded") {
      ++now.succeeded;
      now.succeeded_indexes.push_back(index_of(*pod));
    } else if (phase == "Failed" || is_deleting(*pod)) {
      // One that is being deleted counts as failed when it is gone; it is not active any more.
      now.failed += phase == "Failed";
      if (phase == "Failed") now.last_failure = std::max(now.last_failure, end_of(*pod));
      now.ending += phase != "Failed";
    } else {
      now.active.emplace_back(name_of(*pod));
      now.active_indexes.emplace_back(annotation_of(*pod, k_index));
      now.ready += is_ready_pod(*pod);
    }
  }
  std::ranges::sort(now.succeeded_indexes);
  const auto doubles = std::ranges::unique(now.succeeded_indexes);
  now.succeeded_indexes.erase(doubles.begin(), doubles.end());
  if (is_indexed(job)) now.succeeded = std::ssize(now.succeeded_indexes);
  return now;
}

void Jobs::begin(const ObjectKey& key, const json::object& job, json::object& status) {
  if (status.contains("startTime")) return;
  status["startTime"] = access().now_text();
  if (spec_of(job).contains("activeDeadlineSeconds")) {
    later(key, k_deadline, seconds(number_at(spec_of(job), "activeDeadlineSeconds")));
  }
}

void Jobs::sync(const ObjectKey& key) {
  const json::object* found = access().find(key);
  if (!found) return;
  const json::object job = *found;
  if (is_deleting(job) || is_finished(job)) return;
  const json::object& spec = spec_of(job);
  const Count now = count(key, job);
  json::object status = status_of(job);
  // Counts never go down when a pod is removed after its end.
  const std::int64_t succeeded = std::max(now.succeeded, number_at(status, "succeeded"));
  const std::int64_t failed = std::max(now.failed, number_at(status, "failed"));
  const bool suspended = is_true_at(spec, "suspend");
  if (suspended) {
    remove_active(key, job, now, 0);
    set_condition(status, {"Suspended", "True", "JobSuspended", "Job suspended"}, access().now_text(),
                  "lastProbeTime");
    status.erase("startTime");
  } else {
    if (find_condition(job, "Suspended") && is_condition_true(job, "Suspended")) {
      set_condition(status, {"Suspended", "False", "JobResumed", "Job resumed"}, access().now_text(),
                    "lastProbeTime");
    }
    begin(key, job, status);
  }
  const bool never =
      member_text(member_object(member_object(spec, "template"), "spec"), "restartPolicy") == "Never";
  const std::int64_t limit = number_at(spec, "backoffLimit", 6);
  const std::int64_t tries = failed + (never ? 0 : now.restarts);
  const std::int64_t goal = completions_of(job);
  const bool complete = goal >= 0 ? succeeded >= goal : succeeded > 0 && now.active.empty();
  const auto set_count = [&status](std::string_view member, std::int64_t count) {
    if (count > 0) {
      status[member] = count;
    } else {
      status.erase(member);
    }
  };
  set_count("succeeded", succeeded);
  set_count("failed", failed);
  set_count("active", suspended ? 0 : std::ssize(now.active));
  status["ready"] = now.ready;
  status["terminating"] = now.ending;
  status["uncountedTerminatedPods"] = json::object{};
  if (is_indexed(job) && !now.succeeded_indexes.empty()) {
    status["completedIndexes"] = ranges_of(now.succeeded_indexes);
  }
  if (complete)
    return finish(key, job, std::move(status), true, "CompletionsReached",
                  "Reached expected number of succeeded pods");
  // With restarts in place the last try still counts: it is over the limit only when it failed too.
  if (failed > limit || (!never && tries > limit)) {
    return finish(key, job, std::move(status), false, "BackoffLimitExceeded",
                  "Job has reached the specified backoff limit");
  }
  json::object next = job;
  next["status"] = std::move(status);
  if (next != job) std::ignore = objects(key).update_status(std::move(next));
  if (suspended) return;
  const auto wait = backoff_after(failed);
  const auto since = access().since(now.last_failure);
  if (failed > 0 && !now.last_failure.empty() && since < wait) {
    later(key, k_backoff, wait - since);
    return;
  }
  add_pods(key, job, now);
}

void Jobs::add_pods(const ObjectKey& key, const json::object& job, const Count& now) {
  const std::int64_t goal = completions_of(job);
  std::int64_t wanted = parallelism_of(job);
  if (goal >= 0) wanted = std::min(wanted, goal - now.succeeded);
  if (goal < 0 && now.succeeded > 0) wanted = std::ssize(now.active);
  if (std::ssize(now.active) > wanted) return remove_active(key, job, now, static_cast<std::size_t>(wanted));
  std::int64_t missing = wanted - std::ssize(now.active) - now.ending;
  if (!is_indexed(job)) {
    for (; missing > 0; --missing) make_pod(key, job, -1);
    return;
  }
  for (std::int64_t index = 0; index < goal && missing > 0; ++index) {
    const bool done = std::ranges::binary_search(now.succeeded_indexes, index);
    const bool runs =
        std::ranges::find(now.active_indexes, std::to_string(index)) != now.active_indexes.end();
    if (done || runs) continue;
    make_pod(key, job, index);
    --missing;
  }
}

void Jobs::make_pod(const ObjectKey& key, const json::object& job, std::int64_t index) {
  json::object pod = pod_of_template(job, member_object(spec_of(job), "template"));
  metadata_of(pod)["generateName"] = fmt::format("{}-", key.name);
  if (index >= 0) {
    metadata_of(pod)["generateName"] = fmt::format("{}-{}-", key.name, index);
    set_annotation(pod, k_index, std::to_string(index));
    set_label(pod, k_index, std::to_string(index));
    json::object& spec = pod["spec"].get_object();
    if (member_text(spec, "hostname").empty()) spec["hostname"] = fmt::format("{}-{}", key.name, index);
    name_index(spec);
  }
  const auto made = objects(key).create(std::move(pod));
  events().record(key.cluster, job,
                  {.type = made ? "Normal" : "Warning",
                   .reason = made ? "SuccessfulCreate" : "FailedCreate",
                   .message = made ? fmt::format("Created pod: {}", name_of(*made))
                                   : fmt::format("Error creating: {}", made.error().message),
                   .component = k_component});
  if (!made) later(key, "retry", k_first_backoff);
}

void Jobs::remove_active(const ObjectKey& key, const json::object& job, const Count& now, std::size_t keep) {
  for (std::size_t i = keep; i < now.active.size(); ++i) delete_pod(key, job, now.active[i], k_component);
}

void Jobs::finish(const ObjectKey& key, const json::object& job, json::object status, bool success,
                  const std::string& reason, const std::string& message) {
  const Count now = count(key, job);
  remove_active(key, job, now, 0);
  const std::string time = access().now_text();
  status.erase("active");
  status["ready"] = 0;
  // Both come together here: between them a real controller waits for its pods to end.
  set_condition(status, {success ? "SuccessCriteriaMet" : "FailureTarget", "True", reason, message}, time,
                "lastProbeTime");
  set_condition(status, {success ? "Complete" : "Failed", "True", reason, message}, time, "lastProbeTime");
  if (success) status["completionTime"] = time;
  json::object next = job;
  next["status"] = std::move(status);
  std::ignore = objects(key).update_status(std::move(next));
  events().record(key.cluster, job,
                  {.type = success ? "Normal" : "Warning",
                   .reason = success ? "Completed" : reason,
                   .message = success ? "Job completed" : message,
                   .component = k_component});
  if (spec_of(job).contains("ttlSecondsAfterFinished")) {
    later(key, k_expiry, seconds(number_at(spec_of(job), "ttlSecondsAfterFinished")));
  }
}

void Jobs::expire(const ObjectKey& key) {
  const json::object* job = access().find(key);
  if (!job || !is_finished(*job) || is_deleting(*job)) return;
  std::ignore =
      objects(key).remove("batch", "jobs", key.namespace_name, key.name, {.propagation = "Background"});
}

}  // namespace instantstart::sandbox::kubernetes
