// A Kubernetes side that keeps nodes as it was told, whose dependencies are what a test says and whose nodes
// are drained when it says so.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/core/node_host.h"

namespace instantstart::sandbox::sagemaker {

class FakeNodeHost final : public NodeHost {
 public:
  struct Node {
    NodeSpec spec;
    std::map<std::string, NodeCondition> conditions = {};
    bool ready = true;
    bool cordoned = false;

    bool has_taint(std::string_view key) const {
      return std::ranges::any_of(spec.taints, [key](const NodeTaint& taint) { return taint.key == key; });
    }
    std::string label(const std::string& key) const {
      const auto found = spec.labels.find(key);
      return found == spec.labels.end() ? "" : found->second;
    }
  };

  std::vector<std::string> missing_dependencies(std::string_view) const override { return missing; }
  void join(std::string_view, const NodeSpec& node) override { nodes[node.name] = {.spec = node}; }
  void update(std::string_view, std::string_view name, const NodeUpdate& change) override {
    Node* node = find(name);
    if (!node) return;
    apply(change.labels, node->spec.labels);
    apply(change.annotations, node->spec.annotations);
    const auto is_same = [](const NodeTaint& a, const NodeTaint& b) {
      return a.key == b.key && a.effect == b.effect;
    };
    for (const auto* list : {&change.taints_removed, &change.taints_added}) {
      for (const auto& taint : *list) {
        std::erase_if(node->spec.taints, [&](const NodeTaint& one) { return is_same(one, taint); });
      }
    }
    node->spec.taints.insert(node->spec.taints.end(), change.taints_added.begin(), change.taints_added.end());
    for (const auto& condition : change.conditions) {
      if (condition.status.empty()) {
        node->conditions.erase(condition.type);
      } else {
        node->conditions[condition.type] = condition;
      }
    }
  }
  void drain(std::string_view, std::string_view name) override {
    if (Node* node = find(name)) node->cordoned = true;
  }
  bool is_drained(std::string_view, std::string_view) const override { return drained; }
  void uncordon(std::string_view, std::string_view name) override {
    if (Node* node = find(name)) node->cordoned = false;
  }
  void set_reachable(std::string_view, std::string_view name, bool reachable, std::string_view) override {
    if (Node* node = find(name)) node->ready = reachable;
  }
  void leave(std::string_view, std::string_view name) override { nodes.erase(std::string(name)); }

  std::vector<std::string> missing;
  bool drained = true;
  std::map<std::string, Node> nodes;  ///< By name.

 private:
  Node* find(std::string_view name) {
    const auto found = nodes.find(std::string(name));
    return found == nodes.end() ? nullptr : &found->second;
  }
  static void apply(const std::map<std::string, std::string>& changes,
                    std::map<std::string, std::string>& to) {
    for (const auto& [key, value] : changes) {
      if (value.empty()) {
        to.erase(key);
      } else {
        to[key] = value;
      }
    }
  }
};

}  // namespace instantstart::sandbox::sagemaker
