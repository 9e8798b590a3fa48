#include "sandbox/kubernetes/cluster/controller.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "sandbox/kubernetes/cluster/workload.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::string_view k_tick = "kubernetes.controllers";
constexpr std::string_view k_later = "kubernetes.later";
/// Of real time: changes that come together are looked at together, at any scale.
constexpr milliseconds k_pause{10};
/// Of real time, so that requests are answered in between.
constexpr milliseconds k_longest_work{50};
/// What follows from what, in one go: a Deployment's pods run to their nodes in four rounds.
constexpr int k_rounds = 32;

}  // namespace

void Controller::work(const std::function<bool()>& is_enough) {
  auto marked = std::exchange(marked_, {});
  while (!marked.empty()) {
    auto next = marked.upper_bound(last_);
    if (next == marked.end()) next = marked.begin();
    last_ = *next;
    marked.erase(next);
    sync(last_);
    if (is_enough()) break;
  }
  marked_.merge(marked);
}

void Controller::mark_controller(const Change& change, std::string_view kind, std::string_view group,
                                 std::string_view resource) {
  const auto owner = controller_of(*change.object);
  if (!owner || owner->kind != kind) return;
  mark({change.key.cluster, std::string(group), std::string(resource), change.key.namespace_name,
        owner->name});
}

void Controller::delete_pod(const ObjectKey& key, const json::object& owner, const std::string& name,
                            std::string_view component) {
  if (!objects(key).remove("", "pods", key.namespace_name, name)) return;
  events().record(key.cluster, owner,
                  {.type = "Normal",
                   .reason = "SuccessfulDelete",
                   .message = fmt::format("Deleted pod: {}", name),
                   .component = component});
}

void Controller::later(const ObjectKey& key, std::string_view purpose, milliseconds after) {
  parts_.later.set(name_, key, purpose, after);
}

Later::Later(World& world) : world_(world) {
  world_.on_timer(std::string(k_later), [this](const std::string& key) {
    const auto parts = split(key, '|');
    if (parts.size() != 7 || !run_) return;
    const auto begin = parts[0].size() + parts[1].size() + 2;
    run_(parts[0], key_of_timer(std::string_view(key).substr(begin)), parts[1]);
  });
}

void Later::set(std::string_view controller, const ObjectKey& key, std::string_view purpose,
                milliseconds after) {
  world_.set_timer(k_later, fmt::format("{}|{}|{}", controller, purpose, timer_key(key)), after);
}

ControllerLoop::ControllerLoop(ClusterAccess& access, Later& later) : access_(access) {
  access_.world().on_timer(std::string(k_tick), [this](const std::string&) { run(); });
  later.on_due([this](std::string_view name, const ObjectKey& key, std::string_view purpose) {
    look_at_everything();
    if (auto* controller = find(name)) controller->due(key, purpose);
    wake();
  });
}

void ControllerLoop::start() {
  access_.store().subscribe([this](const Change& change) { notice(change); });
}

void ControllerLoop::wake() {
  if (woken_) return;
  woken_ = true;
  access_.world().set_timer(k_tick, "all", k_pause * access_.world().scale());
}

void ControllerLoop::notice(const Change& change) {
  if (access_.store().epoch() != epoch_) woken_ = false;  // A reset took the timer away.
  if (fresh_ && access_.store().epoch() == epoch_) {
    for (auto* controller : controllers_) controller->notice(change);
  }
  wake();
}

void ControllerLoop::look_at_everything() {
  const ObjectStore& store = access_.store();
  if (fresh_ && epoch_ == store.epoch()) return;
  fresh_ = true;
  epoch_ = store.epoch();
  for (auto* controller : controllers_) controller->forget();
  for (const auto& [id, cluster] : store.clusters()) {
    for (const StoredObject* object : store.all(id)) {
      const Change change{.key = object->key(), .object = std::make_shared<const json::object>(object->body)};
      for (auto* controller : controllers_) controller->notice(change);
    }
  }
}

void ControllerLoop::run() {
  woken_ = true;  // What changes now is looked at in this very round.
  look_at_everything();
  const auto busy = [](const Controller* controller) { return controller->has_work(); };
  const auto stop_at = access_.world().time().steady() + k_longest_work;
  const auto is_enough = [this, stop_at] { return access_.world().time().steady() >= stop_at; };
  for (int round = 0; round < k_rounds && std::ranges::any_of(controllers_, busy) && !is_enough(); ++round) {
    for (auto* controller : controllers_) {
      if (controller->has_work()) controller->work(is_enough);
    }
  }
  woken_ = false;
  if (std::ranges::any_of(controllers_, busy)) wake();
}

Controller* ControllerLoop::find(std::string_view name) const {
  for (auto* controller : controllers_) {
    if (controller->name() == name) return controller;
  }
  return nullptr;
}

}  // namespace instantstart::sandbox::kubernetes
