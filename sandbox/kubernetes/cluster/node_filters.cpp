#include "sandbox/kubernetes/cluster/node_filters.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/cluster/workload.h"
#include "sandbox/kubernetes/objects/quantity.h"

namespace instantstart::sandbox::kubernetes {
namespace {

void add(Amounts& sum, const Amounts& more) {
  for (const auto& [name, amount] : more) sum[name] += amount;
}

Amounts container_requests(const json::object& container) {
  const json::object& resources = member_object(container, "resources");
  Amounts amounts = amounts_of(member_object(resources, "requests"));
  // Extended resources may be given as limits alone; the defaults copy them, older objects may not have it.
  for (const auto& [name, amount] : amounts_of(member_object(resources, "limits")))
    amounts.try_emplace(name, amount);
  return amounts;
}

std::vector<std::string> texts_of(const json::array& values) {
  std::vector<std::string> texts;
  for (const auto& value : values) {
    if (const auto* text = value.if_string()) texts.emplace_back(*text);
  }
  return texts;
}

NodeTerm term_of(const json::object& given) {
  NodeTerm term;
  for (const auto list : {"matchExpressions", "matchFields"}) {
    for (const auto& value : member_array(given, list)) {
      const auto* one = value.if_object();
      if (!one) continue;
      term.all.push_back({.key = std::string(member_text(*one, "key")),
                          .op = std::string(member_text(*one, "operator")),
                          .values = texts_of(member_array(*one, "values")),
                          .field = std::string_view(list) == "matchFields"});
    }
  }
  return term;
}

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

bool holds(const NodeRequirement& one, const NodeView& node) {
  const auto* label = one.field ? nullptr : node.labels.if_contains(one.key);
  std::optional<std::string> value;
  if (one.field && one.key == "metadata.name") value = node.name;
  if (label && label->is_string()) value = std::string(label->get_string());
  const bool listed = value && std::ranges::find(one.values, *value) != one.values.end();
  if (one.op == "In") return listed;
  if (one.op == "NotIn") return !listed;
  if (one.op == "Exists") return value.has_value();
  if (one.op == "DoesNotExist") return !value;
  const auto mine = value ? whole(*value) : std::nullopt;
  const auto bound = one.values.empty() ? std::nullopt : whole(one.values.front());
  if (!mine || !bound) return false;
  return one.op == "Gt" ? *mine > *bound : *mine < *bound;
}

/// An empty term selects nothing.
bool holds(const NodeTerm& term, const NodeView& node) {
  return !term.all.empty() &&
         std::ranges::all_of(term.all, [&node](const NodeRequirement& one) { return holds(one, node); });
}

}  // namespace

Amounts amounts_of(const json::object& quantities) {
  Amounts amounts;
  for (const auto& [name, value] : quantities) {
    const std::string text = value.is_string() ? std::string(value.get_string()) : to_text(value);
    if (const auto quantity = Quantity::parse(text)) amounts[std::string(name)] = quantity->milli_value();
  }
  return amounts;
}

Amounts requests_of(const json::object& pod) {
  const json::object& spec = member_object(pod, "spec");
  Amounts sum;
  for (const auto& value : member_array(spec, "containers")) {
    if (const auto* container = value.if_object()) add(sum, container_requests(*container));
  }
  Amounts sidecars;
  Amounts peak;
  for (const auto& value : member_array(spec, "initContainers")) {
    const auto* container = value.if_object();
    if (!container) continue;
    Amounts own = container_requests(*container);
    if (member_text(*container, "restartPolicy") == "Always") {
      add(sidecars, own);
      own = sidecars;
    } else {
      add(own, sidecars);
    }
    for (const auto& [name, amount] : own) peak[name] = std::max(peak[name], amount);
  }
  add(sum, sidecars);
  for (const auto& [name, amount] : peak) sum[name] = std::max(sum[name], amount);
  add(sum, amounts_of(member_object(spec, "overhead")));
  std::erase_if(sum, [](const auto& entry) { return entry.second == 0; });
  return sum;
}

bool Toleration::tolerates(const Taint& taint) const {
  if (!effect.empty() && effect != taint.effect) return false;
  if (!key.empty() && key != taint.key) return false;
  if (op == "Exists") return true;
  return !key.empty() && value == taint.value;
}

std::vector<Taint> taints_of(const json::object& node) {
  std::vector<Taint> taints;
  for (const auto& value : member_array(member_object(node, "spec"), "taints")) {
    const auto* one = value.if_object();
    if (!one) continue;
    taints.push_back({std::string(member_text(*one, "key")), std::string(member_text(*one, "value")),
                      std::string(member_text(*one, "effect"))});
  }
  return taints;
}

std::vector<Toleration> tolerations_of(const json::object& pod_spec) {
  std::vector<Toleration> tolerations;
  for (const auto& value : member_array(pod_spec, "tolerations")) {
    const auto* one = value.if_object();
    if (!one) continue;
    Toleration toleration{.key = std::string(member_text(*one, "key")),
                          .op = std::string(member_text(*one, "operator")),
                          .value = std::string(member_text(*one, "value")),
                          .effect = std::string(member_text(*one, "effect")),
                          .seconds = std::nullopt};
    if (one->contains("tolerationSeconds")) toleration.seconds = number_at(*one, "tolerationSeconds");
    tolerations.push_back(std::move(toleration));
  }
  return tolerations;
}

bool is_tolerated(const Taint& taint, const std::vector<Toleration>& tolerations) {
  return std::ranges::any_of(tolerations, [&taint](const Toleration& one) { return one.tolerates(taint); });
}

PodDemands PodDemands::of(const json::object& pod) {
  const json::object& spec = member_object(pod, "spec");
  PodDemands demands{.requests = requests_of(pod),
                     .node_selector = member_object(spec, "nodeSelector"),
                     .tolerations = tolerations_of(spec)};
  const json::object& affinity = member_object(member_object(spec, "affinity"), "nodeAffinity");
  const json::object& required = member_object(affinity, "requiredDuringSchedulingIgnoredDuringExecution");
  demands.has_required = !required.empty();
  for (const auto& value : member_array(required, "nodeSelectorTerms")) {
    if (value.is_object()) demands.required.push_back(term_of(value.get_object()));
  }
  for (const auto& value : member_array(affinity, "preferredDuringSchedulingIgnoredDuringExecution")) {
    if (!value.is_object()) continue;
    NodeTerm term = term_of(member_object(value.get_object(), "preference"));
    term.weight = number_at(value.get_object(), "weight", 1);
    demands.preferred.push_back(std::move(term));
  }
  if (demands.required.size() == 1) {
    for (const auto& one : demands.required[0].all) {
      if (one.field && one.op == "In" && one.values.size() == 1) demands.only_node = one.values[0];
    }
  }
  return demands;
}

std::string PodDemands::signature() const {
  std::string text = to_canonical_text(node_selector);
  for (const auto& [name, amount] : requests) text += fmt::format("|{}={}", name, amount);
  for (const auto& one : tolerations) {
    text += fmt::format("|t{} {} {} {}", one.key, one.op, one.value, one.effect);
  }
  for (const auto* terms : {&required, &preferred}) {
    text += "|a";
    for (const auto& term : *terms) {
      text += fmt::format("/{}", term.weight);
      for (const auto& one : term.all) {
        text += fmt::format(",{}{} {}", one.field, one.key, one.op);
        for (const auto& value : one.values) text += fmt::format(" {}", value);
      }
    }
  }
  return text;
}

bool selects(const PodDemands& pod, const NodeView& node) {
  for (const auto& [key, value] : pod.node_selector) {
    const auto* label = node.labels.if_contains(key);
    if (!label || *label != value) return false;
  }
  if (!pod.has_required) return true;
  return std::ranges::any_of(pod.required, [&node](const NodeTerm& term) { return holds(term, node); });
}

const Taint* untolerated(const PodDemands& pod, const NodeView& node) {
  for (const auto& taint : node.taints) {
    if (taint.effect != "PreferNoSchedule" && !is_tolerated(taint, pod.tolerations)) return &taint;
  }
  return nullptr;
}

std::vector<std::string> why_not(const PodDemands& pod, const NodeView& node) {
  const Taint cordoned{"node.kubernetes.io/unschedulable", "", "NoSchedule"};
  if (node.unschedulable && !is_tolerated(cordoned, pod.tolerations)) return {"node(s) were unschedulable"};
  if (const Taint* taint = untolerated(pod, node)) {
    return {fmt::format("node(s) had untolerated taint {{{}: {}}}", taint->key, taint->value)};
  }
  if (!selects(pod, node)) return {"node(s) didn't match Pod's node affinity/selector"};
  std::vector<std::string> reasons;
  const auto room = node.allocatable.find("pods");
  if (room == node.allocatable.end() || (node.pods + 1) * 1000 > room->second)
    reasons.emplace_back("Too many pods");
  for (const auto& [name, amount] : pod.requests) {
    const auto has = node.allocatable.find(name);
    const auto used = node.used.find(name);
    const std::int64_t left =
        (has == node.allocatable.end() ? 0 : has->second) - (used == node.used.end() ? 0 : used->second);
    if (amount > left) reasons.push_back(fmt::format("Insufficient {}", name));
  }
  return reasons;
}

std::int64_t score(const PodDemands& pod, const NodeView& node) {
  std::int64_t points = 0;
  for (const auto& term : pod.preferred) {
    // An empty preference holds everywhere, and so says nothing.
    if (holds(term, node)) points += term.weight * 100;
  }
  for (const auto& taint : node.taints) {
    if (taint.effect == "PreferNoSchedule" && !is_tolerated(taint, pod.tolerations)) points -= 300;
  }
  for (const auto name : {"cpu", "memory", "nvidia.com/gpu"}) {
    const auto has = node.allocatable.find(name);
    if (has == node.allocatable.end() || has->second <= 0) continue;
    const auto used = node.used.find(name);
    const double share =
        used == node.used.end() ? 0 : static_cast<double>(used->second) / static_cast<double>(has->second);
    points += static_cast<std::int64_t>((1 - share) * 50);
  }
  // Pods that need no accelerator leave nodes with one to those that do.
  const bool has_gpu = node.allocatable.contains("nvidia.com/gpu");
  if (has_gpu && !pod.requests.contains("nvidia.com/gpu")) points -= 100;
  return points;
}

}  // namespace instantstart::sandbox::kubernetes
