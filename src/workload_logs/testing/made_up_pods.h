// An API server with pods that say what a test tells them to: their objects, a watch, and their logs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "kube/eks_clusters.h"
#include "kube/testing/scripted_api.h"
#include "net/http_client.h"
#include "net/signal.h"

namespace instantstart::workload_logs {

/// Pods of the namespace "default", each with the container "main". Virtual time's wall clock dates the
/// lines.
class MadeUpPods final : public net::HttpClient {
 public:
  explicit MadeUpPods(net::Timekeeper& time) : time_(time), changed_(time) {}

  void start(const std::string& pod);
  /// The container writes; lines may be left open.
  void write(const std::string& pod, std::string_view text);
  /// Its container ends, and the pod with it.
  void end(const std::string& pod);
  /// The container ends and starts again.
  void restart(const std::string& pod);
  void remove(const std::string& pod);

  /// What `kubectl logs` shows.
  std::string log(const std::string& pod, bool previous = false) const;

  /// All open streams break off; nothing answers until it is mended.
  void cut();
  void mend() { down_ = false; }
  /// What the watch says is too old.
  void expire_watch();
  void refuse_logs(bool refuse) { refuses_logs_ = refuse; }
  void set_owner(const std::string& path, json::object owner) { owners_[path] = std::move(owner); }

  int log_requests() const { return log_requests_; }
  int open_logs() const { return *open_logs_; }

  Task<net::ClientResponse> send(net::ClientRequest request, net::Deadline deadline) override;
  Task<Stream> open(net::ClientRequest request, net::Deadline header_deadline) override;

 private:
  class LogBody;
  class WatchBody;
  struct Run {
    std::string kept;  ///< With times, as the kubelet keeps it.
    bool over = false;
  };
  struct Pod {
    std::string uid;
    std::vector<Run> runs;
    bool over = false;
  };

  Result<std::unique_ptr<net::ClientBodyStream>> open_log(const kube::ScriptedApi::Seen& seen,
                                                          const std::string& pod);
  json::object object_of(const std::string& name, const Pod& pod) const;
  void tell(std::string_view type, const std::string& pod);
  std::string time_text() const;

  net::Timekeeper& time_;
  net::Signal changed_;
  std::map<std::string, Pod> pods_;
  std::map<std::string, json::object> owners_;  ///< By path.
  std::vector<std::string> events_;
  std::int64_t version_ = 100;
  int generation_ = 0;  ///< Streams of an older one are broken.
  int expired_ = 0;     ///< Watches of an older one are told 410.
  bool down_ = false;
  bool refuses_logs_ = false;
  int log_requests_ = 0;
  std::shared_ptr<int> open_logs_ = std::make_shared<int>(0);
};

}  // namespace instantstart::workload_logs
