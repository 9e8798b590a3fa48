#include "sandbox/kubernetes/cluster/disruption_budgets.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/cluster/workload.h"
#include "sandbox/kubernetes/objects/selectors.h"

namespace instantstart::sandbox::kubernetes {
namespace {

LabelSelector selector_of(const json::object& budget) {
  const auto* given = member_object(budget, "spec").if_contains("selector");
  return LabelSelector::from_object(given ? *given : json::value()).value_or(LabelSelector::nothing());
}

}  // namespace

void DisruptionBudgets::notice(const Change& change) {
  if (change.key.group == "policy" && change.key.resource == "poddisruptionbudgets") mark(change.key);
  if (!change.key.group.empty() || change.key.resource != "pods") return;
  const bool same = change.before && change.kind == ChangeKind::modified &&
                    is_ready_pod(*change.before) == is_ready_pod(*change.object) &&
                    is_active_pod(*change.before) == is_active_pod(*change.object);
  if (same) return;
  for (const auto* budget :
       store().list(change.key.cluster, "policy", "poddisruptionbudgets", change.key.namespace_name)) {
    if (selector_of(budget->body).matches_object(*change.object)) mark(budget->key());
  }
}

void DisruptionBudgets::sync(const ObjectKey& key) {
  const json::object* budget = access().find(key);
  if (!budget) return;
  const auto selector = selector_of(*budget);
  std::int64_t expected = 0;
  std::int64_t healthy = 0;
  for (const auto* pod : store().list(key.cluster, "", "pods", key.namespace_name)) {
    if (!is_active_pod(pod->body) || !selector.matches_object(pod->body)) continue;
    ++expected;
    healthy += is_ready_pod(pod->body);
  }
  const json::object& spec = member_object(*budget, "spec");
  const std::int64_t desired =
      spec.contains("maxUnavailable")
          ? std::max<std::int64_t>(0, expected - scaled_value(spec, "maxUnavailable", expected, true, 0))
          : scaled_value(spec, "minAvailable", expected, true, 1);
  const std::int64_t allowed = expected > 0 ? std::max<std::int64_t>(0, healthy - desired) : 0;
  json::object next = *budget;
  json::value& kept = next["status"];
  if (!kept.is_object()) kept.emplace_object();
  json::object& status = kept.get_object();
  status["observedGeneration"] = number_at(metadata_of(*budget), "generation");
  status["disruptionsAllowed"] = allowed;
  status["currentHealthy"] = healthy;
  status["desiredHealthy"] = desired;
  status["expectedPods"] = expected;
  set_condition(status,
                allowed > 0 ? Condition{"DisruptionAllowed", "True", "SufficientPods"}
                            : Condition{"DisruptionAllowed", "False", "InsufficientPods"},
                access().now_text());
  if (next != *budget) std::ignore = objects(key).update_status(std::move(next));
}

}  // namespace instantstart::sandbox::kubernetes
