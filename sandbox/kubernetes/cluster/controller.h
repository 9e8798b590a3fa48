// A controller: it notices changes at once, and brings objects to what they ask for later, one key at a time.
//
// Changes are only marked when they happen (inside the call that makes them); the work is done from a durable
// timer. So what a controller has not done yet at a crash is found again: after a start everything is marked.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/kubernetes/cluster/cluster_access.h"
#include "sandbox/kubernetes/cluster/event_recorder.h"

namespace instantstart::sandbox::kubernetes {

class Later;

struct ControllerParts {
  ClusterAccess& access;
  EventRecorder& events;
  Later& later;
};

class Controller {
 public:
  Controller(std::string name, ControllerParts parts) : name_(std::move(name)), parts_(parts) {}
  virtual ~Controller() = default;
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  const std::string& name() const { return name_; }
  /// Marks what the change concerns; must change nothing.
  virtual void notice(const Change& change) = 0;
  /// A timer set with `later` is over. Usually enough: look at the object again.
  virtual void due(const ObjectKey& key, std::string_view) { mark(key); }
  /// Nothing that was seen is true any more.
  virtual void forget() { marked_.clear(); }
  bool has_work() const { return !marked_.empty(); }
  /// Looks at what is marked now, until it is enough for once; the rest stays marked.
  void work(const std::function<bool()>& is_enough);

 protected:
  virtual void sync(const ObjectKey& key) = 0;
  void mark(ObjectKey key) { marked_.insert(std::move(key)); }
  /// The key of the object that controls it, when that is of the given kind.
  void mark_controller(const Change& change, std::string_view kind, std::string_view group,
                       std::string_view resource);
  /// `due` is called with the purpose when the (scaled) time is over; the same purpose replaces the earlier.
  void later(const ObjectKey& key, std::string_view purpose, milliseconds after);
  ClusterObjects objects(const ObjectKey& key) const {
    return parts_.access.objects(key.cluster, k_controller_manager);
  }
  /// Removes a pod and tells it as an event about its owner, by the component ("job-controller").
  void delete_pod(const ObjectKey& key, const json::object& owner, const std::string& name,
                  std::string_view component);
  ClusterAccess& access() const { return parts_.access; }
  ObjectStore& store() const { return parts_.access.store(); }
  EventRecorder& events() const { return parts_.events; }

 private:
  std::string name_;
  ControllerParts parts_;
  std::set<ObjectKey> marked_;
  ObjectKey last_;  ///< Where it stopped: what is marked again and again keeps nobody waiting.
};

/// Durable "look again" of controllers. Registers its timer kind with the world.
class Later {
 public:
  explicit Later(World& world);
  void set(std::string_view controller, const ObjectKey& key, std::string_view purpose, milliseconds after);
  /// What is called when one is over.
  void on_due(
      std::function<void(std::string_view controller, const ObjectKey&, std::string_view purpose)> run) {
    run_ = std::move(run);
  }

 private:
  World& world_;
  std::function<void(std::string_view, const ObjectKey&, std::string_view)> run_;
};

/// The controllers in the order they work, and the timer that makes them.
class ControllerLoop {
 public:
  ControllerLoop(ClusterAccess& access, Later& later);

  void add(Controller& controller) { controllers_.push_back(&controller); }
  /// Follows the store; the access must be attached.
  void start();
  /// Somebody marked something outside of a change.
  void wake();

 private:
  void run();
  void notice(const Change& change);
  /// After a start or a reset: everything there is counts as new.
  void look_at_everything();
  Controller* find(std::string_view name) const;

  ClusterAccess& access_;
  std::vector<Controller*> controllers_;
  bool fresh_ = false;
  bool woken_ = false;
  std::uint64_t epoch_ = 0;
};

}  // namespace instantstart::sandbox::kubernetes
