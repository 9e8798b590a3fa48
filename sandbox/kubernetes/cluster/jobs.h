// Jobs: pods that run to their end, so often and so many at once as asked for.
#pragma once

#include "sandbox/kubernetes/cluster/controller.h"

namespace instantstart::sandbox::kubernetes {

class Jobs final : public Controller {
 public:
  explicit Jobs(ControllerParts parts) : Controller("job", parts) {}
  void notice(const Change& change) override;
  void due(const ObjectKey& key, std::string_view purpose) override;

 private:
  struct Count {
    std::vector<std::string> active;
    std::vector<std::string> active_indexes;
    std::vector<std::int64_t> succeeded_indexes;
    std::int64_t ready = 0;
    std::int64_t succeeded = 0;
    std::int64_t failed = 0;
    std::int64_t ending = 0;
    std::int64_t restarts = 0;
    std::string last_failure;  ///< RFC 3339
  };

  void sync(const ObjectKey& key) override;
  Count count(const ObjectKey& key, const json::object& job);
  void begin(const ObjectKey& key, const json::object& job, json::object& status);
  void add_pods(const ObjectKey& key, const json::object& job, const Count& now);
  void make_pod(const ObjectKey& key, const json::object& job, std::int64_t index);
  void remove_active(const ObjectKey& key, const json::object& job, const Count& now, std::size_t keep);
  void finish(const ObjectKey& key, const json::object& job, json::object status, bool success,
              const std::string& reason, const std::string& message);
  void expire(const ObjectKey& key);
};

}  // namespace instantstart::sandbox::kubernetes
