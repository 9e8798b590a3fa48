// What is seen of a deployment and its pods, and what is concluded from it: complete, on its way, or in
// trouble, in words. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/describe.h"
#include "base/json.h"
#include "capabilities/dependencies/component_seen.h"
#include "capabilities/inference/inference.h"

namespace instantstart::capabilities {

/// A container that crashed so often is not waited for any more.
inline constexpr std::int64_t k_most_crashes = 3;

struct PodSeen {
  std::string name;
  std::string uid;
  std::string hash;  ///< Of the template that it was made from.
  std::string node;
  std::string phase;
  bool ready = false;
  bool going = false;
  std::int64_t restarts = 0;
  std::string unschedulable;   ///< Why no node takes it.
  std::string waiting_reason;  ///< "ImagePullBackOff"
  std::string waiting_message;
  bool ended = false;            ///< The container's last run has ended, and no new one runs.
  std::optional<int> exit_code;  ///< Of that run.
  std::string exit_reason;       ///< "OOMKilled"
  std::string last_words;        ///< Of that run: its termination message, or the end of its log.
};

struct RolloutSeen {
  bool current = false;      ///< The controller has seen the Deployment as it is now.
  std::int64_t wanted = 0;   ///< Replicas.
  std::int64_t total = 0;    ///< With those of older templates.
  std::int64_t updated = 0;  ///< Of the newest template.
  std::int64_t available = 0;
  std::string replica_failure;  ///< Why no pods are made: a quota, an admission.
  std::string newest_hash;      ///< Empty while it isn't known.
  std::vector<PodSeen> pods;    ///< Of all templates.
};

struct DeploymentSeen {
  std::vector<ObjectSeen> objects;  ///< The Deployment, then the Service.
  RolloutSeen rollout;
};

Type describe(PodSeen*);
Type describe(RolloutSeen*);
Type describe(DeploymentSeen*);

PodSeen pod_seen_of(const json::object& pod);
/// Without pods and hash.
RolloutSeen rollout_seen_of(const json::object& deployment);

/// Every replica of the newest template is available, and no older one is left.
bool is_complete(const RolloutSeen& rollout);

struct Trouble {
  std::string reason;         ///< A sentence without its full stop.
  bool certain = false;       ///< Waiting changes nothing; else it may pass.
  std::vector<PodSeen> pods;  ///< Of the newest template, those in trouble.
};
std::optional<Trouble> trouble_of(const RolloutSeen& rollout);

/// "1 of 2 replicas ready; qwen-5d7 is loading the model"
std::string progress_of(const RolloutSeen& rollout);
/// What a pod does, or why it can't: "is loading the model".
std::string words_of(const PodSeen& pod);

/// What a model server's last lines mean, and what helps; empty when they are not known.
std::string cause_of(std::string_view last_words);

std::vector<DeploymentPodView> pod_views(const RolloutSeen& rollout);

}  // namespace instantstart::capabilities
