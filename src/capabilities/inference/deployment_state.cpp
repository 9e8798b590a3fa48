#include "capabilities/inference/deployment_state.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>

#include "base/text.h"
#include "capabilities/inference/deployment_objects.h"
#include "kube/json_access.h"

namespace instantstart::capabilities {
namespace {

constexpr std::size_t k_longest_words = 600;
constexpr std::size_t k_longest_last_words = 16'000;
constexpr std::size_t k_most_pods_shown = 50;

struct KnownCause {
  std::string_view mark;
  std::string_view advice;
};

/// Texts of vLLM 0.33, of CUDA, and of the Hub's client.
constexpr std::array k_causes{
    KnownCause{"must be divisible by tensor parallel size",
               "the model's attention heads can't be shared by so many GPUs: choose another tensor_parallel"},
    KnownCause{"No available memory for the cache blocks",
               "the weights fill the GPU memory: use more GPUs a replica, or --gpu-memory-utilization"},
    KnownCause{"To serve at least one request with the model",
               "there is no room for a prompt of the full length: lower max_model_len"},
    KnownCause{"is less than desired GPU memory utilization", "another process uses the GPU's memory"},
    KnownCause{"CUDA out of memory", "the GPU memory is too small: use more GPUs a replica"},
    KnownCause{"GatedRepoError",
               "the model is gated: accept its licence, and give hf_token_secret a token of that account"},
    KnownCause{"Cannot access gated repo",
               "the model is gated: accept its licence, and give hf_token_secret a token of that account"},
    KnownCause{"RepositoryNotFoundError",
               "the Hub has no such model, or shows it to nobody without a token: hf_token_secret"},
    KnownCause{"is not a local folder and is not a valid model identifier",
               "the Hub has no such model, or shows it to nobody without a token: hf_token_secret"},
    KnownCause{"unrecognized arguments", "the server does not know one of the arguments"},
    KnownCause{"No space left on device", "the disk of the node is full"},
};

std::string bounded(std::string_view text, std::size_t most = k_longest_words) {
  return shortened(trim(without_controls(text)), most);
}

/// What others end with a full stop goes into sentences of ours.
std::string without_stop(std::string text) {
  while (text.ends_with('.')) text.pop_back();
  return text;
}

const json::object& own_container(const json::object& pod) {
  static const json::object k_none;
  for (const auto& status : kube::array_at(pod, {"status", "containerStatuses"})) {
    const auto& container = kube::as_object(status);
    if (kube::text_at(container, {"name"}) == k_model_container) return container;
  }
  return k_none;
}

void read_run(const json::object& run, PodSeen& seen) {
  if (const auto code = kube::integer_at(run, {"exitCode"})) seen.exit_code = static_cast<int>(*code);
  seen.exit_reason = bounded(kube::text_at(run, {"reason"}));
  seen.last_words = bounded(kube::text_at(run, {"message"}), k_longest_last_words);
}

bool is_newest(const RolloutSeen& rollout, const PodSeen& pod) {
  return !pod.going && (rollout.newest_hash.empty() || pod.hash == rollout.newest_hash);
}

std::string last_line(std::string_view text) {
  std::string_view last;
  for (const auto line : split(text, '\n')) {
    if (!trim(line).empty()) last = trim(line);
  }
  return std::string(last);
}

/// "exit code 1", "OOMKilled"
std::string how_it_ended(const PodSeen& pod) {
  if (pod.exit_reason == "OOMKilled") return "it ran out of memory";
  return pod.exit_code ? fmt::format("exit code {}", *pod.exit_code) : std::string("no exit code is known");
}

/// It ended, and is not started again yet.
bool is_down(const PodSeen& pod) { return pod.ended || pod.waiting_reason == "CrashLoopBackOff"; }

std::int64_t crashes_of(const PodSeen& pod) { return pod.restarts + (is_down(pod) ? 1 : 0); }

std::string crash_in_words(const PodSeen& pod) {
  const auto crashes = crashes_of(pod);
  std::string words = crashes == 1 ? fmt::format("its server ended with {}", how_it_ended(pod))
                                   : fmt::format("its server ended {} times, the last time with {}", crashes,
                                                 how_it_ended(pod));
  if (const auto cause = cause_of(pod.last_words); !cause.empty()) return fmt::format("{}: {}", words, cause);
  if (const auto line = last_line(pod.last_words); !line.empty()) {
    return fmt::format("{}: \"{}\"", words, shortened(line, k_longest_words));
  }
  return words;
}

bool is_image_reason(std::string_view reason) {
  return reason == "ErrImagePull" || reason == "ImagePullBackOff" || reason == "InvalidImageName" ||
         reason == "ErrImageNeverPull" || reason == "ImageInspectError";
}

/// Registries and container runtimes say so when no later pull can do better.
bool is_final_pull(const PodSeen& pod) {
  if (pod.waiting_reason == "InvalidImageName" || pod.waiting_reason == "ErrImageNeverPull") return true;
  constexpr std::array<std::string_view, 6> k_final{"not found",    "manifest unknown", "does not exist",
                                                    "unauthorized", "no basic auth",    "denied"};
  const std::string message = to_lower(pod.waiting_message);
  return std::ranges::any_of(k_final, [&](auto mark) { return message.contains(mark); });
}

struct PodTrouble {
  std::string words;
  bool certain = false;
};

std::optional<PodTrouble> trouble_of(const PodSeen& pod) {
  if (is_down(pod) && crashes_of(pod) >= k_most_crashes) return PodTrouble{crash_in_words(pod), true};
  if (is_image_reason(pod.waiting_reason)) {
    return PodTrouble{fmt::format("its image can't be pulled: {}",
                                  pod.waiting_message.empty() ? pod.waiting_reason : pod.waiting_message),
                      is_final_pull(pod)};
  }
  if (pod.waiting_reason == "CreateContainerConfigError" || pod.waiting_reason == "CreateContainerError" ||
      pod.waiting_reason == "RunContainerError") {
    return PodTrouble{fmt::format("its container can't be made: {}", pod.waiting_message), false};
  }
  return std::nullopt;
}

}  // namespace

Type describe(PodSeen*) {
  return object_type<PodSeen>(
      "PodSeen", "A pod as it is.",
      {field<&PodSeen::name>("name", "Its name."), field<&PodSeen::uid>("uid", "Which one of that name."),
       field<&PodSeen::hash>("hash", "Of its template."), field<&PodSeen::node>("node", "Its node."),
       field<&PodSeen::phase>("phase", "Kubernetes's word."), field<&PodSeen::ready>("ready", "It answers."),
       field<&PodSeen::going>("going", "It is being deleted."),
       field<&PodSeen::restarts>("restarts", "Of its container."),
       field<&PodSeen::unschedulable>("unschedulable", "Why no node takes it."),
       field<&PodSeen::waiting_reason>("waiting_reason", "Why its container does not run."),
       field<&PodSeen::waiting_message>("waiting_message", "The same, longer."),
       field<&PodSeen::ended>("ended", "Its container has ended and was not started again yet."),
       field<&PodSeen::exit_code>("exit_code", "Of the last run that ended."),
       field<&PodSeen::exit_reason>("exit_reason", "Of that run."),
       field<&PodSeen::last_words>("last_words", "Of that run.")});
}

Type describe(RolloutSeen*) {
  return object_type<RolloutSeen>(
      "RolloutSeen", "How far a Deployment is.",
      {field<&RolloutSeen::current>("current", "Its controller has seen it."),
       field<&RolloutSeen::wanted>("wanted", "Replicas."),
       field<&RolloutSeen::total>("total", "Pods there are."),
       field<&RolloutSeen::updated>("updated", "Of the newest template."),
       field<&RolloutSeen::available>("available", "That answer."),
       field<&RolloutSeen::replica_failure>("replica_failure", "Why no pods are made."),
       field<&RolloutSeen::newest_hash>("newest_hash", "Of the newest template."),
       field<&RolloutSeen::pods>("pods", "Its pods.")});
}

Type describe(DeploymentSeen*) {
  return object_type<DeploymentSeen>("DeploymentSeen", "A deployment as it is.",
                                     {field<&DeploymentSeen::objects>("objects", "Deployment and Service."),
                                      field<&DeploymentSeen::rollout>("rollout", "How far it is.")});
}

PodSeen pod_seen_of(const json::object& pod) {
  const kube::ObjectView view(pod);
  const auto& container = own_container(pod);
  PodSeen seen{
      .name = bounded(view.name()),
      .uid = bounded(view.uid()),
      .hash = bounded(view.label("pod-template-hash").value_or("")),
      .node = bounded(kube::text_at(pod, {"spec", "nodeName"})),
      .phase = bounded(kube::text_at(pod, {"status", "phase"})),
      .ready = kube::flag_at(container, {"ready"}),
      .going = view.being_deleted(),
      .restarts = kube::integer_at(container, {"restartCount"}).value_or(0),
      .waiting_reason = bounded(kube::text_at(container, {"state", "waiting", "reason"})),
      .waiting_message = without_stop(bounded(kube::text_at(container, {"state", "waiting", "message"})))};
  if (const auto scheduled = view.condition("PodScheduled"); scheduled && scheduled->status == "False") {
    seen.unschedulable =
        without_stop(bounded(scheduled->message.empty() ? scheduled->reason : scheduled->message));
  }
  const auto& now = kube::object_at(container, {"state", "terminated"});
  seen.ended = !now.empty();
  read_run(seen.ended ? now : kube::object_at(container, {"lastState", "terminated"}), seen);
  return seen;
}

RolloutSeen rollout_seen_of(const json::object& deployment) {
  const auto number = [&](kube::JsonPath path) { return kube::integer_at(deployment, path).value_or(0); };
  RolloutSeen seen{.current = number({"status", "observedGeneration"}) >= number({"metadata", "generation"}),
                   .wanted = kube::integer_at(deployment, {"spec", "replicas"}).value_or(1),
                   .total = number({"status", "replicas"}),
                   .updated = number({"status", "updatedReplicas"}),
                   .available = number({"status", "availableReplicas"})};
  const auto failure = kube::ObjectView(deployment).condition("ReplicaFailure");
  if (failure && failure->is_true()) seen.replica_failure = without_stop(bounded(failure->message));
  return seen;
}

bool is_complete(const RolloutSeen& rollout) {
  return rollout.current && rollout.updated == rollout.wanted && rollout.available == rollout.wanted &&
         rollout.total == rollout.wanted;
}

std::optional<Trouble> trouble_of(const RolloutSeen& rollout) {
  // Until its controller has seen an update, the pods that are there are of what was before it.
  if (!rollout.current || is_complete(rollout)) return std::nullopt;
  std::optional<Trouble> found;
  for (const auto& pod : rollout.pods) {
    if (!is_newest(rollout, pod)) continue;
    const auto trouble = trouble_of(pod);
    if (!trouble) continue;
    if (!found) found.emplace();
    if (found->pods.empty() || (trouble->certain && !found->certain)) {
      found->reason = fmt::format("{}: {}", pod.name, trouble->words);
      found->certain = trouble->certain;
    }
    found->pods.push_back(pod);
  }
  if (!found && !rollout.replica_failure.empty()) {
    return Trouble{
        .reason = "Kubernetes makes no pods: " + rollout.replica_failure, .certain = false, .pods = {}};
  }
  return found;
}

std::string words_of(const PodSeen& pod) {
  if (pod.going) return "is ending";
  if (pod.ready) return "answers";
  if (!pod.unschedulable.empty()) return fmt::format("waits for a node: {}", pod.unschedulable);
  if (const auto trouble = trouble_of(pod)) return trouble->words;
  if (pod.phase == "Failed") return "has failed";
  if (is_down(pod)) return crash_in_words(pod);
  if (pod.node.empty()) return "waits for a node";
  if (!pod.waiting_reason.empty() || pod.phase == "Pending") return "pulls its image or mounts its volumes";
  return "loads the model";
}

std::string progress_of(const RolloutSeen& rollout) {
  std::string words = fmt::format("{} of {} replicas ready", rollout.available, rollout.wanted);
  for (const auto& pod : rollout.pods) {
    if (!is_newest(rollout, pod) || pod.ready) continue;
    return fmt::format("{}; {}: {}", words, pod.name, words_of(pod));
  }
  if (!rollout.replica_failure.empty()) return fmt::format("{}; {}", words, rollout.replica_failure);
  if (rollout.total > rollout.updated) words += "; older pods are ending";
  return words;
}

std::string cause_of(std::string_view last_words) {
  for (const auto& cause : k_causes) {
    if (last_words.contains(cause.mark)) return std::string(cause.advice);
  }
  return {};
}

std::vector<DeploymentPodView> pod_views(const RolloutSeen& rollout) {
  std::vector<DeploymentPodView> views;
  for (const auto& pod : rollout.pods) {
    if (views.size() == k_most_pods_shown) break;
    DeploymentPodView view{
        .name = pod.name, .ready = pod.ready && !pod.going, .restarts = pod.restarts, .says = words_of(pod)};
    if (!pod.node.empty()) view.node = pod.node;
    views.push_back(std::move(view));
  }
  return views;
}

}  // namespace instantstart::capabilities
